import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rentForJob, reviewJob, writeJob } from '../../support/feature/jobDriver';
import { registerKey } from '../../support/feature/reachable';
import { evenPrices } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('the machine of a job that is kept after all', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  const destroyed = () => computer().simulator.received('DELETE', /^\/api\/v0\/instances\//).length;

  before(async () => {
    await registerKey(computer());
    await evenPrices(computer());
    window = await computer().openSignedIn();
    window.clearToasts();
  });

  /** Starts a job that ends once it is let go, and lets it go after the question about its machine was answered. */
  async function runAndAnswer(name: string, button: string): Promise<void> {
    const go = path.join(computer().root, name);
    const output = 'mkdir -p outputs; echo model >outputs/model.bin';
    await writeJob(window, { run: `while [ ! -e ${go} ]; do sleep 0.1; done; ${output}` });
    await reviewJob(window);
    await rentForJob(window);
    await window.view('jobs').row(/train.*running/);
    window.start('gpuRental.job.keepMachine');
    const { detail } = await window.dialog(/^Keep “.*” after “train”\?/);
    assert.match(detail ?? '', /costs money until you stop or destroy it/);
    await window.dialogButton(button);
    writeFileSync(go, '');
    await window.toast(/^train: succeeded/);
  }

  it('ends with the job as was agreed where the question is not answered with yes', async () => {
    await runAndAnswer('first', 'Not Now');
    await window.toast(/is destroyed after train/);
    assert.equal(destroyed(), 1);
    window.clearToasts();
  });

  it('stays after a yes, and is shown to cost money', async () => {
    await runAndAnswer('second', 'Keep Machine of Job');
    await window.toast(/will not be stopped or destroyed by train\. It still costs money/);
    await computer().pass(10 * 60_000);
    assert.equal(destroyed(), 1);
    assert.equal(computer().simulator.world.instances.length, 1);
    window.clearToasts();
  });

  it('is asked for the outputs again where they are gone from this computer', async () => {
    const output = 'mkdir -p outputs; echo model >outputs/model.bin';
    await writeJob(window, { run: output, whenDone: { success: 'destroy', keepMinutes: 60 } });
    await reviewJob(window);
    await rentForJob(window);
    await window.toast(/^train: succeeded/);
    await window.toast(/will be destroyed at/);
    const runs = path.join(computer().workspace, 'gpu-outputs', 'train');
    const folder = path.join(runs, readdirSync(runs).sort().at(-1) ?? '');
    rmSync(folder, { recursive: true });
    await window.view('jobs').menu(/train.*machine about to end/, 'Open Outputs of Job');
    const { buttons } = await window.toast(/isn’t there\. The outputs of train were moved or deleted\./);
    assert.deepEqual(buttons, ['Fetch Outputs of Job', 'Keep Machine of Job']);
    await window.toastButton(/isn’t there/, 'Fetch Outputs of Job');
    await computer().until('the outputs', () => existsSync(path.join(folder, 'outputs', 'model.bin')));
    await window.view('jobs').row(/train.*machine about to end/);
    assert.equal(destroyed(), 1);
    await computer().pass(61 * 60_000);
    await window.toast(/is destroyed after train/);
    window.clearToasts();
  });

  it('is no button of a message that an agent could press: a dialog follows while agents are let in', async () => {
    await writeJob(window, { run: 'true' });
    await reviewJob(window);
    await rentForJob(window);
    await window.toast(/^No outputs of train were found, so .* is kept\. It still costs \$\S+\/h\.$/);
    computer().settings.set('gpuRental.agents.access', 'ask');
    await window.dialogButton('Not Now');
    await window.toastButton(/^No outputs of train/, 'Keep Machine of Job');
    const { detail } = await window.dialog(/^Keep “.*” after “train”\?/);
    assert.match(detail ?? '', /agents have access/);
    await window.dialogButton('Keep Machine of Job');
    await window.toast(/will not be stopped or destroyed by train/);
    window.clearToasts();
  });
});
