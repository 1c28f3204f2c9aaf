import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { atTruePace, PacedClock, readPace, wait } from '../../../src/util/clock';
import { FakeClock } from '../../support/fakeClock';

const module = path.resolve(__dirname, '../../../src/util/clock.ts');

describe('the system clock', () => {
  for (const [value, pace] of [
    ['1', 1],
    ['6', 6],
    ['2.5', 2.5],
    ['20', 20],
    ['0', 1],
    ['0.5', 1],
    ['21', 1],
    ['-6', 1],
    ['', 1],
    ['fast', 1],
    ['Infinity', 1],
    [undefined, 1],
  ] as const) {
    it(`runs at pace ${pace} where GPU_RENTAL_PACE is ${value ?? 'not set'}`, () => {
      assert.equal(readPace(value), pace);
    });
  }

  it('keeps the time of day at pace 1', () => {
    const before = Date.now();
    const now = new PacedClock(1, 0).now();
    assert.ok(now >= before && now <= Date.now());
  });

  it('gives limits on work of this computer the real time of day at any pace', () => {
    const before = Date.now();
    const now = atTruePace(new PacedClock(6, 0)).now();
    assert.ok(now >= before && now <= Date.now());
    const own = new FakeClock();
    assert.equal(atTruePace(own), own);
  });

  it('counts six seconds for each second since the given time', () => {
    const before = Date.now();
    const sinceMs = before - 10_000;
    const now = new PacedClock(6, sinceMs).now();
    assert.ok(now >= sinceMs + 60_000);
    assert.ok(now <= sinceMs + 6 * (Date.now() - sinceMs));
  });

  it('shortens delays by its pace, and cancels them', async () => {
    const clock = new PacedClock(20, Date.now());
    const ran: string[] = [];
    clock.schedule(() => ran.push('disposed'), 20).dispose();
    const from = performance.now();
    await wait(clock, 2_000);
    const took = performance.now() - from;
    // A timer may be a millisecond early; on a busy machine it is as late as it likes, but not by all of 1,900 ms.
    assert.ok(took >= 98 && took < 2_000, `${took} ms`);
    assert.deepEqual(ran, []);
  });

  it('is the same in all processes that know when the faster time began', () => {
    const before = Date.now();
    const program = `console.log(require(${JSON.stringify(module)}).systemClock.now())`;
    const since = before - 100_000;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--require', './scripts/sources.cjs', '--eval', program],
      {
        encoding: 'utf8',
        env: { ...process.env, GPU_RENTAL_PACE: '6', GPU_RENTAL_PACE_SINCE: String(since) },
      },
    );
    const now = Number(stdout);
    assert.ok(now >= since + 600_000 && now <= since + 6 * (Date.now() - since), stdout + stderr);
  });
});
