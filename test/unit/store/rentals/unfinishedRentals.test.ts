import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import type { FleetSnapshot } from '../../../../src/store/instances/fleetStore';
import type { Rental } from '../../../../src/store/rentals/rentalStore';
import { BrokenReplacements, UnfinishedOrders } from '../../../../src/store/rentals/unfinishedRentals';
import type { WindowHub } from '../../../../src/store/windows/windowHub';
import { text } from '../../../../src/util/text';
import { anInstance, anOffer } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { MemoryLog } from '../../../support/fakeTransport';
import { FakeHubs } from '../../../support/fakeWindows';

const order = { id: 'f00', wanted: 3 };
const aRental = (marker: string, phase: Rental['phase']): Rental => ({
  marker,
  accountKey: 'a',
  windowId: 'gone',
  requestedAt: 1,
  order,
  offer: anOffer(),
  config: { image: 'i' },
  rentalType: 'on-demand',
  priceLimit: fromDollars(1),
  phase,
});
const waiting = aRental('aaaaaaaa', { kind: 'waiting', instanceId: 1, since: 1 });
const failed = aRental('bbbbbbbb', { kind: 'failed', instanceId: 2, at: 1, reason: 'exited' });
const sent = aRental('cccccccc', { kind: 'sent' });

describe('several machines whose window closed early', () => {
  let clock: FakeClock;
  let hubs: FakeHubs;
  let log: MemoryLog;
  let events: [number, number][];

  beforeEach(() => {
    clock = new FakeClock();
    hubs = new FakeHubs();
    log = new MemoryLog();
    events = [];
  });

  function watch(all: readonly Rental[], hub = hubs.open()): UnfinishedOrders {
    const orders = new UnfinishedOrders({ records: { all }, hub, clock, log });
    orders.onDidFindUnfinished(({ rentals, wanted }) => events.push([rentals.length, wanted]));
    return orders;
  }
  async function checkLater(orders: UnfinishedOrders): Promise<void> {
    await orders.check();
    await clock.advance(15_000);
    await orders.check();
  }

  it('are reported once over all windows, with how many of them were rented', async () => {
    const all = [waiting, failed];
    const orders = watch(all);
    await orders.check();
    assert.deepEqual(events, [], 'the window may only be about to reconnect');
    await checkLater(orders);
    assert.deepEqual(events, [[2, 3]]);
    await checkLater(orders);
    await checkLater(watch(all));
    assert.deepEqual(events, [[2, 3]]);
  });

  it('are claimed once, however often a list is read', async () => {
    const hub = hubs.open();
    const claim = hub.claim.bind(hub);
    const claims: string[] = [];
    hub.claim = (key) => {
      claims.push(key);
      return claim(key);
    };
    const orders = watch([waiting], hub);
    for (let lists = 0; lists < 3; lists += 1) {
      await checkLater(orders);
    }
    assert.deepEqual([claims, events], [['order:f00:2'], [[1, 3]]]);
  });

  it('wait for the outcome of what was sent', async () => {
    const all = [waiting, sent];
    const orders = watch(all);
    await checkLater(orders);
    assert.deepEqual(events, []);
    const reason = text('none');
    all[1] = aRental(sent.marker, { kind: 'notRented', at: 1, reason });
    await orders.check();
    assert.deepEqual(events, [[1, 3]]);
  });

  it('are not rented any more by a window that hung, once they were reported', async () => {
    const all = [waiting];
    const hung = watch(all);
    await hung.begin(waiting);
    await checkLater(watch(all));
    assert.deepEqual(events, [[1, 3]]);
    all.push(sent);
    await assert.rejects(hung.begin(sent), /not rented/);
  });

  it('are not reported if the window has begun the next one', async () => {
    const all = [waiting];
    const window = watch(all);
    await window.begin(waiting);
    all.push(sent);
    await window.begin(sent);
    await checkLater(watch([waiting]));
    assert.deepEqual(events, []);
  });

  it('end although the disk refuses to note it, which is logged', async () => {
    const hub = hubs.open();
    hub.claim = () => Promise.reject(new Error('disk full'));
    await watch([waiting], hub).end(order.id);
    assert.deepEqual(log.lines, [
      'warn The end of a rental of several machines could not be noted: Error: disk full',
    ]);
  });

  it('are not reported if all were rented, while the window is open, or once it showed the outcome itself', async () => {
    await checkLater(watch([waiting, failed, aRental('dddddddd', { kind: 'ended', instanceId: 3 })]));
    const own = hubs.open();
    await checkLater(watch([{ ...waiting, windowId: own.windowId }], own));
    const other = { ...waiting, windowId: own.windowId, order: { id: 'f01', wanted: 2 } };
    const window = watch([other], own);
    await window.begin(other);
    await window.end(other.order.id);
    own.dispose();
    await checkLater(watch([other]));
    assert.deepEqual(events, []);
  });
});

