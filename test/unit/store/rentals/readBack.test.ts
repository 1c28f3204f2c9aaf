import assert from 'node:assert/strict';
import { readBack } from '../../../../src/store/rentals/readBack';
import { silentLog } from '../../../../src/util/log';
import { anInstance, anOffer } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import type { Account } from '../../../../src/store/accounts/accounts';
import type { Rental } from '../../../../src/store/rentals/rentalStore';
import type { Instance } from '../../../../src/model/instances/instance';

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
