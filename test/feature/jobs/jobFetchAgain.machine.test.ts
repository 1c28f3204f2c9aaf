import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { areJobsOver, rentForJob, reviewJob, writeJob } from '../../support/feature/jobDriver';
import { registerKey } from '../../support/feature/reachable';
import { evenPrices } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('outputs of a job that is over', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  const instances = () => computer().simulator.world.instances;
  const ends = () => computer().simulator.received('DELETE', /^\/api\/v0\/instances\//).length;
  const starts = () => readFileSync(path.join(computer().root, 'runs'), 'utf8').length;
  const folder = () => {
    const runs = path.join(computer().workspace, 'gpu-outputs', 'train');
    return path.join(runs, readdirSync(runs).sort().at(-1) ?? '');
  };
  const model = () => path.join(folder(), 'outputs', 'model.bin');

  before(async () => {
    await registerKey(computer());
    await evenPrices(computer());
    window = await computer().openSignedIn();
    window.clearToasts();
  });

  async function run(end: 'keep' | 'stop'): Promise<void> {
    rmSync(path.join(computer().root, 'runs'), { force: true });
    const script = `printf x >>${path.join(computer().root, 'runs')}; mkdir -p outputs; echo model >outputs/model.bin`;
    await writeJob(window, { run: script, whenDone: { success: end, keepMinutes: 0 } });
    await reviewJob(window);
    await rentForJob(window);
    await window.toast(/^train: succeeded/);
    await computer().until('the end of the job', () => areJobsOver(computer()), { withinMs: 60_000 });
    window.clearToasts();
  }

  it('are fetched again from a machine that was kept, which stays as it is', async () => {
    await run('keep');
    const first = folder();
    rmSync(first, { recursive: true });
    await window.view('jobs').menu(/^train.*succeeded/, 'Fetch Outputs of Job');
    await window.toast(/^Fetched the outputs of train again\. .* was left as it is\.$/);
    assert.equal(readFileSync(model(), 'utf8'), 'model\n');
    await computer().pass(10 * 60_000);
    assert.deepEqual([starts(), ends(), instances().length], [1, 0, 1]);
    assert.equal(instances()[0]?.intendedStatus, 'running');
    await window.view('jobs').row(/^train.*succeeded ·/);
  });

  it('are not offered once the machine is gone', async () => {
    for (const { id } of instances()) {
      await computer().simulator.call('DELETE', `/api/v0/instances/${id}/`);
    }
    await computer().pass(2 * 60_000);
    assert.ok(!(await window.view('jobs').menuTexts(/^train/)).includes('Fetch Outputs of Job'));
    window.run('Fetch Outputs of Job');
    await window.toast('No job is in the right state for “Fetch Outputs of Job”.');
    window.clearToasts();
  });

  it('are fetched from a machine that was stopped, which is started at its price and stopped again', async () => {
    await run('stop');
    const before = ends();
    assert.equal(instances()[0]?.intendedStatus, 'stopped');
    rmSync(folder(), { recursive: true });
    window.run('Fetch Outputs of Job');
    const { detail = '' } = await window.dialog(/is stopped\. How should the outputs of train be fetched\?/);
    assert.match(detail, /Cost once started: \$\S+\/h\..*After the fetch: stop it/s);
    await window.dialogButton('Start and Fetch');
    await computer().until('the outputs', () => existsSync(model()), { withinMs: 10 * 60_000 });
    await window.toast(/is stopped after train\. Storage still costs money\./);
    assert.deepEqual([starts(), ends(), instances()[0]?.intendedStatus], [1, before, 'stopped']);
    window.clearToasts();
  });

  it('are offered the same way if the service does not state that the machine is meant to be stopped', async () => {
    const { simulator } = computer();
    const { json } = await simulator.call('GET', '/api/v1/instances/');
    const listed = (json.instances as readonly Record<string, unknown>[]).map((record) => ({
      ...record,
      ...{ intended_status: null, label: 'silent' },
    }));
    simulator.fail({
      ...{ kind: 'answer', method: 'GET', path: '/api/v1/instances/', times: 0, status: 200 },
      body: { ...json, instances: listed },
    });
    window.run('Refresh');
    await window.view('instances').row('silent');
    window.run('Fetch Outputs of Job');
    await window.dialogButton('Cancel', /is stopped\. How should the outputs of train be fetched\?/);
    simulator.faults.clear();
    window.run('Refresh');
    await window.view('instances').noRow('silent');
  });

  it('are not fetched, and nothing is started, if the account is switched during the question', async () => {
    const { json } = await computer().simulator.call('POST', '/__sim/accounts/', { credit: 10 });
    const other = await computer().openWindow({ isFocused: false });
    rmSync(folder(), { recursive: true });
    window.run('Fetch Outputs of Job');
    await window.dialog(/is stopped\. How should the outputs of train be fetched\?/);
    await other.signIn((json as { key: string }).key);
    await computer().rest();
    const writes = () => computer().simulator.received('PUT').length;
    const before = writes();
    await window.dialogButton('Start and Fetch');
    await window.toast(/done because the account was switched/);
    await computer().pass(10 * 60_000);
    assert.deepEqual(
      [writes(), instances()[0]?.intendedStatus, areJobsOver(computer())],
      [before, 'stopped', true],
    );
    for (const each of [window, other]) {
      each.clearToasts();
    }
  });
});
