import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rentForJob, reviewJob, writeJob } from '../../support/feature/jobDriver';
import { registerKey } from '../../support/feature/reachable';
import { evenPrices } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';
import { until } from '../../support/until';

describe('outputs of a stopped machine', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let runNumber = 0;
  const instances = () => computer().simulator.world.instances;
  const asked = () => computer().simulator.received('PUT', '/api/v0/commands/rsync/');
  const starts = () =>
    computer()
      .simulator.received('PUT', /^\/api\/v0\/instances\/\d+\/$/)
      .filter(({ body }) => (body as { state?: string }).state === 'running');
  const knownKeys = () =>
    readFileSync(path.join(path.dirname(computer().sshConfig), 'gpu-rental.d', 'known_hosts'), 'utf8');
  const runs = () => path.join(computer().workspace, 'gpu-outputs', 'train');
  const output = (name: string) => path.join(runs(), readdirSync(runs()).sort().at(-1) ?? '', name);

  /** Runs a job until the window is closed, lets it do the rest, and has its machine stopped. */
  async function stopAfter(
    script: string,
    isDone: (folder: string) => boolean,
    outputs: readonly string[] = ['outputs/**'],
  ): Promise<void> {
    runNumber += 1;
    const go = path.join(computer().root, `go${runNumber}`);
    await writeJob(window, { run: `until [ -e ${go} ]; do sleep 0.05; done; ${script}`, outputs });
    window.clearToasts();
    await reviewJob(window);
    await rentForJob(window);
    await window.view('jobs').row(/train.*running/);
    window.close();
    writeFileSync(go, '');
    const id = instances().at(-1)?.id ?? 0;
    const jobs = path.join(computer().root, 'instances', String(id), '.gpu-rental', 'jobs');
    await until(
      'the job',
      () => {
        const [job] = readdirSync(jobs);
        return job !== undefined && isDone(path.join(jobs, job));
      },
      { timeoutMs: 30_000 },
    );
    await computer().simulator.call('PUT', `/api/v0/instances/${id}/`, { state: 'stopped' });
    await computer().pass(2 * 60_000);
    assert.equal(instances().at(-1)?.actualStatus, 'exited');
    window = await computer().openWindow({ isFocused: true });
    await window.toast(/is stopped before the outputs of train were fetched/);
  }

  before(async () => {
    await registerKey(computer());
    await evenPrices(computer());
    window = await computer().openSignedIn();
    window.clearToasts();
  });

  it('are fetched without a start, by their hashes, and the machine ends as was agreed', async () => {
    const script = 'mkdir -p outputs/José; printf model >outputs/model.bin; seq 200000 >outputs/José/log.txt';
    await stopAfter(script, (folder) => existsSync(path.join(folder, 'outputs.list')));
    await window.toastButton(/is stopped before the outputs of train/, 'Fetch Outputs of Job');
    const { text, detail = '' } = await window.dialog();
    assert.match(text, /is stopped\. How should the outputs of train be fetched\?/);
    assert.match(detail, /Without a start, its host sends the files over SSH/);
    assert.match(detail, /Cost once started: \$\S+\/h\./);
    await window.dialogButton('Fetch Without Starting');
    await window.toast(/^train: succeeded after .* for \$/);
    assert.equal(readFileSync(output('outputs/model.bin'), 'utf8'), 'model');
    assert.equal(statSync(output('outputs/José/log.txt')).size, 1_288_895);
    await window.toast(/is destroyed after train/);
    assert.deepEqual([instances().length, starts().length], [0, 0]);
    assert.ok(asked().length > 0);
    const { src_id, ...rest } = asked()[0]?.body as Record<string, unknown>;
    assert.match(String(src_id), /^C\.\d+$/);
    assert.deepEqual(rest, { client_id: 'me', dst_id: null, src_path: '/root/', dst_path: '.' });
  });

  it('are fetched as far as they were written if the machine was stopped in the middle', async () => {
    await stopAfter('mkdir -p outputs; printf part >outputs/model.bin; sleep 1000', (folder) =>
      existsSync(path.join(folder, 'src', 'outputs', 'model.bin')),
    );
    await window.view('jobs').menu(/^train machine is stopped/, 'Fetch Outputs of Job');
    await window.dialogButton('Fetch Without Starting');
    await window.toast(/^train: interrupted by a stop or restart of the machine/);
    assert.equal(readFileSync(output('outputs/model.bin'), 'utf8'), 'part');
    // In our own file alone.
    assert.match(knownKeys(), /^gpu-\S+\.host ssh-ed25519 /m);
    assert.ok(!existsSync(path.join(path.dirname(computer().sshConfig), 'known_hosts')));
    assert.equal(starts().length, 0);
  });

  it('name those with an absolute path, which only a start can fetch, before and after', async () => {
    const model = '/root/model.bin';
    await stopAfter(
      'mkdir -p outputs; printf part >outputs/log.txt; sleep 1000',
      (folder) => existsSync(path.join(folder, 'src', 'outputs', 'log.txt')),
      ['outputs/**', model],
    );
    await window.view('jobs').menu(/^train machine is stopped/, 'Fetch Outputs of Job');
    const { detail = '' } = await window.dialog();
    assert.ok(detail.includes(`Start it to fetch outputs with an absolute path: ${model}\n`), detail);
    await window.dialogButton('Fetch Without Starting');
    await window.toast(/^train: interrupted/);
    await window.toast(
      /^Some outputs of train could not be fetched, so .* is kept\. It still costs \$\S+\/h\. Left out/,
    );
    assert.equal(readFileSync(output('outputs/log.txt'), 'utf8'), 'part');
    const shown = window.toasts().find((one) => one.startsWith('Some outputs')) ?? '';
    assert.ok(shown.includes(`Left out: ${model} (only a start of the instance can fetch it)`), shown);
    await window.toastButton(/^Some outputs of train/, 'Keep Machine of Job');
    await window.toast(/will not be stopped or destroyed by train/);
  });

  it('stay where they are when the host refuses, which is reported with its words, and a start still fetches them', async () => {
    await stopAfter('mkdir -p outputs; printf model >outputs/model.bin', (folder) =>
      existsSync(path.join(folder, 'outputs.list')),
    );
    const keys = new Map(instances().map((instance) => [instance, instance.keys]));
    for (const instance of keys.keys()) {
      instance.keys = [];
    }
    await window.view('jobs').menu(/^train machine is stopped/, 'Fetch Outputs of Job');
    await window.dialogButton('Fetch Without Starting');
    await window.toast(/^Could not fetch the outputs of train yet/);
    const hover = await window.view('jobs').tooltip(/^train.*can't fetch|^train/);
    assert.match(hover, /The host of the instance gave no files away.*Permission denied/s);
    for (const [instance, before] of keys) {
      instance.keys = before;
    }
    await window.view('jobs').menu(/^train outputs not fetched yet/, 'Fetch Outputs of Job');
    await window.dialogButton('Start and Fetch');
    await window.toast(/^train: succeeded/);
    assert.equal(readFileSync(output('outputs/model.bin'), 'utf8'), 'model');
  });
});