const id = 7;
const replaced: Rental = {
  marker: 'aaaaaaaa',
  accountKey: 'a',
  windowId: 'gone',
  requestedAt: 1,
  offer: anOffer(),
  config: { image: 'i' },
  rentalType: 'on-demand',
  priceLimit: fromDollars(1),
  phase: { kind: 'failed', instanceId: id, at: 1, reason: 'exited' },
  replacingSince: 1,
  replacingWindow: 'gone',
};

describe('a replacement that broke off', () => {
  let clock: FakeClock;
  let hub: WindowHub;
  let hubs: FakeHubs;
  let rentals: Rental[];
  let hasEnded: boolean;
  let events: boolean[];
  let broken: BrokenReplacements;
  const there: FleetSnapshot = { instances: [anInstance({ id })], skipped: 0 };

  beforeEach(() => {
    clock = new FakeClock();
    hubs = new FakeHubs();
    hub = hubs.open();
    rentals = [replaced];
    hasEnded = false;
    events = [];
    broken = new BrokenReplacements({
      records: { all: rentals, get: (marker) => rentals.find((one) => one.marker === marker) },
      update: (marker, change) => {
        const at = rentals.findIndex((one) => one.marker === marker);
        const stored = rentals[at] ?? replaced;
        rentals[at] = { ...stored, ...(typeof change === 'function' ? change(stored) : change) };
        return Promise.resolve();
      },
      fleet: { hasEnded: () => hasEnded },
      hub,
      clock,
    });
    broken.onDidBreakOff(({ instanceId, isDestroyed }) => {
      assert.equal(instanceId, id);
      events.push(isDestroyed);
    });
  });
  afterEach(() => broken.dispose());

  const check = (snapshot = there) => broken.check(replaced.marker, snapshot);
  const checkLater = async (ms: number, snapshot = there) => {
    await check(snapshot);
    await clock.advance(ms);
    await check(snapshot);
  };
  const isMarked = () => rentals[0]?.replacingSince !== undefined;

  it('is reported after fifteen seconds without its window, with the instance still there', async () => {
    await checkLater(14_999);
    assert.deepEqual([events, isMarked()], [[], true]);
    await clock.advance(1);
    await check();
    assert.deepEqual([events, isMarked(), rentals[0]?.replacingWindow], [[false], false, undefined]);
    await checkLater(60_000);
    assert.deepEqual(events, [false], 'told again');
  });

  it('is none while its window is open, or is this one, and the time starts again after that', async () => {
    for (const window of [hub.windowId, hubs.open().windowId]) {
      rentals[0] = { ...replaced, replacingWindow: window };
      await checkLater(60_000);
    }
    rentals[0] = replaced;
    await checkLater(10_000);
    rentals[0] = { ...replaced, replacingWindow: hub.windowId };
    await check();
    rentals[0] = replaced;
    await checkLater(10_000);
    assert.deepEqual([events, isMarked()], [[], true]);
  });

  it('is one where the record of an older version does not name its window', async () => {
    rentals[0] = { ...replaced, replacingWindow: undefined };
    await checkLater(15_000);
    assert.deepEqual(events, [false]);
  });

  it('is none where nothing is being replaced, or no instance is', async () => {
    for (const change of [
      { replacingSince: undefined },
      { phase: { kind: 'notRented', at: 1, reason: text('Why') } },
    ] satisfies Partial<Rental>[]) {
      rentals[0] = { ...replaced, ...change };
      await checkLater(60_000);
      assert.deepEqual([events, rentals[0].replacingWindow], [[], 'gone']);
    }
    rentals.splice(0);
    await checkLater(60_000);
    assert.deepEqual(events, []);
  });

  it('is reported as destroyed only once the instance is proved to be gone', async () => {
    const lacking: FleetSnapshot = { instances: [], skipped: 0 };
    const doubtful: FleetSnapshot = { ...there, unconfirmed: [id] };
    await checkLater(60_000, lacking);
    await checkLater(60_000, doubtful);
    assert.deepEqual([events, isMarked()], [[], true]);
    hasEnded = true;
    await check(doubtful);
    assert.deepEqual([events, isMarked()], [[true], false]);
  });

  it('is not reported if another one may have been rented in its place', async () => {
    const next: Rental = {
      ...replaced,
      marker: 'bbbbbbbb',
      replaces: replaced.marker,
      phase: { kind: 'sent' },
    };
    rentals.push(next);
    await checkLater(15_000);
    assert.deepEqual([events, isMarked()], [[], false]);
    rentals.splice(0, 2, replaced, { ...next, phase: { kind: 'notRented', at: 1, reason: text('Why') } });
    await checkLater(15_000);
    assert.deepEqual([events, isMarked()], [[false], false]);
  });
});
