import assert from 'node:assert/strict';
import type { Charge } from '../../../../src/model/accounts/charge';
import { fromDollars } from '../../../../src/model/money';
import { readLedger } from '../../../../src/store/budget/readLedger';

const day = 86_400;
const seconds = (text: string) => Date.parse(text) / 1000;
const now = seconds('2026-01-15T12:00:00Z');
const charge: Charge = {
  ...{ start: now - 3600, end: now, type: 'instance', source: 'instance-7' },
  ...{ amount: fromDollars(1), items: [] },
};

interface Answer {
  readonly date?: string;
  readonly rows?: number;
  readonly skipped?: number;
  readonly isComplete?: boolean;
}

/** What is read of a service that answers each request alike, and the ends of the ranges that were asked for. */
async function reading({ date, rows = 1, skipped = 0, isComplete = true }: Answer) {
  const ends: number[] = [];
  const list: Parameters<typeof readLedger>[0]['charges']['list'] = (range, options) => {
    ends.push(range.to);
    options?.onHeaders?.(date === undefined ? {} : { date }, 0);
    return Promise.resolve({ items: Array.from({ length: rows }, () => charge), skipped, isComplete });
  };
  const { ledger, pages } = await readLedger({ charges: { list } }, now, {});
  return { ...ledger, pages, ends };
}

describe('a reading of the charges for a budget', () => {
  it('is of the time that the service states', async () => {
    const { at, isClockProved, isWhole, ends } = await reading({ date: 'Thu, 15 Jan 2026 12:00:30 GMT' });
    assert.deepEqual([at, isClockProved, isWhole, ends], [now + 30, true, true, [now + day]]);
  });

  it('is of the time of this computer where the service states none, which proves nothing', async () => {
    const { at, isClockProved, isWhole } = await reading({});
    assert.deepEqual([at, isClockProved, isWhole], [now, false, true]);
  });

  for (const [what, date, times] of [
    ['a day ahead', '2026-01-16T12:00:00Z', 1],
    ['more than a day ahead', '2026-01-16T12:00:01Z', 2],
    ['a week behind', '2026-01-08T12:00:00Z', 1],
    ['of an earlier month', '2025-11-15T12:00:00Z', 2],
  ] as const) {
    it(`is made ${times === 1 ? 'once' : 'again'} where the service is ${what}`, async () => {
      const { at, isWhole, ends } = await reading({ date: new Date(date).toUTCString() });
      assert.deepEqual([at, isWhole, ends.length], [seconds(date), true, times]);
      assert.equal(ends.at(-1), (times === 1 ? now : at) + day);
    });
  }

  for (const [what, answer] of [
    ['pages are missing', { isComplete: false }],
    ['rows were not understood', { skipped: 1 }],
  ] as const) {
    it(`is not whole where ${what}`, async () => {
      assert.equal((await reading({ ...answer, date: 'Thu, 15 Jan 2026 12:00:00 GMT' })).isWhole, false);
    });
  }

  for (const [rows, skipped, pages] of [
    [0, 0, 1],
    [100, 0, 1],
    [100, 1, 2],
    [101, 0, 2],
    [200, 0, 2],
  ] as const) {
    it(`counts ${pages} pages of ${rows} rows and ${skipped} others`, async () => {
      assert.equal((await reading({ rows, skipped })).pages, pages);
    });
  }
});
