import assert from 'node:assert/strict';
import { SimClock } from '../../../src/simulator/simClock';
import { FakeClock } from '../../support/fakeClock';

describe('The simulated clock', () => {
  it('runs skipped timers in their order, each at its own time', () => {
    const clock = new SimClock(new FakeClock(0));
    const seen: [string, number][] = [];
    clock.schedule(() => {
      seen.push(['late', clock.now()]);
    }, 3000);
    clock.schedule(() => {
      seen.push(['early', clock.now()]);
      clock.schedule(() => seen.push(['inner', clock.now()]), 1000);
    }, 1000);
    clock.advance(5000);
    assert.deepEqual(seen, [
      ['early', 1000],
      ['inner', 2000],
      ['late', 3000],
    ]);
    assert.equal(clock.now(), 5000);
  });

  it('follows its base without being skipped', async () => {
    const base = new FakeClock(0);
    const clock = new SimClock(base);
    let ran = 0;
    clock.schedule(() => (ran += 1), 1000);
    await base.advance(999);
    assert.equal(ran, 0);
    await base.advance(1);
    assert.equal(ran, 1);
    assert.equal(base.pending, 0);
  });

  it('runs its timers in time while the clock of the computer is set', async () => {
    for (const jump of [-3_600_000, 3_600_000]) {
      const base = new FakeClock();
      const clock = new SimClock(base);
      const ran: number[] = [];
      clock.schedule(() => ran.push(clock.elapsed()), 1000);
      base.jump(jump);
      await base.advance(999);
      assert.deepEqual(ran, []);
      await base.advance(1);
      assert.deepEqual(ran, [1000]);
      assert.equal(clock.now(), base.now());
    }
  });

  it('forgets a timer that was disposed', () => {
    const clock = new SimClock(new FakeClock(0));
    let ran = false;
    clock
      .schedule(() => {
        ran = true;
      }, 10)
      .dispose();
    clock.advance(100);
    assert.equal(ran, false);
  });

  it('shortens the waits of machines and not the time itself', () => {
    const clock = new SimClock(new FakeClock(0), 0, 5);
    assert.equal(clock.shortened(1000), 200);
    clock.advance(1000);
    assert.equal(clock.now(), 1000);
    clock.speed = 0;
    assert.equal(clock.speed, 1);
  });

  it('waits for longer than the platform can in one go', async () => {
    const base = new FakeClock(0);
    const clock = new SimClock(base);
    const monthMs = 31 * 86_400_000;
    let at = 0;
    clock.schedule(() => {
      at = clock.now();
    }, monthMs);
    await base.advance(monthMs);
    assert.equal(at, monthMs);
  });
});
