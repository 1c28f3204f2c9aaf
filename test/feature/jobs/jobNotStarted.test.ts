import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openWithJobs, runJob } from '../../support/feature/jobDriver';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

for (const failure of ['keep', 'stop'] as const) {
  describe(`a job that did not start before its machine was stopped (${failure} after failure)`, () => {
    const computer = useComputer({ simulator: { sshServer: true } });
    let window: FeatureWindow;
    let id: number;

    before(async () => {
      id = await reachableInstance(computer(), 'trainer');
      const own = path.join(computer().root, 'instances', String(id), '.gpu-rental');
      mkdirSync(own, { recursive: true });
      writeFileSync(path.join(own, 'starts'), 'no folder, so that no job can start');
      window = await openWithJobs(computer(), { train: { run: 'sleep 1000', whenDone: { failure } } });
    });

    it('leaves it open whether it started, and shows what happens after the fetch', async () => {
      await runJob(window, failure === 'keep' ? /Run on trainer/ : /Run on trainer, and Stop It/);
      await window.toast(/^Could not start train on trainer yet/);
      await computer().simulator.call('PUT', `/api/v0/instances/${id}/`, { state: 'stopped' });
      await window.toastButton(
        /^trainer is stopped, and it is unknown whether train started there/,
        'Fetch Outputs of Job',
      );
      const { detail = '' } = await window.dialog();
      assert.match(detail, failure === 'keep' ? /After the fetch: keep it/ : /failure: stop it/);
    });

    it('shows that there are no outputs, and what becomes of the machine that was started for them', async () => {
      await window.dialogButton('Start and Fetch');
      const start =
        'train was not started on trainer. Its machine was stopped before, so there are no outputs.';
      const { text, buttons } = await window.toast(/^train was not started on trainer/);
      if (failure === 'keep') {
        assert.match(text, /\. trainer was left as it is and costs \$\S+\/h\.$/);
        assert.ok(text.startsWith(start), text);
        assert.deepEqual(buttons, ['Run Job Again…', 'Show Instance']);
      } else {
        assert.equal(text, start);
        await window.toast(/^trainer is stopped after train/);
      }
      const isLeft = computer().simulator.world.instance(id)?.intendedStatus;
      assert.equal(isLeft, failure === 'keep' ? 'running' : 'stopped');
    });
  });
}
