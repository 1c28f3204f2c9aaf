import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openWithJobs, runJob } from '../../support/feature/jobDriver';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('a job that another computer ordered', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;
  const foreign = 'feedfacefeedface01';
  const instance = () => computer().simulator.world.instance(id);
  const folder = () => path.join(computer().root, 'instances', String(id), '.gpu-rental', 'jobs', foreign);

  before(async () => {
    id = await reachableInstance(computer(), 'trainer');
    mkdirSync(path.join(folder(), 'lock', 'started'), { recursive: true });
    writeFileSync(path.join(folder(), 'spec'), `{"id":"${foreign}","name":"eval","attempt":1}\n`);
    writeFileSync(path.join(folder(), 'phase'), 'ended\n');
    const train = { run: 'echo model >outputs/model.bin', whenDone: { success: 'destroy' } };
    window = await openWithJobs(computer(), { train });
  });

  it('keeps the machine that a job here was to destroy, and is shown with nothing to press', async () => {
    await runJob(window, /Run on trainer, and Destroy It/);
    await window.dialogButton('Run and Destroy');
    const { buttons } = await window.toast(
      /^trainer is kept after train\. It still costs \$\S+\/h\. The outputs of the job eval of another computer were not fetched\.$/,
    );
    assert.deepEqual(buttons, ['Release Machine of Job…', 'Keep Machine of Job']);
    const jobs = window.view('jobs');
    await jobs.row(/train.*machine kept for jobs of another computer/);
    await jobs.expand(/^train/);
    await jobs.row(/Jobs of Other Computers.*eval: outputs not fetched/);
    assert.ok(existsSync(folder()) && instance() !== undefined);
  });

  it('is named before the instance is destroyed by hand', async () => {
    await window.view('instances').menu('trainer', 'Destroy…');
    assert.match(
      (await window.dialog('trainer')).detail ?? '',
      /⚠ The outputs of the job eval of another computer were not fetched\./,
    );
    await window.dialogButton('Cancel');
  });

  it('ends with the machine only at the request of the user, who sees its name', async () => {
    await window.toastButton(/^trainer is kept after train/, 'Release Machine of Job…');
    assert.match(
      (await window.dialog('What should happen to “trainer”?')).detail ?? '',
      /^⚠ The outputs of the job eval of another computer were not fetched\./,
    );
    await window.dialogButton('Destroy');
    await window.toast(/^trainer is destroyed after train/);
    assert.equal(instance(), undefined);
  });
});
