import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import type { FleetSnapshot } from '../../../../src/store/instances/fleetStore';
import type { Rental } from '../../../../src/store/rentals/rentalStore';
import { listVerdict, type ListVerdict } from '../../../../src/store/rentals/listVerdict';
import { text } from '../../../../src/util/text';
import { anInstance, anOffer } from '../../../support/builders';

const minute = 60_000;
const now = Date.UTC(2026, 0, 15, 12);
const marker = '0badcafe';
const own = anInstance({ id: 6001, label: `training [gr-${marker}]` });
const unlabelled = anInstance({ id: 6001, label: '', machineId: 178, startedAt: now / 1000 });

function aRental(phase: Rental['phase'], more: Partial<Rental> = {}): Rental {
  return {
    marker,
    accountKey: 'a',
    windowId: 'w',
    requestedAt: now - 30 * minute,
    offer: anOffer({ machineId: 178 }),
    config: {},
    idsBefore: [],
    rentalType: 'on-demand',
    priceLimit: fromDollars(1),
    phase,
    ...more,
  };
}

function judge(
  rental: Rental,
  list: Partial<FleetSnapshot> = {},
  facts: {
    isOwnerAtWork?: boolean;
    missedForMs?: number;
    hasEnded?: boolean;
    taken?: readonly number[];
  } = {},
): ListVerdict {
  return listVerdict(
    rental,
    { instances: [], skipped: 0, ...list },
    {
      now,
      isOwnerAtWork: facts.isOwnerAtWork ?? false,
      hasEnded: () => facts.hasEnded ?? true,
      missedForMs: () => facts.missedForMs ?? minute,
      taken: () => new Set(facts.taken),
    },
  );
}

describe('What a list says of a rental', () => {
  const sent = aRental({ kind: 'sent' });
  const longUnknown = aRental({ kind: 'notKnown', since: now - 5 * minute });
  const ready = aRental({ kind: 'ready', instanceId: 6001, at: now });

  it('is nothing while its sender is at work on it', () => {
    assert.deepEqual(judge(sent, { instances: [own] }, { isOwnerAtWork: true }), { kind: 'nothing' });
  });

  it('is its instance, by the label, also a day after it was given up', () => {
    const found = { kind: 'found', instanceId: 6001 };
    assert.deepEqual(judge(sent, { instances: [own] }), found);
    const givenUp = { kind: 'notRented' as const, at: now, reason: text('It did not arrive.') };
    assert.deepEqual(judge(aRental(givenUp), { instances: [own] }), found);
    const late = aRental(givenUp, { requestedAt: now - 24 * 60 * minute + 1 });
    assert.deepEqual(judge(late, { instances: [own] }), found);
    const long = aRental(givenUp, { requestedAt: now - 24 * 60 * minute });
    assert.deepEqual(judge(long, { instances: [own] }), { kind: 'nothing' });
  });

  it('takes an instance without a label only once the answer is known to be lost, and never another rental’s', () => {
    const list = { instances: [unlabelled] };
    assert.deepEqual(judge(sent, list), { kind: 'open' });
    assert.deepEqual(judge(longUnknown, list), { kind: 'found', instanceId: 6001 });
    assert.deepEqual(judge(longUnknown, list, { taken: [6001] }), { kind: 'notRented' });
  });

  it('is the end of the search only after a minute and in a complete list', () => {
    assert.deepEqual(judge(longUnknown), { kind: 'notRented' });
    assert.deepEqual(judge(longUnknown, { skipped: 1 }), { kind: 'nothing' });
    assert.deepEqual(judge(longUnknown, { missing: 2 }), { kind: 'nothing' });
    assert.deepEqual(judge(longUnknown, {}, { missedForMs: 30_000 }), { kind: 'nothing' });
  });

  it('is that its instance is gone, once, where that is proved, and that it is back', () => {
    assert.deepEqual(judge(ready), { kind: 'gone', instanceId: 6001 });
    assert.deepEqual(judge(ready, { instances: [own] }), { kind: 'nothing' });
    assert.deepEqual(judge(ready, {}, { hasEnded: false }), { kind: 'nothing' });
    assert.deepEqual(judge({ ...ready, goneAt: now }), { kind: 'nothing' });
    assert.deepEqual(judge({ ...ready, goneAt: now }, { instances: [own] }), { kind: 'back' });
  });
});
