import assert from 'node:assert/strict';
import { signIn } from '../support/journey';
import { clickRow } from '../support/press';
import { rentRunning } from '../support/rentRunning';
import { lastingToasts, useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('living with instances', function () {
  this.timeout(240_000);
  const session = useUiSession('lifecycle', {
    simulator: { speed: 20, sshServer: true },
    patches: lastingToasts,
  });
  let workbench: Workbench;
  let first: number;
  let second: number;
  const instances = () => workbench.view('Instances');
  const row = (name: string | RegExp) => instances().row(name);
  const puts = (id: number) => session().simulator.received('PUT', `/api/v0/instances/${id}/`);

  before(async () => {
    const { simulator } = session();
    first = await rentRunning(simulator, { label: 'trainer' });
    second = await rentRunning(simulator, { label: 'helper' });
    workbench = await session().window();
    await signIn(session(), workbench);
    await row('trainer').waitFor();
    await workbench.clearNotifications();
  });

  it('shows in the status bar what is running, what it costs and how long the credit lasts', async () => {
    const text = await until('the status bar', async () => {
      const shown = await workbench.statusText('gpuRental.status').catch(() => '');
      // Until the volumes are read it is at least so much.
      return /credit for/.test(shown) && !shown.includes('≥') ? shown : undefined;
    });
    assert.match(text, /2 running · \$\d+\.\d+\/h · credit for ./);
    await workbench.shot('01-status-bar');
  });

  it('asks before a stop, shows what still costs money, and stops', async () => {
    await instances().contextMenu(row('trainer'), /^Stop…$/);
    await workbench.dialog.waitFor();
    const said = await workbench.dialog.innerText();
    assert.match(said, /still costs \$\d+\.\d+\/day/);
    assert.match(said, /If another user then rents the GPU/);
    await workbench.shot('02-stop');
    assert.deepEqual(puts(first), []);
    await workbench.dialogButton('Stop');
    await workbench.toast(/Storage still costs/);
    await workbench.shot('03-stopping');
    await row('trainer').filter({ hasText: 'Stopped' }).waitFor({ timeout: 60_000 });
    assert.deepEqual(
      puts(first).map(({ body }) => body),
      [{ state: 'stopped' }],
    );
    await workbench.shot('04-stopped');
  });

  it('destroys several at once, after one question that names them, and reads back', async () => {
    await workbench.clearNotifications();
    const isSelected = async (name: string) => (await row(name).getAttribute('aria-selected')) === 'true';
    await until('both rows to be selected', async () => {
      await clickRow(workbench.page, row('trainer'));
      await clickRow(workbench.page, row('helper'), { modifiers: ['ControlOrMeta'] });
      return (await isSelected('trainer')) && (await isSelected('helper'));
    });
    await instances().contextMenu(row('helper'), /^Destroy…$/);
    await workbench.dialog.waitFor();
    const said = await workbench.dialog.innerText();
    assert.match(said, /trainer/);
    assert.match(said, /helper/);
    assert.match(said, /lost for good/);
    await workbench.shot('09-destroy');
    await workbench.dialogButton('Destroy');
    await workbench.toast(/Destroyed, and no longer listed by the service: /, 60_000);
    assert.deepEqual(session().simulator.world.instances, []);
    for (const [id, times] of [
      [first, 1],
      [second, 1],
    ]) {
      assert.equal(session().simulator.received('DELETE', `/api/v0/instances/${id}/`).length, times);
      assert.ok(session().simulator.received('GET', `/api/v0/instances/${id}/`).length >= 1);
    }
    await until('the empty list', async () => (await row('trainer').count()) === 0);
    await workbench.shot('10-gone');
  });
});
