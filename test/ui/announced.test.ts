import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { signIn } from '../support/journey';
import { press, pressEnter } from '../support/press';
import { reachableInstance, runningInstance } from '../support/reachableInstance';
import { lastingToasts, useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

const image = 'nvidia/cuda:12.8.0-cudnn-devel-ubuntu22.04';
const inHours = (hours: number) => Date.now() / 1000 + hours * 3600;

/** Gives the side bar room for whole rows. */
async function widen(page: Page): Promise<void> {
  const box = await page.locator('.part.sidebar').boundingBox();
  assert.ok(box);
  const edge = box.x + box.width;
  await page.mouse.move(edge, 400);
  await page.mouse.down();
  await page.mouse.move(edge + 350, 400, { steps: 5 });
  await page.mouse.up();
}

describe('what a machine can do, and what is announced of it', function () {
  this.timeout(240_000);
  const session = useUiSession('announced', {
    simulator: { speed: 20, sshServer: true },
    patches: lastingToasts,
  });
  let workbench: Workbench;
  let trainer: number;
  let helper: number;
  let spot: number;
  const instances = () => workbench.view('Instances');
  const row = (name: string | RegExp) => instances().row(name);
  const set = (id: number, values: Readonly<Record<string, unknown>>) =>
    session().simulator.call('PUT', `/__sim/instances/${id}/`, values);
  /** What the service has to say of an instance, without the wait for the next list. */
  const refresh = () => workbench.run('Refresh');

  before(async () => {
    const { simulator } = session();
    trainer = await reachableInstance(session(), 'trainer');
    helper = await runningInstance(simulator, 'helper');
    spot = await runningInstance(simulator, 'spot', { price: 5 });
    workbench = await session().window();
    await signIn(session(), workbench);
    await row('trainer').waitFor();
    await widen(workbench.page);
  });
  beforeEach(() => workbench.clearNotifications());

  it('warns before payment of an image that does not fit, and leads to offers that do', async () => {
    const { quick, page } = workbench;
    await workbench.run('Search Offers…');
    await quick.waitForTitle('Search Offers');
    await quick.rows.filter({ hasText: '% reliable' }).first().waitFor({ timeout: 90_000 });
    await page.keyboard.type('cuda=12.2');
    await quick.rows
      .filter({ hasText: /All: .*CUDA: 12\.2/ })
      .first()
      .waitFor();
    await quick.pickMatching(/% reliable/);
    await quick.waitForTitle('Rent: Template');
    await quick.input.fill(image);
    await quick.pickMatching(`Use the Image ${image}`);
    await quick.waitForTitle('Rent: Disk');
    const review = quick.titleButton('Keep the Defaults and Review');
    await review.focus();
    await pressEnter(review);
    await quick.waitForTitle('Rent: Confirm');
    await quick.rows.filter({ hasText: /The image needs CUDA 12\.8, but this driver/ }).waitFor();
    await workbench.shot('01-does-not-fit');
    await quick.pickMatching(/Show Only Offers That Fit/);
    await quick.waitForTitle('Search Offers');
    await quick.rows.filter({ hasText: /CUDA: ≥ 12\.8/ }).waitFor({ timeout: 60_000 });
    await workbench.shot('02-only-what-fits');
    await page.keyboard.press('Escape');
    assert.deepEqual(
      session()
        .simulator.received('PUT', /^\/api\/v0\/asks\//)
        .slice(3),
      [],
    );
  });

  it('asks before a container is created again, and shows what is lost', async () => {
    await instances().contextMenu(row('trainer'), /^Recycle…$/);
    await workbench.dialog.waitFor();
    assert.match(await workbench.dialog.innerText(), /is lost for good/);
    await workbench.shot('05-recycle');
    await workbench.dialogButton('Cancel');
    await instances().contextMenu(row('trainer'), /^Change Image or Template…$/);
    await workbench.quick.waitForTitle('Change Image or Template: trainer');
    await workbench.quick.input.fill('ubuntu:24.04');
    await workbench.shot('06-image');
    await workbench.quick.pickMatching('Use the Image ubuntu:24.04');
    await workbench.dialog.waitFor();
    await workbench.shot('07-change-image');
    await workbench.dialogButton('Cancel');
    assert.deepEqual(session().simulator.received('PUT', /recycle|update_template/), []);
  });

  it('asks before data is copied from machine to machine, with what that costs', async () => {
    const { quick } = workbench;
    await instances().contextMenu(row('trainer'), /^Copy Data…$/);
    await quick.waitForTitle('Copy Data: trainer');
    await workbench.shot('08-copy-where');
    await quick.pickMatching('helper');
    // The list of instances has the same title, and takes what is typed while it is still there.
    await quick.waitForPrompt('File or folder to copy');
    await quick.type('/workspace');
    await quick.waitForTitle('Copy to helper');
    await quick.type('/workspace/copy');
    await workbench.dialog.waitFor();
    assert.match(await workbench.dialog.innerText(), /traffic costs/);
    await workbench.shot('09-copy');
    await workbench.dialogButton('Copy');
    await workbench.toast(/began to copy \/workspace from trainer to helper/);
    await workbench.shot('10-copying');
  });

  it('shows when a timer on the machine was last proved', async () => {
    const { quick } = workbench;
    await instances().contextMenu(row('trainer'), /^End Later…$/);
    await quick.waitForTitle('Stop or Destroy trainer Later');
    await quick.pickMatching(/Stop After a Time/);
    await quick.waitForTitle('Stop When?');
    await quick.input.fill('9h');
    await quick.widget.locator('.monaco-list-row.focused', { hasText: 'In 9 h' }).waitFor();
    await quick.enter({ isList: true });
    await workbench.toastButton(/trainer will be stopped at/, 'Let the Instance Do It…');
    await row(/\(armed, checked .*\)/).waitFor({ timeout: 60_000 });
    // The editor pops up three messages in 800 ms at most; the others wait behind its bell.
    const said = /trainer stops itself at .* its own timer runs/;
    await until('the message', async () =>
      (await workbench.notificationTexts()).some((text) => said.test(text)),
    );
    await workbench.hoverText(row('trainer'), /the instance itself .*verified/);
    await workbench.shot('12-armed');
  });

  it('counts down to what a host ends, on the row and in one message', async () => {
    await set(helper, { end_date: inHours(6) });
    await refresh();
    await workbench.toast(/The host ends the rental of helper in .* may be deleted 48 h later/, 60_000);
    await row(/rental ends in [56] h/).waitFor();
    await workbench.shot('13-host-ends');
    await workbench.clearNotifications();
    await set(helper, { end_date: inHours(-1), actual_status: 'exited' });
    await refresh();
    await workbench.toast(/The rental of helper ended at .* may be deleted in 1 d/, 60_000);
    await row(/expired, data kept for 1 d/).waitFor();
    await workbench.hoverText(row('helper'), /Rental ended/);
    await workbench.shot('14-expired');
  });

  it('counts down on the row of an outbid instance, and in a message that leads to its bid', async () => {
    const { simulator } = session();
    await row(/spot.*Running/).waitFor();
    await set(spot, { end_date: inHours(6) });
    await simulator.call('POST', `/__sim/instances/${spot}/outbid/`, {});
    await refresh();
    const toast = await workbench.toast(/spot was outbid and is paused.*may be deleted 48 h later/, 60_000);
    await toast.hover();
    await toast.locator('.monaco-button', { hasText: 'Change Bid…' }).waitFor();
    await row(/spot.*Outbid.*rental ends in [56] h/).waitFor();
    await workbench.hoverText(row('spot'), /Rental ends/);
    await workbench.shot('17-outbid');
  });

  it('shows that credit is used up, and marks every row', async () => {
    const credit = (amount: number) => session().simulator.call('PUT', '/__sim/credit/', { credit: amount });
    await credit(0);
    await refresh();
    await workbench.toast(/Your credit is used up/, 90_000);
    await row(/trainer.*no credit left/).waitFor();
    await workbench.shot('15-no-credit');
    await credit(500);
  });

  it('warns before a budget is spent', async () => {
    const { quick } = workbench;
    await workbench.run('Set Budget…');
    await quick.waitForTitle(/^Set Budget.*1\/2/);
    await quick.input.fill('0.02');
    await quick.enter();
    await quick.waitForTitle(/^Set Budget.*2\/2/);
    await quick.enter();
    await workbench.toast(/You have spent .*\$.* of your budget/, 90_000);
    await until('the budget in the status bar', async () =>
      /of \$0\.02\/day/.test(await workbench.statusText('gpuRental.status')),
    );
    await workbench.shot('16-budget');
  });

  it('shows how much of a machine is in use, and draws the last hour', async () => {
    const gauge = /GPU \d+ % RAM \d+ % disk \d+ %/;
    const busy = async (share: number) => {
      const instance = session().simulator.world.instance(trainer);
      assert.ok(instance);
      instance.gpuUse = share;
      await until(`${share} % on the row`, async () => {
        await refresh();
        return (await row('trainer').innerText())
          .replaceAll('\u00a0', ' ')
          .includes(`GPU ${String(share)} %`);
      });
    };
    await busy(0);
    await busy(90);
    assert.match((await row('trainer').innerText()).replaceAll('\u00a0', ' '), gauge);
    await workbench.hoverText(row('trainer'), /GPU, last hour/);
    await workbench.shot('03-gauges');
    await workbench.hoverText(row('trainer'), /GPU, last hour: .*[▁▂▃▄▅▆▇█]/, 120_000);
    await instances().pick('trainer');
    await press(workbench.webview().locator('[id="button-gpuRental.instance.showDetails"]'));
    await workbench.page.locator('.view-lines', { hasText: '"lastHour"' }).waitFor();
    await workbench.shot('04-details');
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
  });
});
