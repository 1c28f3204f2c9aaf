import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DocumentDriver } from '../../support/feature/documentDriver';
import { confirmJob, writeJobs } from '../../support/feature/jobDriver';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

const minute = 60_000;

describe('a schedule for idle time while something of ours works on the instance', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;
  const instances = () => window.view('instances');
  const stops = () =>
    computer()
      .simulator.received('PUT', `/api/v0/instances/${id}/`)
      .filter(({ body }) => JSON.stringify(body).includes('stopped')).length;

  before(async () => {
    id = await reachableInstance(computer(), 'trainer');
    await computer().simulator.call('PUT', `/__sim/instances/${id}/`, { gpu_util: 0 });
    window = await computer().openSignedIn();
    await instances().menu('trainer', 'End Later…');
    await window.quick.title('Stop or Destroy trainer Later');
    await window.quick.pick(/Stop When Idle/);
    await window.quick.title(/When/);
    await window.quick.type('15m', { enter: false });
    await window.quick.pick('Idle for 15 min');
    await window.toast(/trainer will be stopped once it has been idle for 15 min/);
    window.clearToasts();
  });

  it('waits for a transfer', async () => {
    const home = path.join(computer().root, 'instances', String(id));
    const file = path.join(computer().workspace, 'weights.bin');
    writeFileSync(file, 'here');
    mkdirSync(home, { recursive: true });
    writeFileSync(path.join(home, 'weights.bin'), 'there');
    window.screen.fileDialogs.push([file]);
    await instances().menu('trainer', 'Upload…');
    await window.quick.pick('Files…');
    await window.quick.message('Target folder');
    await window.quick.enter();
    // The transfer lasts as long as its question.
    await window.dialog('Replace 1 file on trainer?');
    await computer().pass(60 * minute);
    assert.equal(stops(), 0);
    await window.dialogButton('Replace');
    await window.toast('Uploading to trainer: done');
    window.clearToasts();
  });

  it('waits for a job, and no longer', async () => {
    const go = path.join(computer().root, 'go');
    const limits = { hours: 9, costDollars: 90 };
    await writeJobs(window, { train: { run: `until [ -e '${go}' ]; do sleep 0.1; done`, limits } });
    await new DocumentDriver(window).press('Run Job');
    await confirmJob(window, 'Run on trainer, and Keep It');
    await window.view('jobs').row(/train.*running/);
    await computer().pass(2 * minute);
    await instances().row(/trainer.*stops when idle 15 min/);
    writeFileSync(go, '');
    await window.toast(/^train: succeeded/);
    await computer().pass(2 * minute);
    await instances().row(/trainer.*if it stays idle/);
    window.clearToasts();
  });

  it('waits for a copy that the service makes', async () => {
    await computer().rentRunning({ label: 'helper' });
    await instances().titleAction('Refresh');
    await instances().row('helper');
    await instances().menu('trainer', 'Copy Data…');
    await window.quick.pick('helper');
    await window.quick.type('/workspace');
    await window.quick.type('/workspace/copy');
    await window.dialogButton('Copy');
    await window.toast(/began to copy/);
    // Longer than it may stay idle since the job.
    await computer().pass(14 * minute);
    assert.equal(stops(), 0);
    window.clearToasts();
  });
});
