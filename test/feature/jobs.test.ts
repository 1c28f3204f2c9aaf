import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FakeUri } from '../support/fakeEditor/values';
import { DocumentDriver } from '../support/feature/documentDriver';
import { reachableInstance } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('a job on an instance', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;
  const secret = 'hf_jobsecret4711';
  const variable = 'postgres://trainer:pass4711@db';
  const limits = { hours: 1, costDollars: 5 };
  const file = () => path.join(computer().workspace, '.vscode', 'gpu-rental.json');
  const jobs = () => window.view('jobs');
  const destroys = () => computer().simulator.received('DELETE', `/api/v0/instances/${id}/`).length;

  /** Writes the file, as git does, and opens it anew. */
  async function write(wanted: Record<string, unknown>): Promise<void> {
    const { documents } = window.screen;
    mkdirSync(path.dirname(file()), { recursive: true });
    const content = { image: 'pytorch/pytorch:latest', maxPricePerHour: 0.5, jobs: wanted };
    writeFileSync(file(), `${JSON.stringify(content, null, 2)}\n`);
    documents.close(documents.byUri(FakeUri.file(file())));
    await documents.show(FakeUri.file(file()));
  }

  const put = (name: string, content: string) => {
    const to = path.join(computer().workspace, name);
    mkdirSync(path.dirname(to), { recursive: true });
    writeFileSync(to, content);
  };

  /** Waits until the confirmation has stood long enough for an Enter to count. */
  async function confirm(row: string): Promise<void> {
    await window.quick.title(/: Confirm$/);
    await computer().pass(1000);
    await window.quick.pick(row);
    await computer().pass(1000);
  }

  before(async () => {
    id = await reachableInstance(computer(), 'trainer');
    window = await computer().openWindow();
    await window.signIn();
    await window.view('instances').row('trainer');
    window.clearToasts();
    execFileSync('git', ['init', '-q', computer().workspace]);
    put('.gitignore', 'ignored.bin\n');
    put('ignored.bin', 'x');
    put('.env', `HF_TOKEN=${secret}`);
    put('train.sh', 'mkdir -p outputs; echo "epoch 1"; printf model >outputs/model.bin\n');
  });

  it('shows jobs of a workspace that is not trusted, and runs none', async () => {
    window.close();
    window = await computer().openWindow({ isTrusted: false, isFocused: true });
    await window.view('instances').row('trainer');
    await write({ train: { run: 'sh train.sh', limits } });
    const lenses = await new DocumentDriver(window).lenses();
    assert.ok(lenses.some((title) => title.endsWith('Trust This Workspace to Run Jobs')));
    window.start('gpuRental.job.run', { uri: FakeUri.file(file()).toString(), jobName: 'train' });
    await window.toast(/not trusted, so its jobs can't run/);
    assert.equal(window.quick.isOpen, false);
    window.close();
    window = await computer().openWindow({ isFocused: true });
    await window.view('instances').row('trainer');
  });

  it('says before it runs what is sent, what is left out, where it ends and what it costs', async () => {
    await write({ train: { run: 'sh train.sh', limits, secrets: ['HF_TOKEN'], env: { DB: variable } } });
    await new DocumentDriver(window).press('Run Job');
    await window.quick.title('Secret HF_TOKEN of train');
    await window.quick.type(secret);
    await window.quick.title('Run train: Confirm');
    const rows = window.quick.rows().join('\n');
    assert.match(rows, /Run on trainer, and Keep It/);
    assert.match(rows, /Sent.*2 files/);
    assert.match(rows, /\.env \(may be a secret\)/);
    assert.match(rows, /after 1 h, which costs \$\S+ at most/);
    assert.match(rows, /HF_TOKEN/);
    assert.ok(!rows.includes('ignored.bin') && !rows.includes(secret) && !rows.includes('Destroy'));
    window.quick.escape();
    await computer().rest();
    assert.deepEqual(await jobs().texts(), []);
  });

  it('runs to its end, shows its log, brings its outputs back and keeps the machine', async () => {
    await new DocumentDriver(window).press('Run Job');
    await confirm('Run on trainer, and Keep It');
    const said = await window.toast(/^train: succeeded after .* for \$/);
    assert.deepEqual(said.buttons, ['Open Outputs', 'Show Log']);
    await jobs().row(/train.*succeeded · [^·]* (s|min) · \$[\d.]+$/);
    await window.document('epoch 1');
    const [run = ''] = readdirSync(path.join(computer().workspace, 'gpu-outputs', 'train'));
    const model = path.join(computer().workspace, 'gpu-outputs', 'train', run, 'outputs', 'model.bin');
    assert.equal(readFileSync(model, 'utf8'), 'model');
    assert.equal(destroys(), 0);
    assert.ok(!window.everythingSaid().includes(secret) && !window.log().includes(secret));
    assert.deepEqual(computer().filesWith([secret]), []);
    window.clearToasts();
  });

  it('leaves no value of its secrets and variables in the support bundle', async () => {
    const bundle = path.join(computer().root, 'bundle.md');
    window.screen.fileDialogs.push([bundle]);
    window.run('Save Support Bundle…');
    await window.document('## GPU Rental diagnostics');
    await window.toastButton(/read it before you save it/, 'Save…');
    await window.toast('The support bundle was saved');
    const saved = readFileSync(bundle, 'utf8');
    assert.match(saved, /## GPU Rental diagnostics[^]*GET \/api\/v0\/instances\//);
    for (const value of [secret, variable, computer().workspace]) assert.ok(!saved.includes(value), value);
    window.clearToasts();
  });

  it('is not confirmed again while its text is the same, and is when it changed', async () => {
    await window.screen.documents.show(FakeUri.file(file()));
    await new DocumentDriver(window).press('Run Job');
    await window.toast(/^train: succeeded/);
    window.clearToasts();
    await write({ train: { run: 'sh train.sh; exit 3', limits, outputs: [] } });
    await new DocumentDriver(window).press('Run Job');
    await confirm('Run on trainer, and Keep It');
    await window.toast(/^train: failed with code 3/);
    window.clearToasts();
  });

  it('refuses a command whose file is not sent, and a file that is wrong', async () => {
    await write({ train: { run: 'cat ignored.bin', limits } });
    await new DocumentDriver(window).press('Run Job');
    await window.toast(/names ignored\.bin, which is not sent/);
    window.clearToasts();
    await write({ train: { run: 'cat x' } });
    await new DocumentDriver(window).press('Run Job');
    await window.toast(/"limits" is missing/);
    window.clearToasts();
  });

  it('is stopped by a word, and a killed window does not matter', async () => {
    await write({ train: { run: 'echo begun; sleep 600', limits, outputs: [] } });
    await new DocumentDriver(window).press('Run Job');
    await confirm('Run on trainer, and Keep It');
    await window.document('begun');
    window.kill();
    window = await computer().openWindow({ isFocused: true });
    await jobs().row(/train · ?.*running|running/);
    for (const [item, said] of [
      ['Stop…', /⚠ The job train is not finished\. It will end without a result\./],
      ['Reboot…', /⚠ The job train is not finished\. It will end without a result\./],
      ['Destroy…', /⚠ The job train is not finished\. It will end, and its outputs will be lost\./],
    ] as const) {
      await window.view('instances').menu('trainer', item);
      assert.match((await window.dialog('trainer')).detail ?? '', said);
      await window.dialogButton('Cancel');
    }
    window.run('Stop Job…');
    await window.dialogButton('Stop Job');
    await window.toast(/^train: canceled/);
    window.clearToasts();
  });

  it('runs each combination of a matrix in turn, with one confirmation and a folder of its own', async () => {
    const matrix = { LR: ['0.1', '0.01'] };
    await write({ sweep: { run: 'echo "$LR" >outputs/lr', limits, matrix } });
    await new DocumentDriver(window).press('Run Job');
    await window.quick.title('Run sweep: Confirm');
    assert.match(window.quick.rows().join('\n'), /2 jobs on trainer, \$5\.00 at most for all of them/);
    await confirm('Run on trainer, and Keep It');
    await window.toast(/^sweep LR=0\.1: succeeded/);
    await window.toast(/^sweep LR=0\.01: succeeded/);
    for (const lr of matrix.LR) {
      const folder = path.join(computer().workspace, 'gpu-outputs', `sweep LR=${lr}`);
      const [start = ''] = readdirSync(folder);
      assert.equal(readFileSync(path.join(folder, start, 'outputs', 'lr'), 'utf8'), `${lr}\n`);
    }
    window.clearToasts();
  });

  it('takes the machine only where that was chosen and confirmed by name', async () => {
    await write({ train: { run: 'sh train.sh', limits, whenDone: { success: 'destroy' } } });
    await new DocumentDriver(window).press('Run Job');
    await confirm('Run on trainer, and Destroy It as the File Says');
    const { detail } = await window.dialog('Destroy “trainer” after “train”?');
    assert.match(detail ?? '', /all other data on it is lost/);
    await window.dialogButton('Run and Destroy');
    await window.toast(/^trainer is destroyed after train/);
    assert.equal(destroys(), 1);
    const runs = readdirSync(path.join(computer().workspace, 'gpu-outputs', 'train'));
    const last = path.join(
      computer().workspace,
      'gpu-outputs',
      'train',
      runs.at(-1) ?? '',
      'outputs',
      'model.bin',
    );
    assert.ok(existsSync(last));
  });
});
