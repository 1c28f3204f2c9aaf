import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import type { Rental } from '../../../../src/store/rentals/rentalStore';
import { UnfinishedOrders } from '../../../../src/store/rentals/unfinishedOrders';
import { text } from '../../../../src/util/text';
import { anOffer } from '../../../support/builders';
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
  let told: [number, number][];

  beforeEach(() => {
    clock = new FakeClock();
    hubs = new FakeHubs();
    log = new MemoryLog();
    told = [];
  });

  function watch(all: readonly Rental[], hub = hubs.open()): UnfinishedOrders {
    const orders = new UnfinishedOrders({ records: { all }, hub, clock, log });
    orders.onDidLeave(({ rentals, wanted }) => told.push([rentals.length, wanted]));
    return orders;
  }
  async function lookLater(orders: UnfinishedOrders): Promise<void> {
    await orders.look();
    await clock.advance(15_000);
    await orders.look();
  }

  it('are told once over all windows, with what was rented of them', async () => {
    const all = [waiting, failed];
    const orders = watch(all);
    await orders.look();
    assert.deepEqual(told, [], 'the window may only be about to reconnect');
    await lookLater(orders);
    assert.deepEqual(told, [[2, 3]]);
    await lookLater(orders);
    await lookLater(watch(all));
    assert.deepEqual(told, [[2, 3]]);
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
    for (let lists = 0; lists < 3; lists += 1) await lookLater(orders);
    assert.deepEqual([claims, told], [['order:f00:2'], [[1, 3]]]);
  });

  it('wait for the outcome of what was sent', async () => {
    const all = [waiting, sent];
    const orders = watch(all);
    await lookLater(orders);
    assert.deepEqual(told, []);
    const reason = text('none');
    all[1] = aRental(sent.marker, { kind: 'notRented', at: 1, reason });
    await orders.look();
    assert.deepEqual(told, [[1, 3]]);
  });

  it('are not rented any more by a window that hung, once they were told', async () => {
    const all = [waiting];
    const hung = watch(all);
    await hung.begin(waiting);
    await lookLater(watch(all));
    assert.deepEqual(told, [[1, 3]]);
    all.push(sent);
    await assert.rejects(hung.begin(sent), /not rented/);
  });

  it('are not told where the window has begun the next one', async () => {
    const all = [waiting];
    const window = watch(all);
    await window.begin(waiting);
    all.push(sent);
    await window.begin(sent);
    await lookLater(watch([waiting]));
    assert.deepEqual(told, []);
  });

  it('end although the disk refuses to note it, which the log tells', async () => {
    const hub = hubs.open();
    hub.claim = () => Promise.reject(new Error('disk full'));
    await watch([waiting], hub).end(order.id);
    assert.deepEqual(log.lines, [
      'warn The end of a rental of several machines could not be noted: Error: disk full',
    ]);
  });

  it('are not told where all were rented, while the window is open, or once it told the outcome itself', async () => {
    await lookLater(watch([waiting, failed, aRental('dddddddd', { kind: 'ended', instanceId: 3 })]));
    const own = hubs.open();
    await lookLater(watch([{ ...waiting, windowId: own.windowId }], own));
    const other = { ...waiting, windowId: own.windowId, order: { id: 'f01', wanted: 2 } };
    const window = watch([other], own);
    await window.begin(other);
    await window.end(other.order.id);
    own.dispose();
    await lookLater(watch([other]));
    assert.deepEqual(told, []);
  });
});
