import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DocumentDriver } from '../../support/feature/documentDriver';
import { confirmJob, writeJobs } from '../../support/feature/jobDriver';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('jobs on an instance, one after the other', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;
  const limits = { hours: 1, costDollars: 5 };
  const destroys = () => computer().simulator.received('DELETE', `/api/v0/instances/${id}/`).length;

  before(async () => {
    id = await reachableInstance(computer(), 'trainer');
    window = await computer().openSignedIn();
    await window.view('instances').row('trainer');
    window.clearToasts();
    const train = 'mkdir -p outputs; echo "epoch 1"; printf model >outputs/model.bin\n';
    writeFileSync(path.join(computer().workspace, 'train.sh'), train);
  });

  it('are stopped by a word, and a killed window does not matter', async () => {
    await writeJobs(window, { train: { run: 'echo begun; sleep 600', limits, outputs: [] } });
    await new DocumentDriver(window).press('Run Job');
    await confirmJob(window, 'Run on trainer, and Keep It');
    await window.view('jobs').row(/train.*running/);
    window.kill();
    window = await computer().openWindow({ isFocused: true });
    await window.view('jobs').row(/train · ?.*running|running/);
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

  it('run each combination of a matrix in turn, with one confirmation and a folder of its own', async () => {
    const matrix = { LR: ['0.1', '0.01'] };
    await writeJobs(window, { sweep: { run: 'echo "$LR" >outputs/lr', limits, matrix } });
    await new DocumentDriver(window).press('Run Job');
    await window.quick.title('Run sweep: Confirm');
    assert.match(
      window.quick.rows().join('\n'),
      /2 jobs on trainer, \$5\.00 at most for all of them, without traffic/,
    );
    await confirmJob(window, 'Run on trainer, and Keep It');
    await window.toast(/^sweep LR=0\.1: succeeded/);
    await window.toast(/^sweep LR=0\.01: succeeded/);
    for (const lr of matrix.LR) {
      const folder = path.join(computer().workspace, 'gpu-outputs', `sweep LR=${lr}`);
      const [start = ''] = readdirSync(folder);
      assert.equal(readFileSync(path.join(folder, start, 'outputs', 'lr'), 'utf8'), `${lr}\n`);
    }
    window.clearToasts();
  });

  it('destroy the machine only if that was chosen and confirmed by name', async () => {
    await writeJobs(window, { train: { run: 'sh train.sh', limits, whenDone: { success: 'destroy' } } });
    await new DocumentDriver(window).press('Run Job');
    await confirmJob(window, 'Run on trainer, and Destroy It as the File Says');
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
