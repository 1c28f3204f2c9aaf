import assert from 'node:assert/strict';
import type { LimitTable } from '../../../src/api/limits';
import { Pacer } from '../../../src/api/pacing';
import { CancelledError } from '../../../src/util/errors';
import { FakeClock, settle } from '../../support/fakeClock';

const route = 'PUT /api/v0/asks/{offer_id}/';

function paced(limits: LimitTable = { [route]: { intervalMs: 4500 } }) {
  const clock = new FakeClock();
  const pacer = new Pacer(clock, limits);
  const start = clock.now();
  const left: number[] = [];
  const go = (options = {}, name = route) =>
    pacer.acquire(name, options).then(() => {
      left.push(clock.now() - start);
    });
  return { clock, pacer, left, go };
}

describe('Pacer', () => {
  it('lets the first call go at once and keeps the next ones apart, in order', async () => {
    const { clock, left, go } = paced();
    const calls = [go(), go(), go()];
    await clock.advance(20_000);
    await Promise.all(calls);
    assert.deepEqual(left, [0, 4550, 9100]);
  });

  it('waits no longer when the clock is set back, and no shorter', async () => {
    const { clock, left, go } = paced({
      [route]: { intervalMs: 4500 },
      'POST /api/v0/bundles/': { perPeriod: { calls: 1, periodMs: 60_000 } },
    });
    await Promise.all([go(), go({}, 'POST /api/v0/bundles/')]);
    clock.jump(-3_600_000);
    const waits: number[] = [];
    const options = { onWait: (ms: number) => waits.push(ms) };
    const calls = [go(options), go(options, 'POST /api/v0/bundles/')];
    await clock.advance(61_000);
    await Promise.all(calls);
    assert.equal(left.length, 4);
    assert.deepEqual(waits, [4550, 60_050]);
  });

  it('does not slow one route down for another', async () => {
    const { left, go } = paced();
    await Promise.all([go(), go({}, 'GET /api/v0/users/current/'), go({}, 'GET /api/v0/users/current/')]);
    assert.deepEqual(left, [0, 0, 0]);
  });

  it('tells how long a call waits, and says nothing when it does not wait', async () => {
    const { clock, go } = paced();
    const waits: number[] = [];
    const onWait = (ms: number) => waits.push(ms);
    const calls = [go({ onWait }), go({ onWait })];
    await clock.advance(5000);
    await Promise.all(calls);
    assert.deepEqual(waits, [4550]);
  });

  it('gives the slot of a cancelled wait to the next call', async () => {
    const { clock, left, go } = paced();
    const controller = new AbortController();
    await go();
    const cancelled = go({ signal: controller.signal });
    await settle();
    controller.abort();
    await assert.rejects(cancelled, CancelledError);
    const next = go();
    await clock.advance(4550);
    await next;
    assert.deepEqual(left, [0, 4550]);
    assert.equal(clock.pending, 0);
  });

  it('allows so many calls in a period and then waits for the oldest to leave it', async () => {
    const search = 'POST /api/v0/bundles/';
    const clock = new FakeClock();
    const pacer = new Pacer(clock, { [search]: { perPeriod: { calls: 10, periodMs: 60_000 } } });
    const start = clock.now();
    const left: number[] = [];
    const calls = Array.from({ length: 12 }, () =>
      pacer.acquire(search).then(() => void left.push(clock.now() - start)),
    );
    await clock.advance(61_000);
    await Promise.all(calls);
    assert.deepEqual(left, [...Array<number>(10).fill(0), 60_050, 60_050]);
  });

  it('learns an interval and holds a route back', async () => {
    const { clock, pacer, left, go } = paced({ [route]: { intervalMs: 0 } });
    pacer.learn(route, 2000);
    pacer.holdBack(route, 700);
    const calls = [go(), go()];
    await clock.advance(5000);
    await Promise.all(calls);
    assert.deepEqual(left, [700, 2750]);
    assert.equal(pacer.intervalMs(route), 2000);
  });

  it('believes no interval and no wait beyond two minutes', async () => {
    const { clock, pacer, left, go } = paced();
    pacer.learn(route, 1e9);
    pacer.holdBack(route, 1e9);
    assert.equal(pacer.intervalMs(route), 120_000);
    const call = go();
    await clock.advance(120_000);
    await call;
    assert.deepEqual(left, [120_000]);
  });
});
