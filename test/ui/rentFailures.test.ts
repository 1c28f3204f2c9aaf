import assert from 'node:assert/strict';
import { signIn } from '../support/journey';
import {
  clearMessages,
  confirmUntil,
  haveKey,
  rentalsOf,
  rentNow,
  searchAndReview,
} from '../support/rentJourney';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

const pullLimit = 'toomanyrequests: You have reached your pull rate limit';

describe('rentals and starts that go wrong', function () {
  this.timeout(240_000);
  const session = useUiSession('rentFailures', {
    simulator: { speed: 60, sshServer: false },
    settings: { 'gpuRental.ready.timeoutMinutes': 1 },
  });
  let workbench: Workbench;
  const quick = () => workbench.quick;
  const call = (method: string, address: string, body?: unknown, key?: string) =>
    session().simulator.call(method, address, body, key);
  const row = (id: number) => workbench.view('Instances').row(`#${id}`);
  const notifications = async () => (await workbench.notificationTexts()).join('\n');

  /** Rents one on demand by the steps that a user takes; its id. */
  async function rentOne(): Promise<number> {
    await searchAndReview(workbench, '1x 3090', /1× RTX 3090/);
    const before = session().simulator.world.instances.map(({ id }) => id);
    await rentNow(session(), workbench);
    return until(
      'the instance',
      () => session().simulator.world.instances.find(({ id }) => !before.includes(id))?.id,
    );
  }

  /** The next boot ends like this. */
  async function nextBoot(outcome: string, message: string): Promise<void> {
    assert.equal((await call('POST', '/__sim/next-boot/', { outcome, message })).status, 200);
  }

  /** Away with it, without the product. */
  async function remove(id: number): Promise<void> {
    await call('DELETE', `/api/v0/instances/${id}/`);
    await clearMessages(workbench);
  }

  before(async () => {
    await haveKey(session());
    workbench = await session().window();
    await signIn(session(), workbench);
    await clearMessages(workbench);
  });

  it('says that the templates could not be read, which is not that there are none', async () => {
    const order = { method: 'GET', path: '/api/v0/template/', kind: 'html500', times: 0 };
    assert.equal((await call('POST', '/__sim/faults/', order)).status, 200);
    await workbench.run('Search Offers…');
    await quick().waitForTitle('Search Offers');
    await quick().rows.filter({ hasText: '% reliable' }).first().waitFor({ timeout: 90_000 });
    await quick().pickMatching(/% reliable/);
    await quick().waitForTitle('Rent: Template or Image');
    await quick().rows.filter({ hasText: 'The service has a problem of its own' }).first().waitFor();
    await workbench.shot('00-templates-not-read');
    await workbench.page.keyboard.press('Escape');
    assert.equal((await call('DELETE', '/__sim/faults/')).status, 200);
    await clearMessages(workbench);
  });

  it('does not rent at a price that rose after the confirmation was shown', async () => {
    await searchAndReview(workbench, '1x 3090', /1× RTX 3090/);
    const found = await call('POST', '/api/v0/bundles/', { gpu_name: { eq: 'RTX 3090' } });
    for (const { id } of found.json.offers as readonly { id: number }[]) {
      await call('PUT', `/__sim/offers/${id}/`, { price_per_gpu: 0.9 });
    }
    const notice = quick().rows.filter({
      hasText: /The price has risen from \$.*\/h to \$.*Nothing was rented/,
    });
    await confirmUntil(workbench, async () => (await notice.count()) > 0);
    await workbench.shot('01-dearer');
    assert.deepEqual(rentalsOf(session()), []);
    await rentNow(session(), workbench);
    const [instance] = session().simulator.world.instances;
    assert.ok(instance);
    await remove(instance.id);
  });

  let stuck: number;
  let waiting: number;
  it('shows what the host says while a machine is stuck', async () => {
    await nextBoot('stuck', pullLimit);
    stuck = await rentOne();
    await workbench.toast(/Getting .* ready.*toomanyrequests/, 60_000);
    await workbench.shot('02-stuck');
  });

  it('says that one did not get ready in time, and what its host means', async () => {
    const said = new RegExp(`#${stuck} did not get ready in time.*allows this host no more downloads`);
    await until('the message', async () => said.test(await notifications()), {
      timeoutMs: 90_000,
      everyMs: 2000,
    });
    await workbench.shot('05-timed-out');
    await remove(stuck);
  });

  it('follows an instance that came beside a refusal, and says that it bills', async () => {
    await call('POST', '/__sim/next-rent/', { error: 'resources_unavailable', msg: 'Bid pending.' });
    const id = await rentOne();
    await until('the message', async () =>
      new RegExp(`Rented as instance ${id}, but the service said: Bid pending.*is billed`).test(
        await notifications(),
      ),
    );
    await workbench.shot('03-doubt');
    await row(id).waitFor();
    await remove(id);
  });

  for (const { outcome, sentence } of [
    { outcome: 'unknown', sentence: 'its host sends no heartbeat' },
    { outcome: 'offline', sentence: 'its host is disconnected' },
    { outcome: 'exited', sentence: 'its container ended' },
  ]) {
    it(`has a sentence and a next step for a machine that ends as ${outcome}`, async () => {
      await nextBoot(outcome, 'no space left on device');
      const id = await rentOne();
      const said = new RegExp(`#${id} will not get ready: ${sentence}.*no space left.*The disk is too small`);
      const toast = await workbench.toast(said, 60_000);
      await workbench.shot(`04-${outcome}`);
      const text = await toast.innerText();
      assert.match(text, /Until it is destroyed its disk costs \$\S+\/day/);
      await toast.hover();
      for (const button of ['Destroy and Rent Next Best…', 'Destroy…', 'Instance Log']) {
        await toast.locator('.monaco-button', { hasText: button }).waitFor();
      }
      await remove(id);
    });
  }

  it('offers to change the bid of one that was outbid, with the least that it takes now', async () => {
    await workbench.run('Search Offers…');
    await quick().waitForTitle('Search Offers');
    await quick().rows.filter({ hasText: '% reliable' }).first().waitFor({ timeout: 90_000 });
    await workbench.page.keyboard.type('spot 1x 4090');
    const offer = /1× RTX 4090.*interruptible ·/;
    await quick().rows.filter({ hasText: offer }).first().waitFor({ timeout: 90_000 });
    await quick().pickMatching(offer);
    await quick().waitForTitle('Rent: Template or Image');
    await workbench.page.mouse.move(700, 700);
    await quick().titleButton('Keep the Defaults and Review').focus();
    await workbench.page.keyboard.press('Enter');
    await rentNow(session(), workbench);
    const id = session().simulator.world.instances.at(-1)?.id ?? 0;
    await row(id).filter({ hasText: 'Running' }).waitFor({ timeout: 60_000 });
    await clearMessages(workbench);
    assert.equal((await call('POST', `/__sim/instances/${id}/outbid/`, {})).status, 200);
    await workbench.run('Refresh');
    await workbench.toastButton(/was outbid and is paused/, 'Change Bid…', 60_000);
    await quick().waitForTitle(/Change the Bid of/);
    await until('the least', async () => /now that takes at least \$\S+/.test(await quick().message()));
    await workbench.shot('06-bid');
    await quick().type('2.5');
    await workbench.toast(/The bid of .* is now \$2\.50\/h/);
    const [change] = session().simulator.received('PUT', `/api/v0/instances/bid_price/${id}/`);
    assert.equal((change?.body as { price: number }).price, 2.5);
    await remove(id);
  });

  /** Somebody else rents all that is free on the machine. */
  async function takeGpus(machineId: number): Promise<void> {
    const { key } = (await call('POST', '/__sim/accounts/', { credit: 1000 })).json as { key: string };
    for (;;) {
      const found = await call(
        'POST',
        '/api/v0/bundles/',
        { machine_id: { eq: machineId }, rentable: { eq: true } },
        key,
      );
      const [offer] = found.json.offers as readonly { id: number }[];
      if (!offer) return;
      const taken = await call('PUT', `/api/v0/asks/${offer.id}/`, { image: 'ubuntu', disk: 8 }, key);
      assert.equal(taken.status, 200, taken.text);
    }
  }

  it('makes a start that waits for a GPU a state of its own, which can be cancelled', async () => {
    waiting = await rentOne();
    const id = waiting;
    await row(id).filter({ hasText: 'Running' }).waitFor({ timeout: 60_000 });
    await clearMessages(workbench);
    const instances = workbench.view('Instances');
    await instances.contextMenu(row(id), /^Stop…$/);
    await workbench.dialog.filter({ hasText: 'rented by somebody else meanwhile' }).waitFor();
    await workbench.dialogButton('Stop');
    await row(id).filter({ hasText: 'Stopped' }).waitFor({ timeout: 60_000 });
    await takeGpus(session().simulator.world.instance(id)?.machineId ?? 0);
    await clearMessages(workbench);
    await instances.contextMenu(row(id), /^Start…$/);
    await workbench.dialogButton('Start');
    const toast = await workbench.toast(/waits for a free GPU: somebody else has it now/);
    await row(id).filter({ hasText: 'Waiting for a free GPU' }).waitFor();
    await toast.hover();
    await toast.locator('.monaco-button', { hasText: 'Rent Another Like This' }).waitFor();
    await workbench.shot('07-queued');
    await workbench.toastButton(/waits for a free GPU/, 'Cancel Start');
    await workbench.dialog.filter({ hasText: /Cancel the start of/ }).waitFor();
    await workbench.shot('08-cancel-start');
    await workbench.dialogButton('Cancel the Start');
    await row(id).filter({ hasText: 'Stopped' }).waitFor({ timeout: 60_000 });
    await clearMessages(workbench);
  });

  it('says that a refused start changed nothing, and offers another machine', async () => {
    session().simulator.fail({
      kind: 'error',
      method: 'PUT',
      path: '/api/v0/instances/{id}/',
      status: 400,
      error: 'invalid_args',
      msg: 'The host is being repaired.',
    });
    await workbench.view('Instances').contextMenu(row(waiting), /^Start…$/);
    await workbench.dialogButton('Start');
    await workbench.toast(/was not started and costs \$\S+\/day as before.*being repaired/);
    await workbench.shot('09-refused');
    await workbench.toastButton(/was not started/, 'Rent Another Like This');
    await quick().waitForTitle(/Search Offers like/);
    await workbench.page.keyboard.press('Escape');
  });
});
