import assert from 'node:assert/strict';
import { SearchBudget, searchesPerMinute } from '../../../../src/store/offers/searchBudget';
import { FakeClock } from '../../../support/fakeClock';
import { FakeHubs } from '../../../support/fakeWindows';

describe('the searches of a minute', () => {
  it('are counted together over all windows', async () => {
    const clock = new FakeClock();
    const hubs = new FakeHubs();
    const [first, second] = [new SearchBudget(clock, hubs.open()), new SearchBudget(clock, hubs.open())];
    for (let time = 0; time < searchesPerMinute; time += 1) {
      assert.equal(second.waitMs(), 0);
      (time % 2 === 0 ? first : second).note();
      await clock.advance(1000);
    }
    assert.equal(first.waitMs(), 60_000 - searchesPerMinute * 1000);
    assert.equal(second.waitMs(), first.waitMs());
    await clock.advance(first.waitMs());
    assert.equal(first.waitMs(), 0);
  });

  it('do not hold anybody up for an hour when the clock is set back by one', () => {
    const clock = new FakeClock();
    const budget = new SearchBudget(clock, new FakeHubs().open());
    for (let time = 0; time < searchesPerMinute; time += 1) {
      budget.note();
    }
    assert.equal(budget.waitMs(), 60_000);
    clock.jump(-3_600_000);
    assert.ok(budget.waitMs() <= 60_000);
  });

  for (const [direction, hours] of [
    ['forward', 1],
    ['back', -1],
  ] as const) {
    it(`still count when the clock is set ${direction}`, async () => {
      const clock = new FakeClock();
      const budget = new SearchBudget(clock, new FakeHubs().open());
      for (let time = 0; time < searchesPerMinute; time += 1) {
        budget.note();
      }
      await clock.advance(10_000);
      clock.jump(hours * 3_600_000);
      assert.equal(budget.waitMs(), 50_000);
    });
  }

  it('are over after a minute to the millisecond', async () => {
    const clock = new FakeClock();
    const budget = new SearchBudget(clock, new FakeHubs().open());
    budget.note();
    await clock.advance(59_999);
    assert.equal(budget.waitMs(1), 1);
    await clock.advance(1);
    assert.equal(budget.waitMs(1), 0);
  });

  it('are counted up to four times the limit, and by nothing that was disposed of', () => {
    const hubs = new FakeHubs();
    const [other, own] = [hubs.open(), hubs.open()];
    const budget = new SearchBudget(new FakeClock(), own);
    const disposed = new SearchBudget(new FakeClock(), other);
    disposed.dispose();
    for (let time = 0; time < 40; time += 1) {
      budget.note();
    }
    assert.deepEqual([budget.waitMs(32), budget.waitMs(33)], [60_000, 0]);
    assert.equal(disposed.waitMs(1), 0);
  });

  it('wait for their turn, report each wait, and are counted once they leave', async () => {
    const clock = new FakeClock();
    const hubs = new FakeHubs();
    const [budget, other] = [new SearchBudget(clock, hubs.open()), new SearchBudget(clock, hubs.open())];
    let waits = 0;
    const turn = (signal = new AbortController().signal) => budget.turn(signal, () => void (waits += 1));
    for (let time = 0; time < searchesPerMinute; time += 1) {
      await turn();
    }
    assert.deepEqual([waits, other.waitMs()], [0, 60_000]);
    let hasLeft = false;
    const next = turn().then(() => (hasLeft = true));
    await clock.advance(59_999);
    assert.deepEqual([waits, hasLeft], [1, false]);
    // What leaves elsewhere at that moment takes the turns.
    for (let time = 0; time < searchesPerMinute; time += 1) {
      other.note();
    }
    await clock.advance(1);
    assert.deepEqual([waits, hasLeft], [2, false]);
    await clock.advance(59_999);
    await next;
    assert.deepEqual([waits, budget.waitMs(1)], [2, 60_000]);
  });

  it('are not counted where they are given up while they wait', async () => {
    const clock = new FakeClock();
    const budget = new SearchBudget(clock, new FakeHubs().open());
    for (let time = 0; time < searchesPerMinute; time += 1) {
      budget.note();
    }
    const abort = new AbortController();
    const given = assert.rejects(budget.turn(abort.signal, () => undefined));
    abort.abort();
    await given;
    assert.equal(budget.waitMs(searchesPerMinute + 1), 0);
  });

  it('leave less to those who ask for less', () => {
    const clock = new FakeClock();
    const budget = new SearchBudget(clock, new FakeHubs().open());
    for (let time = 0; time < 4; time += 1) {
      budget.note();
    }
    assert.equal(budget.waitMs(4), 60_000);
    assert.equal(budget.waitMs(), 0);
  });
});
