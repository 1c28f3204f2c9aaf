import assert from 'node:assert/strict';
import fc from 'fast-check';
import { AcceptGuard, guardTimes, unaskedTimes } from '../../../../src/model/rentals/acceptGuard';
import { FakeClock } from '../../../support/fakeClock';

function guarded(times = guardTimes) {
  const clock = new FakeClock();
  const guard = new AcceptGuard(clock, times);
  let rented = 0;
  return {
    clock,
    guard,
    press: () => {
      guard.accept(() => {
        rented += 1;
      });
    },
    get rented() {
      return rented;
    },
  };
}

describe('the guard of the confirmation', () => {
  it('accepts one Enter, once', async () => {
    const test = guarded();
    test.guard.shown();
    await test.clock.advance(2000);
    test.press();
    assert.equal(test.rented, 0);
    await test.clock.advance(guardTimes.aloneMs);
    assert.equal(test.rented, 1);
    await test.clock.advance(60_000);
    assert.equal(test.rented, 1);
    assert.equal(test.clock.pending, 0);
  });

  it('accepts an Enter after the clock was set back', async () => {
    const test = guarded();
    test.guard.note();
    test.guard.shown();
    await test.clock.advance(2000);
    test.clock.jump(-3_600_000);
    test.press();
    await test.clock.advance(3000);
    assert.equal(test.rented, 1);
  });

  it('ignores an Enter that follows at once on the step before', async () => {
    const test = guarded();
    test.guard.note();
    test.guard.shown();
    await test.clock.advance(200);
    test.press();
    await test.clock.advance(60_000);
    assert.equal(test.rented, 0);
  });

  it('accepts a second Enter after an ignored one, once that was released', async () => {
    const test = guarded();
    test.guard.note();
    test.guard.shown();
    await test.clock.advance(200);
    test.press();
    await test.clock.advance(1000);
    test.press();
    await test.clock.advance(1500);
    assert.equal(test.rented, 1);
  });

  it('accepts no key whose first repetition is late and the others slow', async () => {
    for (const [first, every] of [
      [700, 300],
      [750, 700],
      [1000, 900],
      [1800, 1800],
    ] as const) {
      const test = guarded();
      test.guard.note();
      test.guard.shown();
      await test.clock.advance(first);
      for (let repeat = 0; repeat < 6; repeat += 1) {
        test.press();
        await test.clock.advance(every);
      }
      await test.clock.advance(60_000);
      assert.equal(test.rented, 0, `${first} ms, then ${every} ms`);
    }
  });

  it('accepts an Enter once a slow train has ended', async () => {
    const test = guarded();
    test.guard.note();
    test.guard.shown();
    await test.clock.advance(1000);
    for (let repeat = 0; repeat < 5; repeat += 1) {
      test.press();
      await test.clock.advance(800);
    }
    await test.clock.advance(1500);
    test.press();
    await test.clock.advance(3000);
    assert.equal(test.rented, 1);
  });

  it('never accepts a key held down from the step before, at any delay and rate of repetition', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 150, max: guardTimes.slowestMs }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        fc.integer({ min: 2, max: 40 }),
        async (delayMs, share, repeats) => {
          // No system repeats more slowly than it begins to.
          const everyMs = Math.max(15, Math.round(delayMs * share));
          const test = guarded();
          test.guard.note();
          test.guard.shown();
          await test.clock.advance(delayMs);
          for (let repeat = 0; repeat < repeats; repeat += 1) {
            test.press();
            await test.clock.advance(everyMs);
          }
          await test.clock.advance(60_000);
          assert.equal(test.rented, 0);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('does not act once the step is left', async () => {
    const test = guarded();
    test.guard.shown();
    await test.clock.advance(2000);
    test.press();
    test.guard.hidden();
    await test.clock.advance(60_000);
    assert.equal(test.rented, 0);
    test.press();
    await test.clock.advance(60_000);
    assert.equal(test.rented, 0);
  });

  it('starts again when the step is shown again', async () => {
    const test = guarded();
    test.guard.shown();
    await test.clock.advance(2000);
    test.guard.shown();
    await test.clock.advance(guardTimes.settleMs - 1);
    test.press();
    await test.clock.advance(60_000);
    assert.equal(test.rented, 0);
  });

  it('leaves no timer behind', async () => {
    const test = guarded();
    test.guard.shown();
    await test.clock.advance(2000);
    test.press();
    test.guard.dispose();
    assert.equal(test.clock.pending, 0);
  });
});

describe('the guard of a question that appears by itself', () => {
  it('accepts nothing that was meant for what was shown before, and the next answer after that', async () => {
    const test = guarded(unaskedTimes);
    test.guard.shown();
    await test.clock.advance(unaskedTimes.settleMs - 1);
    test.press();
    await test.clock.advance(unaskedTimes.trainMs);
    assert.equal(test.rented, 0);
    test.press();
    await test.clock.advance(unaskedTimes.aloneMs);
    assert.equal(test.rented, 1);
  });

  it('accepts a double click', async () => {
    const test = guarded(unaskedTimes);
    test.guard.shown();
    await test.clock.advance(2000);
    test.press();
    await test.clock.advance(150);
    test.press();
    await test.clock.advance(2000);
    assert.equal(test.rented, 1);
  });

  it('accepts no key that is held down', async () => {
    const test = guarded(unaskedTimes);
    test.guard.shown();
    for (let repeat = 0; repeat < 60; repeat += 1) {
      await test.clock.advance(repeat === 0 ? 480 : 33);
      test.press();
    }
    await test.clock.advance(2000);
    assert.equal(test.rented, 0);
  });
});
