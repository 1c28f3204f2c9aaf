import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { DocumentDriver } from '../../support/feature/documentDriver';
import { confirmJob, jobsOnDisk, writeJobs } from '../../support/feature/jobDriver';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('jobs that have ended', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;
  const limits = { hours: 1, costDollars: 5 };
  const onMachine = () =>
    readdirSync(path.join(computer().root, 'instances', String(id), '.gpu-rental', 'jobs')).length;

  before(async () => {
    id = await reachableInstance(computer(), 'trainer');
    window = await computer().openSignedIn();
    await window.view('instances').row('trainer');
    const matrix = { LR: ['0.1', '0.01', '0.001'] };
    // A name on which Git acts is not fetched.
    const odd = 'if [ "$LR" = 0.01 ]; then mkdir outputs/.git; echo x >outputs/.git/config; fi';
    await writeJobs(window, { sweep: { run: `echo "$LR" >outputs/lr; ${odd}`, limits, matrix } });
    await new DocumentDriver(window).press('Run Job');
    await confirmJob(window, 'Run on trainer, and Keep It');
    await window.toast(/^sweep LR=0\.1: succeeded/);
    await window.toast(/^sweep LR=0\.01: succeeded/);
    await window.toast(/^sweep LR=0\.001: succeeded/);
    await writeJobs(window, { train: { run: 'sleep 600', limits, outputs: [] } });
    await new DocumentDriver(window).press('Run Job');
    await confirmJob(window, 'Run on trainer, and Keep It');
    await window.view('jobs').row(/train.*running/);
    window.clearToasts();
  });

  it('stay where the question is declined', async () => {
    await window.view('jobs').menu('Finished', 'Forget…');
    const { detail } = await window.dialog('Forget 3 finished jobs?');
    assert.deepEqual(detail?.split('\n'), [
      'Logs are removed from this computer. The fetched outputs stay.',
      'Outputs on machines can no longer be fetched. Some may exist only there: sweep LR=0.01.',
    ]);
    await window.dialogButton('Cancel');
    await computer().pass(1000);
    assert.equal(jobsOnDisk(computer()).length, 4);
  });

  it('are forgotten together, with their folders, but not one that works again by then, or that runs', async () => {
    const jobs = window.view('jobs');
    assert.equal(onMachine(), 4);
    await window.view('jobs').menu('Finished', 'Forget…');
    await window.dialog('Forget 3 finished jobs?');
    // The fetch waits for the machine.
    window.fate.onDeed = ({ kind, args }, when) => {
      if (kind === 'program' && when === 'before' && JSON.stringify(args).includes('gpu-')) {
        throw new Error('Connection timed out');
      }
    };
    await jobs.menu(/^sweep LR=0\.1 /, 'Fetch Outputs of Job');
    await computer().until('the fetch', () =>
      jobsOnDisk(computer()).some((state) => state !== undefined && state.phase !== 'over' && state.reopened),
    );
    window.fate.onDeed = undefined;
    await window.dialogButton('Forget');
    await jobs.noRow(/^sweep LR=0\.0/);
    await window.toast(/^Fetched the outputs of sweep LR=0\.1 again/);
    await computer().until('their folders to go', () => onMachine() === 2);
    await jobs.row(/^sweep LR=0\.1 /);
    await jobs.row(/train.*running/);
    assert.equal(readdirSync(path.join(computer().workspace, 'gpu-outputs')).length, 3);
    window.clearToasts();
  });

  it('are named where there is only one', async () => {
    window.start('gpuRental.job.forget');
    await window.dialogButton('Forget', 'Forget “sweep LR=0.1”?');
    await computer().until('its folder to go', () => onMachine() === 1);
    assert.equal(jobsOnDisk(computer()).length, 1);
  });

  it('are none while all run, which is shown', async () => {
    window.start('gpuRental.job.forget');
    await window.toast('No job is in the right state for “Forget”.');
  });
});
