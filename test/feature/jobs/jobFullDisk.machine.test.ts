import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { openWithJobs, runJob } from '../../support/feature/jobDriver';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

for (const [what, changes] of [
  ['before its folder is there', ['mkdir', 'open', 'writeFile', 'copyFile']],
  ['in the middle of a file', ['open', 'writeFile', 'copyFile']],
] as const) {
  describe(`a job whose outputs find the disk of this computer full ${what}`, () => {
    const computer = useComputer({ simulator: { sshServer: true } });
    let window: FeatureWindow;
    let id: number;
    const outputs = () => path.join(computer().workspace, 'gpu-outputs');
    const destroys = () => computer().simulator.received('DELETE', `/api/v0/instances/${id}/`).length;

    function fill(isFull: boolean): void {
      window.fate.onDeed = isFull
        ? ({ kind, name, args }, when) => {
            const isWrite =
              kind === 'disk' && when === 'before' && (changes as readonly string[]).includes(name);
            if (isWrite && String(args[0]).startsWith(outputs()) && args[1] !== 'r') {
              throw Object.assign(new Error(`ENOSPC: no space left on device, ${name}`), { code: 'ENOSPC' });
            }
          }
        : undefined;
    }

    before(async () => {
      id = await reachableInstance(computer(), 'trainer');
      const train = {
        run: 'mkdir -p outputs; printf model >outputs/model.bin; head -c 70000 /dev/zero >outputs/zeros',
        whenDone: { success: 'destroy' },
      };
      window = await openWithJobs(computer(), { train });
    });

    it('reports that with the remedy, once, and destroys nothing', async () => {
      fill(true);
      await runJob(window, /Run on trainer, and Destroy It/);
      await window.dialogButton('Run and Destroy');
      const { buttons } = await window.toast(
        /^Could not fetch the outputs of train yet, so trainer is kept\. It still costs \$\S+\/h\. The disk of this computer is full\. Free some space on it\. Retrying…$/,
      );
      assert.deepEqual(buttons, ['Retry']);
      await computer().pass(20 * 60_000);
      assert.equal(window.toasts().length, 1, window.toasts().join('\n'));
      assert.equal(destroys(), 0);
      assert.ok(computer().simulator.world.instance(id));
      await window.view('jobs').row(/train.*outputs not fetched yet/);
    });

    it('brings them whole by Fetch Outputs once there is room, and only then destroys', async () => {
      fill(false);
      window.run('Fetch Outputs of Job');
      await window.toast(/^train: succeeded after .* for \$/);
      await window.toast(/^trainer is destroyed after train/);
      const [run = ''] = readdirSync(path.join(outputs(), 'train'));
      const folder = path.join(outputs(), 'train', run, 'outputs');
      assert.equal(readFileSync(path.join(folder, 'model.bin'), 'utf8'), 'model');
      assert.equal(readFileSync(path.join(folder, 'zeros')).length, 70_000);
      assert.deepEqual(readdirSync(folder).sort(), ['model.bin', 'zeros']);
      assert.equal(destroys(), 1);
    });
  });
}
