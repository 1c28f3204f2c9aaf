import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { confirmRental, signIn } from '../support/journey';
import { reachableInstance } from '../support/reachableInstance';
import { lastingToasts, useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

const jobs = {
  train: {
    setup: 'echo set up',
    run: [
      'for step in 1 2 3; do echo "step $step"; sleep 1; done',
      'cp data.txt "$GPU_RENTAL_OUTPUTS/model.bin"',
    ],
    outputs: ['outputs/**'],
    limits: { hours: 1, costDollars: 2 },
    machine: 'running',
  },
};

/** The file of a job that is under way is written. */
function isPart(ordered: string, job: string): boolean {
  const model = path.join(ordered, job, 'src', 'outputs', 'model.bin');
  return existsSync(model) && readFileSync(model, 'utf8') === 'part\n';
}

describe('a job on an instance that is there', function () {
  this.bail(true);
  this.timeout(240_000);
  const session = useUiSession('jobs', { patches: lastingToasts });
  let workbench: Workbench;
  let id = 0;
  const local = (...parts: string[]) => path.join(session().root, 'workspace', ...parts);

  before(async () => {
    mkdirSync(local('.vscode'), { recursive: true });
    writeFileSync(local('.vscode', 'gpu-rental.json'), JSON.stringify({ jobs }, undefined, 2));
    writeFileSync(local('data.txt'), 'weights\n');
    id = await reachableInstance(session(), 'trainer');
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.clearNotifications();
  });

  it('shows what is sent, where it runs and where it ends, before it runs', async () => {
    await workbench.run('Run Job…');
    await workbench.quick.waitForTitle('Run train: Confirm');
    await workbench.quick.rows.filter({ hasText: 'Run on trainer, and Keep It' }).waitFor();
    await workbench.shot('01-confirm');
  });

  it('runs to its end, and shows once the result', async () => {
    await confirmRental(workbench);
    await workbench.shot('02-started');
    await workbench.toast(/train: succeeded/, 120_000);
    await workbench.shot('03-succeeded');
    const runs = readdirSync(local('gpu-outputs', 'train'));
    assert.equal(runs.length, 1);
    const model = local('gpu-outputs', 'train', runs[0] ?? '', 'outputs', 'model.bin');
    assert.ok(existsSync(model));
    assert.equal(readFileSync(model, 'utf8'), 'weights\n');
  });

  it('is in the view with its log', async () => {
    await workbench
      .view('Jobs')
      .row(/train.*succeeded/)
      .waitFor();
    await workbench.shot('04-view');
    await workbench.toastButton(/train: succeeded/, 'Show Log');
    await workbench.page.locator('.editor-instance .view-lines', { hasText: 'step 3' }).waitFor();
    await workbench.shot('05-log');
  });

  it('brings its outputs from a machine that was stopped, without starting it', async () => {
    const run = ['echo part >"$GPU_RENTAL_OUTPUTS/model.bin"', 'sleep 1000'];
    writeFileSync(
      local('.vscode', 'gpu-rental.json'),
      JSON.stringify({ jobs: { train: { ...jobs.train, run } } }),
    );
    await workbench.clearNotifications();
    await workbench.run('Run Job…');
    await workbench.quick.waitForTitle('Run train: Confirm');
    await confirmRental(workbench);
    const ordered = path.join(session().root, 'instances', String(id), '.gpu-rental', 'jobs');
    await until('the first outputs', () => readdirSync(ordered).some((job) => isPart(ordered, job)));
    await session().simulator.call('PUT', `/api/v0/instances/${id}/`, { state: 'stopped' });
    await workbench.toastButton(/trainer is stopped/, 'Fetch Outputs of Job', 120_000);
    await workbench.dialog.waitFor();
    await workbench.shot('06-stopped');
    await workbench.dialogButton('Fetch Without Starting');
    await workbench.toast(/train: interrupted/, 120_000);
    await workbench.shot('07-fetched');
    const runs = readdirSync(local('gpu-outputs', 'train')).sort();
    const model = local('gpu-outputs', 'train', runs.at(-1) ?? '', 'outputs', 'model.bin');
    assert.equal(readFileSync(model, 'utf8'), 'part\n');
    assert.equal(session().simulator.world.instance(id)?.intendedStatus, 'stopped');
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
  });
});
