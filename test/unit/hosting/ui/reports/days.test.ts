import assert from 'node:assert/strict';
import { DayRange, daysOfAxis } from '../../../../../src/hosting/ui/reports/days';

const dayMs = 86_400_000;
const first = Date.UTC(2026, 0, 1) / dayMs;

describe('The days of a report', () => {
  function scene(hour = 12) {
    let now = Date.UTC(2026, 0, 31, hour);
    const range = new DayRange(() => now);
    const span = () => [range.start - first + 1, range.end - first + 1];
    const read = (signal = new AbortController().signal) =>
      range.read(({ start, end }) => Promise.resolve([start - first + 1, end - first + 1]), signal);
    const pass = (ms: number) => {
      now += ms;
    };
    return { range, span, read, pass };
  }

  it('are the last 30 with today, unless another number is chosen', () => {
    const { range, span } = scene();
    assert.deepEqual([span(), range.preset], [[2, 31], '30']);
    assert.ok(range.set('preset', '7'));
    assert.deepEqual([span(), range.preset], [[25, 31], '7']);
    assert.ok(range.set('preset', '1'));
    assert.deepEqual(span(), [31, 31]);
  });

  for (const odd of ['0', '-1', '1.5', 'dates']) {
    it(`stay where dates are to be chosen, which needs no other figures: ${odd}`, () => {
      const { range, span } = scene();
      assert.equal(range.set('preset', odd), false);
      assert.deepEqual([span(), range.preset], [[2, 31], 'dates']);
    });
  }

  it('are read again where dates are to be chosen past midnight', () => {
    const { range, pass } = scene();
    pass(dayMs / 2);
    assert.equal(range.set('preset', 'dates'), true);
  });

  it('are those of the last read, past midnight too, and of today from the next one on', async () => {
    const { span, read, pass } = scene();
    pass(dayMs);
    assert.deepEqual(span(), [2, 31]);
    assert.deepEqual(await read(AbortSignal.abort()), [3, 32]);
    assert.deepEqual(span(), [2, 31]);
    await read();
    assert.deepEqual(span(), [3, 32]);
  });

  it('are chosen in any order', () => {
    const { range, span } = scene();
    assert.ok(range.set('start', '2026-01-10'));
    assert.deepEqual([span(), range.preset], [[10, 31], 'dates']);
    assert.ok(range.set('end', '2026-01-05'));
    assert.deepEqual(span(), [5, 10]);
    assert.ok(range.set('preset', '30'));
    assert.deepEqual(span(), [2, 31]);
  });

  for (const [id, value] of [
    ['start', 'tomorrow'],
    ['start', '2026-1-5'],
    ['end', '2026-13-01'],
    ['other', '2026-01-05'],
  ] as const) {
    it(`stay where a date can’t be read: ${id} ${value}`, () => {
      const { range, span } = scene();
      assert.equal(range.set(id, value), false);
      assert.deepEqual(span(), [2, 31]);
    });
  }

  it('have gaps on an axis, unless they are absurd', () => {
    assert.deepEqual(daysOfAxis([]), []);
    assert.deepEqual(daysOfAxis([3, 5, 5]), [3, 4, 5]);
    assert.equal(daysOfAxis([1, 3660]).length, 3660);
    assert.deepEqual(daysOfAxis([1, 3661]), [1, 3661]);
    assert.deepEqual(daysOfAxis([1, 1.5, 1.5]), [1, 1.5]);
  });
});
