import assert from 'node:assert/strict';
import type { Instance } from '../../../../src/model/instances/instance';
import { fromDollars } from '../../../../src/model/money';
import type { Account } from '../../../../src/store/accounts/accounts';
import type { FleetSnapshot } from '../../../../src/store/instances/fleetStore';
import { listVerdict, readBack, type ListVerdict } from '../../../../src/store/rentals/rentalOutcome';
import type { Rental } from '../../../../src/store/rentals/rentalStore';
import { silentLog } from '../../../../src/util/log';
import { text } from '../../../../src/util/text';
import { anInstance, anOffer } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';

const marker = 'a1b2c3d4';
const mine = anInstance({ id: 7777, label: `training [gr-${marker}]` });

/** What was rented just now, as far as its machine tells. */
const bare = (id: number, label = '') =>
  anInstance({ id, label, startedAt: Date.UTC(2026, 0, 15, 12) / 1000 });

interface List {
  readonly items: readonly Instance[];
  readonly skipped: number;
  readonly found?: number;
}
const whole: List = { items: [], skipped: 0, found: 0 };
/** The service counted an instance that it did not send. */
const short: List = { items: [], skipped: 0, found: 1 };

/** What is concluded from these lists, in this order; the last one is given again and again. */
async function conclusion(lists: readonly List[], offer = anOffer()): Promise<string | undefined> {
  const clock = new FakeClock();
  let reads = 0;
  const list = () => Promise.resolve(lists[Math.min(reads++, lists.length - 1)]);
  const rental = { marker, requestedAt: clock.now(), idsBefore: [], offer };
  const read = readBack(
    // What a read-back uses of them.
    { client: { instances: { list } } } as unknown as Account,
    rental as unknown as Rental,
    { found: (id) => Promise.resolve(`found ${id}`), none: () => Promise.resolve('none') },
    { clock, log: silentLog, signal: new AbortController().signal, taken: () => new Set() },
  );
  return clock.through(read);
}

describe('the lists after a rental whose answer was lost', () => {
  it('prove that there is none only where two of them are whole, the last one included', async () => {
    assert.equal(await conclusion([whole]), 'none');
    assert.equal(await conclusion([...Array<List>(6).fill(short), whole]), 'none');
    assert.equal(await conclusion([...Array<List>(7).fill(short), whole]), undefined);
    assert.equal(await conclusion([...Array<List>(7).fill(whole), short]), undefined);
    assert.equal(await conclusion([{ ...whole, skipped: 1 }]), undefined);
  });

  it('show one without a mark only from the third on: a record may get its mark later', async () => {
    const list = (id: number, label: string): List => ({
      ...whole,
      items: [bare(id, label)],
      found: 1,
    });
    assert.equal(await conclusion([list(7777, ''), list(8888, '')]), 'found 8888');
    assert.equal(await conclusion([list(7777, ''), list(8888, ''), list(9999, '')]), 'found 9999');
    assert.equal(await conclusion([list(7777, `[gr-${marker}]`)]), 'found 7777');
  });

  it('show it by its mark, also where others are missing', async () => {
    assert.equal(await conclusion([whole, { ...short, items: [mine] }]), 'found 7777');
  });
});

const minute = 60_000;
const now = Date.UTC(2026, 0, 15, 12);
const newMarker = '0badcafe';
const own = anInstance({ id: 6001, label: `training [gr-${newMarker}]` });
const unlabelled = anInstance({ id: 6001, label: '', machineId: 178, startedAt: now / 1000 });

function aRental(phase: Rental['phase'], more: Partial<Rental> = {}): Rental {
  return {
    marker: newMarker,
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

describe('The outcome of a rental in a list', () => {
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

  it('is an instance without a label only once the answer is known to be lost, and never another rental’s', () => {
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
