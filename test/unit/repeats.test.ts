import assert from 'node:assert/strict';
import path from 'node:path';

interface Repeat {
  readonly runs: number;
  readonly failures: readonly unknown[];
}
type Repeats = Readonly<Record<string, Repeat>>;
interface Counting {
  nextSuite(
    suites: readonly string[],
    repeats: Repeats,
    aimOf: (suite: string) => number,
    underWay: ReadonlySet<string>,
  ): string | undefined;
  added(
    repeats: Repeats,
    suite: string,
    numbers: { readonly failed: number; readonly failures: readonly { title: string; reason: string }[] },
    now: Date,
  ): Repeats;
  repeatsText(suites: readonly string[], repeats: Repeats, aimOf: (suite: string) => number): string[];
}

const aimOf = (suite: string) => (suite === 'often' ? 100 : 50);
const ran = (runs: number): Repeat => ({ runs, failures: [] });

describe('Repeated suites', () => {
  let counting: Counting;
  before(async () => {
    counting = (await import(
      path.resolve(__dirname, '..', '..', 'scripts', 'testing', 'repeats.mjs')
    )) as Counting;
  });

  it('run first where they lack the largest share, once at a time, until all have enough', () => {
    const next = (repeats: Repeats, ...busy: string[]) =>
      counting.nextSuite(['often', 'seldom'], repeats, aimOf, new Set(busy));
    assert.equal(next({ seldom: ran(1) }), 'often');
    assert.equal(next({ often: ran(3), seldom: ran(1) }), 'seldom');
    assert.equal(next({ often: ran(3), seldom: ran(1) }, 'seldom'), 'often');
    assert.equal(next({ often: ran(100), seldom: ran(49) }), 'seldom');
    assert.equal(next({ often: ran(100), seldom: ran(50) }), undefined);
  });

  it('are counted with the first reason of each failure', () => {
    const failures = [
      { title: 'opens', reason: 'in vain\nat a place' },
      { title: 'closes', reason: 'not open' },
    ];
    const once = counting.added({}, 'seldom', { failed: 2, failures }, new Date('2026-11-25T10:00:00Z'));
    const twice = counting.added(once, 'seldom', { failed: 0, failures: [] }, new Date());
    const other = counting.added(twice, 'often', { failed: 0, failures: [] }, new Date());
    assert.deepEqual(Object.entries(other), [
      ['often', ran(1)],
      ['seldom', { runs: 2, failures: [{ date: '2026-11-25', test: 'opens', reason: 'in vain' }] }],
    ]);
    assert.deepEqual(
      counting.repeatsText(['often', 'seldom', 'never'], other, () => 1),
      ['3 runs, 1 failed; 2 of 3 suites have as many runs as aimed at', 'seldom: 1 of 2 failed'],
    );
  });
});
