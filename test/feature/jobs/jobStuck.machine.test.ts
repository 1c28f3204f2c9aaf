import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openWithJobs, runJob } from '../../support/feature/jobDriver';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('a job that does not get on while its machine costs money', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;
  const sent = () => path.join(computer().root, 'instances', String(id), '.gpu-rental', 'mirrors');
  const toasts = (pattern: RegExp) => window.toasts().filter((one) => pattern.test(one));

  before(async () => {
    id = await reachableInstance(computer(), 'trainer');
    writeFileSync(path.join(computer().workspace, 'train.py'), 'print()');
    window = await openWithJobs(computer(), { train: { run: 'sleep 1000' } });
  });

  it('is reported once if its files can’t be sent, with the cause, the price and a remedy', async () => {
    mkdirSync(path.dirname(sent()), { recursive: true });
    writeFileSync(sent(), 'no folder');
    await runJob(window, /Run on trainer/);
    await computer().pass(5 * 60_000);
    const { buttons } = await window.toast(
      /^Could not send the files of train to trainer yet\. It still costs \$\S+\/h\. .+ Retrying…$/,
    );
    assert.deepEqual(buttons, ['Retry', 'Stop Job', 'Show Instance']);
    await computer().pass(30 * 60_000);
    assert.equal(toasts(/Could not send/).length, 1, window.toasts().join('\n'));
  });

  it('is retried at once at the word of the user', async () => {
    rmSync(sent());
    window.start('gpuRental.job.retry');
    await window.view('jobs').row(/train.*running/);
  });

  it('has no outputs to open yet, as its row and the command show', async () => {
    await window.view('jobs').expand(/^train/);
    await window.view('jobs').row(/^Outputs.*not fetched yet$/);
    window.start('gpuRental.job.openOutputs');
    await window.toast('No job is in the right state for “Open Outputs of Job”.');
  });

  it('is reported once if the disk of this computer refuses its progress, and continues once there is room', async () => {
    const isProgress = (name: string) => /jobs.*(?:state\.json|\.log)/.test(name);
    window.fate.onDeed = ({ kind, name, args }, when) => {
      const isOpen = kind === 'disk' && when === 'before' && name === 'open';
      if (isOpen && args[1] !== 'r' && isProgress(String(args[0]))) {
        throw Object.assign(new Error('ENOSPC: no space left on device, open'), { code: 'ENOSPC' });
      }
    };
    window.clearToasts();
    await computer().pass(10 * 60_000);
    const { buttons } = await window.toast(
      /^Could not save the progress of train on this computer, so it is not followed on trainer\. It still costs \$\S+\/h\. The disk of this computer is full\. Free some space on it\. Retrying…$/,
    );
    assert.deepEqual(buttons, ['Retry', 'Stop Job', 'Show Instance']);
    await window.view('jobs').row(/train.*not saved on this computer, retrying/);
    await computer().pass(20 * 60_000);
    assert.equal(toasts(/Could not save/).length, 1, window.toasts().join('\n'));
    window.fate.onDeed = undefined;
    await computer().pass(60_000);
    await window.view('jobs').row(/train.*running/);
  });

  it('leaves its machine to the user where that does not answer after the job was stopped', async () => {
    const destroys = () => computer().simulator.received('DELETE', `/api/v0/instances/${id}/`).length;
    window.fate.onDeed = ({ kind, args }, when) => {
      if (kind === 'program' && when === 'before' && JSON.stringify(args).includes(`gpu-`)) {
        throw new Error('Connection timed out');
      }
    };
    window.clearToasts();
    window.run('Stop Job…');
    await window.dialogButton('Stop Job');
    await computer().pass(15 * 60_000);
    const { buttons } = await window.toast(
      /^trainer has not answered for .+, and train may still run there\./,
    );
    assert.deepEqual(buttons, ['Retry', 'Release Machine of Job…', 'Show Instance']);
    await window.view('jobs').menu(/^train.*machine unreachable/, 'Release Machine of Job…');
    const { detail } = await window.dialog('What should happen to “trainer”?');
    assert.equal(
      detail,
      'It does not answer, so train may still run there. If you destroy it, all data on it is lost, including the outputs of train.',
    );
    assert.equal(destroys(), 0);
    await window.dialogButton('Destroy');
    await window.toast(/^trainer is destroyed after train/);
    await window.view('jobs').row(/^train.*canceled/);
    assert.equal(destroys(), 1);
    window.fate.onDeed = undefined;
  });
});
