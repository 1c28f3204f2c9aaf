import assert from 'node:assert/strict';
import { noFacts } from '../../../../src/model/instances/instanceState';
import { fromDollars, subtract } from '../../../../src/model/money';
import { perHour, quoteOffer } from '../../../../src/model/quote';
import type { Volume } from '../../../../src/model/volume';
import type { Loaded } from '../../../../src/shared/reading';
import { burnNow, burnSoon, roomBeside, signsOf } from '../../../../src/store/instances/burn';
import type { FleetSnapshot } from '../../../../src/store/instances/fleetStore';
import type { Rental } from '../../../../src/store/rentals/rentalStore';
import { anInstance, anOffer } from '../../../support/builders';

const now = Date.UTC(2026, 0, 15, 12);
const ready = <T>(value: T): Loaded<T> => ({ kind: 'ready', value, fetchedAt: now });
const fleetOf = (...instances: FleetSnapshot['instances']) => ready({ instances, skipped: 0 });

function burn(fleet: Loaded<FleetSnapshot>, volumes: Loaded<readonly Volume[]>) {
  const { perHour, volumesPerHour, isPartial } = burnNow({
    fleet: { state: fleet, facts: () => noFacts },
    volumes: { state: volumes },
    clock: { now: () => now },
  });
  return [perHour, volumesPerHour, isPartial];
}

describe('What is paid now', () => {
  const volumes = [
    { id: 1, perHour: fromDollars(0.0083), instanceIds: [5001] },
    { id: 2, perHour: fromDollars(0.0042), instanceIds: [] },
  ];

  it('has volumes in it, used or not, to the millionth', () => {
    assert.deepEqual(burn(fleetOf(anInstance()), ready(volumes)), [412_500, 12_500, false]);
    assert.deepEqual(burn(fleetOf(), ready(volumes)), [12_500, 12_500, false]);
    assert.deepEqual(burn(fleetOf(anInstance()), ready([])), [400_000, 0, false]);
  });

  it('is at least so much where the price of a volume is not stated, or they are not read', () => {
    const unpriced = [...volumes, { id: 3 }];
    assert.deepEqual(burn(fleetOf(anInstance()), ready(unpriced)), [412_500, 12_500, true]);
    assert.deepEqual(burn(fleetOf(anInstance()), { kind: 'idle' }), [400_000, 0, true]);
    const failed = { kind: 'failed' as const, error: new Error('no') };
    assert.deepEqual(burn(fleetOf(anInstance()), failed), [400_000, 0, true]);
  });

  it('is early until the volumes were read, and never where an instance is missing', () => {
    const early = (fleet: Loaded<FleetSnapshot>, state: Loaded<readonly Volume[]>) =>
      burnNow({
        fleet: { state: fleet, facts: () => noFacts },
        volumes: { state },
        clock: { now: () => now },
      }).isEarly;
    assert.equal(early(fleetOf(anInstance()), { kind: 'idle' }), true);
    assert.equal(early(fleetOf(anInstance()), { kind: 'loading' }), true);
    assert.equal(early({ kind: 'idle' }, { kind: 'idle' }), false);
    assert.equal(early(fleetOf(anInstance()), ready([])), false);
    assert.equal(early(fleetOf(anInstance()), { kind: 'failed', error: new Error('no') }), false);
  });

  it('is at least so much where a volume could not be read', () => {
    const state = { ...ready(volumes), skipped: 1 };
    assert.deepEqual(burn(fleetOf(anInstance()), state), [412_500, 12_500, true]);
  });

  it('is at least so much where instances are missing', () => {
    const instances = [anInstance()];
    assert.equal(burn(ready({ instances, skipped: 1 }), ready([]))[2], true);
    assert.equal(burn(ready({ instances, skipped: 0, missing: 3 }), ready([]))[2], true);
    assert.deepEqual(burn({ kind: 'idle' }, ready([])), [0, 0, true]);
  });

  it('is at least so much for limits where the list is old, and never only early', () => {
    const value = { instances: [anInstance()], skipped: 0 };
    const soon = (fetchedAt: number) =>
      burnSoon({
        fleet: { state: { kind: 'ready', value, fetchedAt }, facts: () => noFacts },
        volumes: { state: { kind: 'loading' } },
        rentals: { rentals: [] },
        clock: { now: () => now },
      });
    const signs = [now, now - 24 * 3_600_000].map((fetchedAt) => {
      const { isPartial, isEarly } = soon(fetchedAt);
      return [isPartial, isEarly];
    });
    assert.deepEqual(signs, [
      [true, true],
      [true, false],
    ]);
  });

  it('has a sign that shows whether it may be too high or too low', () => {
    const rows = [false, true].flatMap((isPartial) =>
      [false, true].flatMap((isEarly) =>
        [false, true].map((isAtMost) => {
          const { rate, credit } = signsOf({ isPartial, isEarly, isAtMost });
          return [isPartial, isEarly, isAtMost, rate, credit];
        }),
      ),
    );
    assert.deepEqual(rows, [
      [false, false, false, '', ''],
      [false, false, true, '≤ ', '≥ '],
      [false, true, false, '', ''],
      [false, true, true, '≤ ', '≥ '],
      [true, false, false, '≥ ', '≤ '],
      [true, false, true, '≈ ', '≈ '],
      [true, true, false, '', ''],
      [true, true, true, '≤ ', '≥ '],
    ]);
  });

  it('leaves less of a limit while a rental is under way, until the list has its instance', () => {
    const room = (...kinds: readonly Rental['phase'][]) =>
      roomBeside(
        {
          fleet: { state: fleetOf(anInstance(), anInstance({ id: 5002 })), facts: () => noFacts },
          volumes: { state: ready([]) },
          clock: { now: () => now },
          rentals: {
            rentals: kinds.map((phase) => ({
              ...{ marker: '0123abcd', accountKey: 'account', windowId: 'window', requestedAt: now, phase },
              ...{ offer: anOffer(), config: {}, rentalType: 'on-demand', priceLimit: fromDollars(1) },
            })),
          },
        },
        2,
        5002,
      ).roomPerHour;
    assert.equal(room(), fromDollars(1.6));
    const price = quoteOffer(anOffer(), { rentalType: 'on-demand', diskGb: 0, searchedDiskGb: 0 }).running;
    assert.ok(price);
    const less = subtract(fromDollars(1.6), perHour(price));
    assert.equal(room({ kind: 'sent' }), less);
    assert.equal(room({ kind: 'notKnown', since: now }), less);
    assert.equal(room({ kind: 'waiting', instanceId: 5001, since: now }), fromDollars(1.6));
    assert.equal(room({ kind: 'ended', instanceId: 5003 }), fromDollars(1.6));
  });
});
