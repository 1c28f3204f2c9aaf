import assert from 'node:assert/strict';
import { signIn } from '../support/journey';
import { runningInstance } from '../support/reachableInstance';
import { lastingToasts, useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

const warnings = { 'gpuRental.warn.idleHours': 0.002, 'gpuRental.warn.stoppedDays': 0.0001 };

describe('warnings', function () {
  this.timeout(300_000);
  const session = useUiSession('warnings', {
    simulator: { speed: 20 },
    settings: warnings,
    patches: lastingToasts,
  });
  let workbench: Workbench;
  let id: number;
  let increase: number;
  const row = () => workbench.view('Instances').row('trainer');
  const received = (method: string, path: RegExp) => session().simulator.received(method, path);

  /** Reads everything anew until a message is there. */
  async function told(text: RegExp): Promise<void> {
    await until(
      String(text),
      async () => {
        await workbench.run('Refresh');
        return workbench.toast(text, 5000).then(
          () => true,
          () => false,
        );
      },
      { timeoutMs: 90_000, everyMs: 1000 },
    );
  }

  before(async () => {
    const { simulator } = session();
    id = await runningInstance(simulator, 'trainer');
    await simulator.call('PUT', '/__sim/credit/', { credit: 500 });
    const answer = await simulator.call('POST', '/__sim/price-increases/', {
      instance_id: id,
      new_price: 20,
    });
    increase = answer.json.increase.id;
    workbench = await session().window();
    await signIn(session(), workbench);
    await row().waitFor();
  });

  it('name a higher price with the old one, and accept it only after a question', async () => {
    await workbench.toast(/host of trainer asks for a higher price: \$\d+\.\d+\/h now, \$20\.00\/h then/);
    await workbench.shot('01-price');
    await workbench.toastButton(/asks for a higher price/, 'Accept…');
    await workbench.dialog.waitFor();
    const said = await workbench.dialog.innerText();
    assert.match(said, /\$20\.00\/h then/);
    assert.match(said, /a day more while it runs/);
    await workbench.shot('02-accept');
    assert.equal(received('PUT', /price-increase/).length, 0);
    await workbench.dialogButton('Accept');
    await workbench.toast(/The price of trainer rises to \$20\.00\/h/);
    assert.deepEqual(
      received('PUT', /accept-price-increase/).map(({ body }) => body),
      [{ pending_price_increase_id: increase }],
    );
    await until('the new price', async () => /\$20\.\d+\/h/.test(await row().innerText()));
  });

  it('let a price increase be rejected from the palette later, too', async () => {
    await workbench.clearNotifications();
    await session().simulator.call('POST', '/__sim/price-increases/', { instance_id: id, new_price: 30 });
    await workbench.run('Review Price Increases…');
    await workbench.quick.waitForTitle('Price Increases');
    const rows = await workbench.quick.rowTexts();
    assert.match(rows[0] ?? '', /Accept: trainer.*\$20\.00\/h → \$30\.00\/h/);
    await workbench.shot('03-review');
    await workbench.quick.pickMatching(/Reject: trainer/);
    await workbench.dialogButton('Reject');
    await workbench.toast(/higher price of trainer is rejected/);
    assert.equal(received('PUT', /reject-price-increase/).length, 1);
    await workbench.clearNotifications();
    await workbench.run('Review Price Increases…');
    await workbench.toast(/No host asks for a higher price/);
  });

  it('name an instance that nobody uses, in just those words, and lead to a stop', async () => {
    await workbench.clearNotifications();
    await session().simulator.call('PUT', `/__sim/instances/${id}/`, { gpu_util: 1 });
    await told(/no remote window, terminal or forwarded port of GPU Rental was open on trainer/);
    const text = await (await workbench.toast(/no remote window/)).innerText();
    assert.match(text, /its GPU use was under 5% whenever it was looked at\. It costs \$20/);
    await workbench.shot('04-forgotten');
    await workbench.toastButton(/no remote window/, 'Stop or Destroy Later…');
    await workbench.quick.waitForTitle('Stop or Destroy trainer Later');
    await workbench.page.keyboard.press('Escape');
  });

  it('name a host that takes its machine back', async () => {
    await workbench.clearNotifications();
    await session().simulator.call('PUT', `/__sim/instances/${id}/`, {
      end_date: Date.now() / 1000 + 5 * 3600 + 300,
    });
    await told(/The host of trainer takes it back in 5 h/);
    await workbench.shot('05-host-ends');
    await workbench.clearNotifications();
  });

  it('name credit that ends soon, and lead to a stop that asks', async () => {
    await session().simulator.call('PUT', '/__sim/credit/', { credit: 60 });
    await told(/Your credit lasts/);
    await workbench.shot('06-credit');
    await workbench.toastButton(/Your credit lasts/, 'Stop Instances…');
    await workbench.quick.waitForTitle(/Stop which instances/);
    await workbench.page.keyboard.press('Escape');
  });

  it('name an instance that was stopped long ago, and lead to a question before it is destroyed', async () => {
    await workbench.clearNotifications();
    await workbench.view('Instances').contextMenu(row(), /^Stop…$/);
    await workbench.dialogButton('Stop');
    // It may be told with the very list that shows it stopped.
    await row().filter({ hasText: 'Stopped' }).waitFor({ timeout: 60_000 });
    await told(/trainer has been stopped for .*Stopped still bills \$/);
    await workbench.shot('07-stopped-long');
    await workbench.toastButton(/has been stopped for/, 'Destroy…');
    await workbench.dialog.waitFor();
    await workbench.dialogButton('Cancel');
    assert.deepEqual(received('DELETE', /instances/), []);
  });

  it('are each said once', async () => {
    await workbench.clearNotifications();
    for (let turn = 0; turn < 3; turn += 1) {
      const before = received('GET', /^\/api\/v[01]\/instances\/$/).length;
      await workbench.run('Refresh');
      await until('another list', () => received('GET', /^\/api\/v[01]\/instances\/$/).length > before);
    }
    assert.deepEqual(await workbench.notificationTexts(), []);
  });
});
