import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FakeUri } from '../../support/fakeEditor/values';
import { DocumentDriver } from '../../support/feature/documentDriver';
import { confirmJob, writeJobs } from '../../support/feature/jobDriver';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('a job on an instance', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  const secret = 'hf_jobsecret4711';
  const variable = 'postgres://trainer:pass4711@db';
  const limits = { hours: 1, costDollars: 5 };
  const file = () => path.join(computer().workspace, '.vscode', 'gpu-rental.json');
  const jobs = () => window.view('jobs');

  const write = (wanted: Record<string, unknown>) => writeJobs(window, wanted);
  const put = (name: string, content: string) => {
    const to = path.join(computer().workspace, name);
    mkdirSync(path.dirname(to), { recursive: true });
    writeFileSync(to, content);
  };

  before(async () => {
    await reachableInstance(computer(), 'trainer');
    window = await computer().openSignedIn();
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
    await new DocumentDriver(window).lens('Trust This Workspace to Run Jobs');
    window.start('gpuRental.job.run', { uri: FakeUri.file(file()).toString(), jobName: 'train' });
    await window.toast(/not trusted, so its jobs can't run/);
    assert.equal(window.quick.isOpen, false);
    window.close();
    window = await computer().openWindow({ isFocused: true });
    await window.view('instances').row('trainer');
  });

  it('shows before it runs what is sent, what is left out, where it ends and what it costs', async () => {
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
    await confirmJob(window, 'Run on trainer, and Keep It');
    const said = await window.toast(/^train: succeeded after .* for \$/);
    assert.deepEqual(said.buttons, ['Open Outputs of Job', 'Show Log']);
    await jobs().row(/train.*succeeded · [^·]* (s|min) · \$[\d.]+$/);
    await window.document('epoch 1');
    assert.match(await jobs().tooltip(/^train/), /Printed last\*\*: epoch 1/);
    const [run = ''] = readdirSync(path.join(computer().workspace, 'gpu-outputs', 'train'));
    const model = path.join(computer().workspace, 'gpu-outputs', 'train', run, 'outputs', 'model.bin');
    assert.equal(readFileSync(model, 'utf8'), 'model');
    assert.equal(computer().simulator.received('DELETE', /^\/api\/v0\/instances\//).length, 0);
    assert.ok(!window.allMessages().includes(secret) && !window.log().includes(secret));
    assert.deepEqual(computer().filesWith([secret]), []);
    window.clearToasts();
  });

  it('leaves no value of its secrets and variables in the support bundle', async () => {
    const bundle = path.join(computer().root, 'bundle.md');
    window.screen.fileDialogs.push([bundle]);
    window.run('Save Support Bundle…');
    await window.document('## GPU Rental diagnostics');
    await window.toastButton(/read it before you save it/, 'Save');
    await window.toast('The support bundle was saved');
    const saved = readFileSync(bundle, 'utf8');
    assert.match(saved, /## GPU Rental diagnostics[^]*GET \/api\/v0\/instances\//);
    for (const value of [secret, variable, computer().workspace]) {
      assert.ok(!saved.includes(value), value);
    }
    window.clearToasts();
  });

  it('is not confirmed again while its text is the same, and is when it changed', async () => {
    await window.screen.documents.show(FakeUri.file(file()));
    await new DocumentDriver(window).press('Run Job');
    await window.toast(/^train: succeeded/);
    window.clearToasts();
    await write({ train: { run: 'sh train.sh; exit 3', limits, outputs: [] } });
    await new DocumentDriver(window).press('Run Job');
    await confirmJob(window, 'Run on trainer, and Keep It');
    await window.toast(/^train: failed with code 3/);
    window.clearToasts();
  });

  it('refuses a command whose file is not sent, and a file that is wrong', async () => {
    await write({ train: { run: 'cat ignored.bin', limits } });
    await new DocumentDriver(window).press('Run Job');
    await window.toast(/names ignored\.bin, which is not sent/);
    window.clearToasts();
    writeFileSync(path.join(computer().workspace, 'windows.sh'), 'echo a\r\n');
    await write({ train: { run: 'sh ./windows.sh', limits } });
    await new DocumentDriver(window).press('Run Job');
    await window.toast(/The lines of windows\.sh end as on Windows/);
    await window.quick.title('Run train: Confirm');
    window.quick.escape();
    rmSync(path.join(computer().workspace, 'windows.sh'));
    window.clearToasts();
    await write({ train: { run: 'cat x' } });
    await new DocumentDriver(window).press('Run Job');
    await window.toast(/"limits" is missing/);
    window.clearToasts();
  });

  it('gets another value of a secret that was changed, and is asked for one that was removed', async () => {
    const printed = 'printf %s "$HF_TOKEN" | wc -c';
    await write({ train: { run: printed, limits, secrets: ['HF_TOKEN'], outputs: [] } });
    const account = window.view('account');
    await account.expand('Secrets');
    await account.row(`HF_TOKEN train in ${computer().workspace} · changed`);
    await account.menu('HF_TOKEN', 'Set Secret');
    await window.quick.title('Set Secret: HF_TOKEN');
    await window.quick.type('x'.repeat(91));
    await new DocumentDriver(window).press('Run Job');
    await confirmJob(window, 'Run on trainer, and Keep It');
    await window.toast(/^train: succeeded/);
    await window.document('91');
    await account.menu('HF_TOKEN', 'Delete Secret');
    await window.dialogButton('Delete', /It is used by train in .*\./);
    await account.row('No secrets');
    await window.screen.documents.show(FakeUri.file(file()));
    await new DocumentDriver(window).press('Run Job');
    await window.quick.title('Secret HF_TOKEN of train');
    window.quick.escape();
    await computer().rest();
    window.clearToasts();
  });
});
