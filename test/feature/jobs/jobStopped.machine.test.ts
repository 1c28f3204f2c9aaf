import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openWithJobs } from '../../support/feature/jobDriver';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('a job whose machine is stopped', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;
  const instance = () => computer().simulator.world.instance(id);

  before(async () => {
    id = await reachableInstance(computer(), 'trainer');
    const train = {
      run: [
        'mkdir -p outputs',
        'if [ "$GPU_RENTAL_ATTEMPT" != 1 ]; then printf whole >outputs/model.bin; exit 0; fi',
        'printf part >outputs/model.bin',
        'if [ -e restarted ]; then touch "$(cat restarted)"; fi',
        'sleep 1000',
      ],
      retries: { interrupted: 2 },
    };
    window = await openWithJobs(computer(), { train });
  });

  it('is reported once, with what is missing and what it still costs', async () => {
    window.run('Run Job…');
    await window.quick.title('Run train: Confirm');
    const rows = window.quick.rows().join('\n');
    assert.match(rows, /Runs again after.*interrupted: 2; \$5\S* at most for all attempts/);
    await computer().pass(1000);
    await window.quick.pick(/Run on trainer/);
    await window.view('jobs').row(/train.*running/);
    await computer().simulator.call('PUT', `/api/v0/instances/${id}/`, { state: 'stopped' });
    await window.toast(/trainer is stopped before the outputs of train were fetched/);
    await window.view('jobs').row(/train.*machine is stopped/);
  });

  it('starts the machine only for who saw its price', async () => {
    await window.toastButton(/trainer is stopped/, 'Fetch Outputs of Job');
    assert.match(
      (await window.dialog()).detail ?? '',
      /Cost once started: \$\S+\/h[^]*After the fetch: keep it \(it still costs money\)/,
    );
    await window.dialogButton('Cancel');
    await computer().rest();
    assert.equal(instance()?.intendedStatus, 'stopped');
  });

  it('fetches what is there, and keeps the machine as was confirmed', async () => {
    window.run('Fetch Outputs of Job');
    assert.match((await window.dialog()).detail ?? '', /allows the job to run again there/);
    await window.dialogButton('Start and Fetch');
    await window.toast(/^train: /);
    const runs = path.join(computer().workspace, 'gpu-outputs', 'train');
    const [run = ''] = readdirSync(runs);
    assert.equal(readFileSync(path.join(runs, run, 'outputs', 'model.bin'), 'utf8'), 'part');
    await window.view('jobs').row(/train.*interrupted by a stop or restart of the machine/);
    assert.equal(instance()?.intendedStatus, 'running');
  });

  it('runs again there where that was chosen, and brings back what the second attempt wrote', async () => {
    const isUp = path.join(computer().storage, 'up');
    writeFileSync(path.join(computer().workspace, 'restarted'), isUp);
    window.clearToasts();
    window.run('Run Job…');
    await window.view('jobs').row(/train.*running/);
    await computer().until('the first attempt', () => existsSync(isUp));
    await computer().simulator.call('PUT', `/api/v0/instances/${id}/`, { state: 'stopped' });
    await window.toastButton(/trainer is stopped/, 'Fetch Outputs of Job');
    await window.dialogButton('Start and Run Again');
    await window.toast(/train runs again \(attempt 2\): its machine was interrupted/);
    await window.toast(/^train: succeeded/);
    const runs = path.join(computer().workspace, 'gpu-outputs', 'train');
    const models = readdirSync(runs).map((run) =>
      readFileSync(path.join(runs, run, 'outputs', 'model.bin'), 'utf8'),
    );
    assert.deepEqual(models.sort(), ['part', 'whole']);
    await window.view('jobs').row(/train.*succeeded/);
  });

  it('names each attempt below its row, with its machine and why another followed', async () => {
    const jobs = window.view('jobs');
    await jobs.expand(/^train.*succeeded/);
    await jobs.row(/^Attempts.*1 on trainer: its machine was interrupted, 2 now$/);
  });

  it('is forgotten with the folders of all its attempts', async () => {
    const folder = path.join(computer().root, 'instances', String(id), '.gpu-rental', 'jobs');
    const attempts = () =>
      readdirSync(folder)
        .map((name) => name.slice(16))
        .sort();
    assert.deepEqual(attempts(), ['01', '01', '02']);
    await window.view('jobs').menu(/^train.*succeeded/, 'Forget…');
    await window.dialogButton('Forget');
    await computer().until('its folders to go', () => attempts().length === 1);
  });
});
