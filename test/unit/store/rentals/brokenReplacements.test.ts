import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import type { FleetSnapshot } from '../../../../src/store/instances/fleetStore';
import type { Rental } from '../../../../src/store/rentals/rentalStore';
import type { WindowHub } from '../../../../src/store/windows/windowHub';
import { BrokenReplacements } from '../../../../src/store/rentals/brokenReplacements';
import { text } from '../../../../src/util/text';
import { anInstance, anOffer } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { FakeHubs } from '../../../support/fakeWindows';

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
  let told: boolean[];
  let broken: BrokenReplacements;
  const there: FleetSnapshot = { instances: [anInstance({ id })], skipped: 0 };

  beforeEach(() => {
    clock = new FakeClock();
    hubs = new FakeHubs();
    hub = hubs.open();
    rentals = [replaced];
    hasEnded = false;
    told = [];
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
      told.push(isDestroyed);
    });
  });
  afterEach(() => broken.dispose());

  const look = (snapshot = there) => broken.look(replaced.marker, snapshot);
  const lookLater = async (ms: number, snapshot = there) => {
    await look(snapshot);
    await clock.advance(ms);
    await look(snapshot);
  };
  const isMarked = () => rentals[0]?.replacingSince !== undefined;

  it('is told once its window was away for fifteen seconds, with the instance still there', async () => {
    await lookLater(14_999);
    assert.deepEqual([told, isMarked()], [[], true]);
    await clock.advance(1);
    await look();
    assert.deepEqual([told, isMarked(), rentals[0]?.replacingWindow], [[false], false, undefined]);
    await lookLater(60_000);
    assert.deepEqual(told, [false], 'told again');
  });

  it('is none while its window is open, or is this one, and counts anew after that', async () => {
    for (const window of [hub.windowId, hubs.open().windowId]) {
      rentals[0] = { ...replaced, replacingWindow: window };
      await lookLater(60_000);
    }
    rentals[0] = replaced;
    await lookLater(10_000);
    rentals[0] = { ...replaced, replacingWindow: hub.windowId };
    await look();
    rentals[0] = replaced;
    await lookLater(10_000);
    assert.deepEqual([told, isMarked()], [[], true]);
  });

  it('is one where the record of an older version does not name its window', async () => {
    rentals[0] = { ...replaced, replacingWindow: undefined };
    await lookLater(15_000);
    assert.deepEqual(told, [false]);
  });

  it('is none where nothing is being replaced, or no instance is', async () => {
    for (const change of [
      { replacingSince: undefined },
      { phase: { kind: 'notRented', at: 1, reason: text('Why') } },
    ] satisfies Partial<Rental>[]) {
      rentals[0] = { ...replaced, ...change };
      await lookLater(60_000);
      assert.deepEqual([told, rentals[0].replacingWindow], [[], 'gone']);
    }
    rentals.splice(0);
    await lookLater(60_000);
    assert.deepEqual(told, []);
  });

  it('is told as destroyed only once the instance is proved to be gone', async () => {
    const lacking: FleetSnapshot = { instances: [], skipped: 0 };
    const doubtful: FleetSnapshot = { ...there, unconfirmed: [id] };
    await lookLater(60_000, lacking);
    await lookLater(60_000, doubtful);
    assert.deepEqual([told, isMarked()], [[], true]);
    hasEnded = true;
    await look(doubtful);
    assert.deepEqual([told, isMarked()], [[true], false]);
  });

  it('is not told where another one may have been rented in its place', async () => {
    const next: Rental = {
      ...replaced,
      marker: 'bbbbbbbb',
      replaces: replaced.marker,
      phase: { kind: 'sent' },
    };
    rentals.push(next);
    await lookLater(15_000);
    assert.deepEqual([told, isMarked()], [[], false]);
    rentals.splice(0, 2, replaced, { ...next, phase: { kind: 'notRented', at: 1, reason: text('Why') } });
    await lookLater(15_000);
    assert.deepEqual([told, isMarked()], [[false], false]);
  });
});
