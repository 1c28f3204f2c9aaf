import assert from 'node:assert/strict';
import {
  confirmRental,
  haveKey,
  newInstance,
  occupyGpus,
  rent3090,
  rentNow,
  rentalsOf,
  searchAndReview,
  searchFor,
} from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const pullLimit = 'toomanyrequests: You have reached your pull rate limit';

describe('rentals and starts that go wrong', () => {
  const computer = useComputer({ settings: { 'gpuRental.ready.timeoutMinutes': 1 } });
  let window: FeatureWindow;
  const quick = () => window.quick;
  const instances = () => window.view('instances');
  const call = async (method: string, address: string, body?: unknown, key?: string) => {
    const answer = await computer().simulator.call(method, address, body, key);
    assert.equal(answer.status, 200, answer.text);
    return answer.json as Record<string, unknown>;
  };

  /** Rents one on demand by the steps that a user takes; its id. */
  async function rentOne(): Promise<number> {
    return (await rent3090(window)).id;
  }

  const nextBoot = (outcome: string, message: string) =>
    call('POST', '/__sim/next-boot/', { outcome, message });

  /** Away with it, without the product. */
  async function remove(id: number): Promise<void> {
    await call('DELETE', `/api/v0/instances/${id}/`);
    window.run('Refresh');
    await computer().pass(20_000);
    window.clearToasts();
  }

  before(async () => {
    await haveKey(computer());
    window = await computer().openSignedIn();
    window.clearToasts();
  });

  it('shows that the templates could not be read, which is not that there are none', async () => {
    const { simulator } = computer();
    simulator.fail({ method: 'GET', path: '/api/v0/template/', kind: 'html500', times: 0 });
    window.run('Search Offers…');
    await quick().title('Search Offers');
    await quick().pick(/% reliable/);
    await quick().title('Rent: Template');
    await quick().row('The service has a problem of its own');
    quick().escape();
    simulator.faults.clear();
    window.clearToasts();
  });

  it('does not rent at a price that rose after the confirmation was shown', async () => {
    await searchAndReview(window, '1x 3090', /1× RTX 3090/);
    const found = await call('POST', '/api/v0/bundles/', { gpu_name: { eq: 'RTX 3090' } });
    for (const { id } of found['offers'] as readonly { id: number }[]) {
      await call('PUT', `/__sim/offers/${id}/`, { price_per_gpu: 0.9 });
    }
    await confirmRental(window);
    await quick().row(/The price has risen from \$.*\/h to \$.*Nothing was rented/);
    assert.deepEqual(rentalsOf(computer()), []);
    const { id } = await newInstance(computer(), () => rentNow(window));
    assert.equal(rentalsOf(computer()).length, 1);
    await remove(id);
  });

  describe('with a new volume', () => {
    const found = { method: 'POST', path: '/api/v0/volumes/search/' } as const;

    /** Goes to the confirmation with a new volume of 40 GB; the offer that it was chosen from. */
    async function reviewWithVolume(): Promise<{ readonly id: number; readonly storage_cost: number }> {
      await searchAndReview(window, '1x 3090', /1× RTX 3090/);
      await quick().pick('More Options…');
      await quick().pick('Volume');
      await quick().title('Rent: Volume');
      await quick().pick(/Create a Volume…/);
      await computer().until('the folder', () => quick().isOpen && quick().open.value === '/data');
      await quick().enter();
      await quick().title('Rent: Volume');
      await quick().type('40');
      await quick().title('Rent: More Options');
      await quick().pick('Done');
      await quick().row('a new one of 40 GB at /data');
      const { body } = computer().simulator.received(found.method, found.path).at(-1) ?? {};
      const { offers } = (await call(found.method, found.path, body)) as { offers: never[] };
      assert.ok(offers[0]);
      return offers[0];
    }

    const offered = (offers: readonly unknown[]) =>
      computer().simulator.faults.add({ ...found, kind: 'answer', status: 200, body: { offers }, times: 0 });

    const volumesSent = () => rentalsOf(computer()).map(({ body }) => (body as Body).volume_info);
    interface Body {
      readonly volume_info?: { readonly size: number };
    }

    it('does not rent where the price of the volume rose, and then at the price that it shows', async () => {
      const before = rentalsOf(computer()).length;
      const volume = await reviewWithVolume();
      const price = quick()
        .rows()
        .find((row) => row.startsWith('Running'));
      const fault = offered([{ ...volume, storage_cost: volume.storage_cost + 10 }]);
      await confirmRental(window);
      await quick().row(
        /The price of the new volume has risen from \$.*\/day to \$.*\/day\. Nothing was rented/,
      );
      assert.equal(rentalsOf(computer()).length, before);
      assert.notEqual(
        quick()
          .rows()
          .find((row) => row.startsWith('Running')),
        price,
      );
      const { id } = await newInstance(computer(), () => rentNow(window));
      computer().simulator.faults.clear(fault.id);
      assert.equal(volumesSent().at(-1)?.size, 40);
      await remove(id);
    });

    it('does not rent where the service no longer states the price of the volume', async () => {
      const before = rentalsOf(computer()).length;
      const volume = { ...(await reviewWithVolume()), storage_cost: undefined };
      const fault = offered([volume]);
      await confirmRental(window);
      await quick().row(/states a different price for the new volume\. Nothing was rented/);
      await quick().row(/does not state the price of the new volume/);
      assert.equal(rentalsOf(computer()).length, before);
      quick().escape();
      computer().simulator.faults.clear(fault.id);
      window.clearToasts();
    });

    it('does not rent where the volume is gone, and then without it', async () => {
      const before = rentalsOf(computer()).length;
      await reviewWithVolume();
      const fault = offered([]);
      await confirmRental(window);
      await quick().row(/The new volume is no longer available\. Nothing was rented/);
      assert.equal(rentalsOf(computer()).length, before);
      const { id } = await newInstance(computer(), () => rentNow(window));
      computer().simulator.faults.clear(fault.id);
      assert.equal(volumesSent().at(-1), undefined);
      await remove(id);
    });
  });

  let stuck: number;
  it('shows the message of the host while a machine is stuck', async () => {
    await nextBoot('stuck', pullLimit);
    stuck = await rentOne();
    await window.toast(new RegExp(`^Getting .*#${stuck} ready.*toomanyrequests`));
  });

  it('shows that one did not get ready in time, and what its host means', async () => {
    await window.toast(
      new RegExp(`#${stuck} did not get ready in time.*does not allow this host more downloads`),
    );
    await remove(stuck);
  });

  it('follows an instance that arrived with a refusal, and shows that it costs money', async () => {
    await call('POST', '/__sim/next-rent/', { error: 'resources_unavailable', msg: 'Bid pending.' });
    const before = rentalsOf(computer()).length;
    const id = await rentOne();
    await window.toast(
      new RegExp(`Rented as instance ${id}, but the service answered: Bid pending.*costs money`),
    );
    await instances().row(`#${id}`);
    assert.equal(rentalsOf(computer()).length, before + 1);
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
      const { text, buttons } = await window.toast(
        new RegExp(`#${id} will not get ready: ${sentence}.*no space left.*The disk is too small`),
      );
      assert.match(text, /Until it is destroyed, storage costs \$\S+\/day/);
      for (const button of ['Destroy and Rent Next Best', 'Destroy…', 'Show Log of Instance']) {
        assert.ok(buttons.includes(button), buttons.join());
      }
      await remove(id);
    });
  }

  it('offers to change the bid of one that was outbid, with the least that is accepted now', async () => {
    await searchFor(window, 'spot 1x 4090', /1× RTX 4090/);
    await quick().pick(/1× RTX 4090/);
    await quick().title('Rent: Template');
    await quick().button('Keep the Defaults and Review');
    const { id } = await newInstance(computer(), () => rentNow(window));
    await instances().row(new RegExp(`Running.*#${id}`));
    window.clearToasts();
    const endsAt = (computer().clock.now() + 9.5 * 86_400_000) / 1000;
    await call('PUT', `/__sim/instances/${id}/`, { end_date: endsAt });
    await call('POST', `/__sim/instances/${id}/outbid/`, {});
    window.run('Refresh');
    await instances().row(new RegExp(`#${id}.*rental ends in 9 d|rental ends in 9 d.*#${id}`));
    await window.toastButton(
      /was outbid and is paused\..* Its data is kept until the rental ends in 9 d.*, at .*, and may be deleted 48 h later\./,
      'Change Bid…',
    );
    await quick().title(/Change Bid:/);
    await quick().message(/the current minimum is \$\S+/);
    await quick().type('2.5');
    await window.toast(/The bid of .* is now \$2\.50\/h/);
    window.clearToasts();
    const bidPath = '/api/v0/instances/bid_price/{id}/';
    computer().simulator.fail({ kind: 'answer', status: 200, body: {}, method: 'PUT', path: bidPath });
    await instances().menu(`#${id}`, 'Change Bid…');
    await quick().title(/Change Bid:/);
    assert.equal(quick().open.value, '2.5', 'an Enter does not lower it to the minimum');
    await quick().type('0.01', { enter: false });
    await quick().message(/Below the current minimum of \$\S+\/h, so the instance may be paused\./);
    await quick().type('3');
    await window.toast(
      /The service accepted a bid of \$3\.00\/h for .*, but the list does not show it yet\./,
    );
    // A service may round what it was sent.
    const instance = computer().simulator.world.instances.find((one) => one.id === id);
    Object.assign(instance ?? {}, { rates: { ...instance?.rates, gpu: 2.999_96 } });
    computer().simulator.fail({ kind: 'answer', status: 200, body: {}, method: 'PUT', path: bidPath });
    await instances().menu(`#${id}`, 'Change Bid…');
    await quick().type('3');
    await window.toast(/The bid of .* is now \$3\.00\/h/);
    const changes = computer().simulator.received('PUT', `/api/v0/instances/bid_price/${id}/`);
    assert.deepEqual(
      changes.map(({ body }) => (body as { price: number }).price),
      [2.5, 3, 3],
    );
    await remove(id);
  });

  let waiting: number;
  const powerRequests = () =>
    computer()
      .simulator.received('PUT', `/api/v0/instances/${waiting}/`)
      .map(({ body }) => (body as { state: string }).state);

  it('makes a start that waits for a GPU a state of its own, which can be cancelled', async () => {
    waiting = await rentOne();
    const row = (state: string) => instances().row(new RegExp(`${state}.*#${waiting}`));
    await row('Running');
    window.clearToasts();
    await instances().menu(`#${waiting}`, 'Stop…');
    await window.dialog('If another user then rents the GPU');
    await window.dialogButton('Stop');
    await row('Stopped');
    await occupyGpus(computer(), waiting);
    window.clearToasts();
    await instances().menu(`#${waiting}`, 'Start…');
    await window.dialogButton('Start');
    const { buttons } = await window.toast(/is waiting for its GPU, which another user has/);
    await row('Another user has the GPU');
    assert.deepEqual(buttons, ['Wait', 'Move…', 'Download…', 'Stop Waiting']);
    await window.toastButton(/is waiting for its GPU/, 'Stop Waiting');
    await window.dialog(/Cancel the start of/);
    await window.dialogButton('Stop Waiting');
    // The row follows before the answer.
    await row('Stopped');
    await computer().until('the stop', () => powerRequests().length === 3);
    await computer().rest();
    assert.deepEqual(powerRequests(), ['stopped', 'running', 'stopped']);
    window.clearToasts();
  });

  it('finds a start whose answer was lost in scheduling, and cancels it by a stop that is read back', async () => {
    const path = '/api/v0/instances/{id}/';
    const sent = powerRequests().length;
    computer().simulator.fail({ kind: 'dropAfter', method: 'PUT', path });
    await instances().menu(`#${waiting}`, 'Start…');
    await window.dialogButton('Start');
    await instances().row(new RegExp(`Starting.*#${waiting}`));
    await computer().pass(10_000);
    assert.ok(!window.toasts().some((one) => one.includes('is waiting for its GPU')), 'not before 30 s');
    await computer().pass(30_000);
    await instances().row(new RegExp(`Another user has the GPU.*#${waiting}`));
    await window.toast(
      /is waiting for its GPU.*The service says: Required resources are currently unavailable/,
    );
    await window.toastButton(/is waiting for its GPU/, 'Wait');
    await computer().pass(10 * 60_000);
    assert.equal(window.toasts().filter((one) => one.includes('is waiting for its GPU')).length, 0, 'once');
    computer().simulator.fail({ kind: 'dropBefore', method: 'PUT', path });
    const cancel = async () => {
      window.clearToasts();
      await instances().menu(`#${waiting}`, 'Stop…');
      await window.dialogButton('Stop Waiting');
    };
    await cancel();
    await window.toast(/is unchanged and still costs/);
    await instances().row(new RegExp(`Another user has the GPU.*#${waiting}`));
    computer().simulator.fail({ kind: 'dropAfter', method: 'PUT', path });
    await cancel();
    await window.toast(/^The start of .* is canceled\. Storage still costs/);
    await instances().row(new RegExp(`Stopped.*#${waiting}`));
    assert.deepEqual(powerRequests().slice(sent), ['running', 'stopped', 'stopped']);
    window.clearToasts();
  });

  it('shows what a start that waits costs if the wait to connect is canceled', async () => {
    await instances().menu(`#${waiting}`, 'Connect');
    await window.dialogButton('Start and Connect');
    await window.toastButton(/is waiting for its GPU/, 'Wait');
    await window.toastButton(/^Waiting for .* to start before connecting/, 'Stop Waiting');
    const { buttons } = await window.toast(/is waiting for its GPU.* costs \$\S+\/day until then/);
    assert.deepEqual(buttons, ['Stop Waiting']);
    await window.toastButton(/is waiting for its GPU/, 'Stop Waiting');
    await window.dialogButton('Stop Waiting');
    await window.toast(/^The start of .* is canceled/);
    await instances().row(new RegExp(`Stopped.*#${waiting}`));
    window.clearToasts();
  });

  it('shows that a refused start changed nothing, and offers another machine', async () => {
    computer().simulator.fail({
      kind: 'error',
      method: 'PUT',
      path: '/api/v0/instances/{id}/',
      status: 400,
      error: 'invalid_args',
      msg: 'The host is being repaired.',
    });
    const sent = powerRequests().length;
    await instances().menu(`#${waiting}`, 'Start…');
    await window.dialogButton('Start');
    await window.toast(/is unchanged and still costs \$\S+\/day\. .*being repaired/s);
    assert.equal(powerRequests().at(-1), 'running');
    assert.equal(powerRequests().length, sent + 1);
    await window.toastButton(/is unchanged/, 'Rent Another Like This…');
    await quick().title(/Search Offers like/);
    quick().escape();
  });
});

describe('a machine that fails, with two windows', () => {
  const computer = useComputer();

  it('is reported in one of them, and its next step happens once', async () => {
    const { simulator } = computer();
    await haveKey(computer());
    const first = await computer().openSignedIn();
    const second = await computer().openWindow();
    await second.view('instances').rows();
    const failure = { outcome: 'exited', message: 'no space left on device' };
    assert.equal((await simulator.call('POST', '/__sim/next-boot/', failure)).status, 200);
    const { id } = await rent3090(first);
    second.focus();
    const said = new RegExp(`#${id} will not get ready`);
    const tellers = () =>
      computer().windows.filter(({ screen }) => screen.messages.history.some(({ text }) => said.test(text)));
    const [teller] = await computer().until('the message', () => tellers().length > 0 && tellers());
    assert.ok(teller);
    await teller.toastButton(said, 'Destroy…');
    await teller.dialogButton('Destroy');
    await teller.toast(/[Dd]estroyed/);
    await first.view('instances').noRow(`#${id}`);
    await second.view('instances').noRow(`#${id}`);
    assert.equal(tellers().length, 1);
    assert.equal(simulator.received('DELETE', `/api/v0/instances/${id}/`).length, 1);
  });
});
