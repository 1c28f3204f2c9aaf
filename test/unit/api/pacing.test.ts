import assert from 'node:assert/strict';
import { allReads, type LimitTable } from '../../../src/api/limits';
import { Pacer, type PacedCall } from '../../../src/api/pacing';
import { CancelledError } from '../../../src/util/errors';
import { FakeClock, settle } from '../../support/fakeClock';

const route = 'PUT /api/v0/asks/{offer_id}/';

function paced(limits: LimitTable = { [route]: { intervalMs: 4500 } }) {
  const clock = new FakeClock();
  const pacer = new Pacer(clock, limits);
  const start = clock.now();
  const left: number[] = [];
  const go = (options = {}, name = route) =>
    pacer.acquire({ route: name, repeat: 'write', rank: 0 }, options).then(() => {
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

  it('reports how long a call waits, and nothing when it does not wait', async () => {
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
      pacer
        .acquire({ route: search, repeat: 'read', rank: 0 })
        .then(() => void left.push(clock.now() - start)),
    );
    await clock.advance(61_000);
    await Promise.all(calls);
    assert.deepEqual(left, [...Array<number>(10).fill(0), 60_050, 60_050]);
  });

  it('learns an interval and holds a route back', async () => {
    const { clock, pacer, left, go } = paced({ [route]: { intervalMs: 0 } });
    pacer.refused(route, 700, 2000);
    const calls = [go(), go()];
    await clock.advance(5000);
    await Promise.all(calls);
    assert.deepEqual(left, [700, 2750]);
    assert.equal(pacer.intervalMs(route), 2000);
  });

  it('believes no interval and no wait beyond two minutes', async () => {
    const { clock, pacer, left, go } = paced();
    pacer.refused(route, 1e9, 1e9);
    assert.equal(pacer.intervalMs(route), 120_000);
    const call = go();
    await clock.advance(120_000);
    await call;
    assert.deepEqual(left, [120_000]);
  });

  const volumes = 'GET /api/v0/volumes/';
  const readOf = (name: string, rank: PacedCall['rank']): PacedCall => ({
    route: name,
    repeat: 'read',
    rank,
  });

  it('lets what the user waits for go first, and then the window in front', async () => {
    const clock = new FakeClock();
    const pacer = new Pacer(clock, { [volumes]: { intervalMs: 5500 } });
    const left: string[] = [];
    const go = (rank: PacedCall['rank'], name: string) =>
      pacer.acquire(readOf(volumes, rank)).then(() => void left.push(name));
    const calls = [go(2, 'first'), go(2, 'behind'), go(1, 'in front'), go(0, 'asked')];
    await clock.advance(20_000);
    await Promise.all(calls);
    assert.deepEqual(left, ['first', 'asked', 'in front', 'behind']);
  });

  it('counts all reads together, and holds no write back for them', async () => {
    const clock = new FakeClock();
    const pacer = new Pacer(clock, { [allReads]: { perPeriod: { calls: 2, periodMs: 10_000 } } });
    const left: string[] = [];
    const calls = ['a', 'b', 'c'].map((name) =>
      pacer.acquire(readOf(name, 0)).then(() => void left.push(`${name} ${String(clock.elapsed())}`)),
    );
    await pacer.acquire({ route: 'd', repeat: 'write', rank: 0 });
    assert.deepEqual(left, ['a 0', 'b 0']);
    await clock.advance(11_000);
    await Promise.all(calls);
    assert.deepEqual(left, ['a 0', 'b 0', 'c 10050']);
  });

  describe('while reads fail', () => {
    const down = new Error('down');

    it('makes those in the background ever more rarely, one at a time, until one works', async () => {
      const clock = new FakeClock();
      const pacer = new Pacer(clock, {});
      const tries: number[] = [];
      for (let at = 0; at < 200_000; at += 1000) {
        for (const name of ['a', 'b']) {
          await pacer.acquire(readOf(name, 1)).then(
            () => {
              tries.push(at / 1000);
              pacer.failed(name, down, 'service');
            },
            (error: unknown) => {
              assert.equal(error, down);
            },
          );
        }
        await clock.advance(1000);
      }
      assert.deepEqual(tries, [0, 5, 15, 35, 65, 95, 125, 155, 185]);
      pacer.worked('a');
      await Promise.all([pacer.acquire(readOf('a', 1)), pacer.acquire(readOf('b', 2))]);
    });

    it('lets only one find out whether it works again', async () => {
      const clock = new FakeClock();
      const pacer = new Pacer(clock, {});
      pacer.failed('a', down, 'service');
      await clock.advance(5000);
      await pacer.acquire(readOf('a', 1));
      await assert.rejects(pacer.acquire(readOf('b', 1)), down);
      await clock.advance(30_000);
      await pacer.acquire(readOf('b', 1));
    });

    it('ends those that wait for their turn, and keeps what the user waits for and other routes', async () => {
      const clock = new FakeClock();
      const pacer = new Pacer(clock, { [volumes]: { intervalMs: 5500 } });
      await pacer.acquire(readOf(volumes, 1));
      const behind = assert.rejects(pacer.acquire(readOf(volumes, 2)), down);
      const asked = pacer.acquire(readOf(volumes, 0));
      pacer.failed(volumes, down, 'route');
      await behind;
      assert.equal(clock.pending, 1, 'for the user');
      await pacer.acquire(readOf('b', 1));
      await clock.advance(6000);
      await asked;
      const last = assert.rejects(pacer.acquire(readOf(volumes, 1)), down);
      pacer.failed(volumes, down, 'route');
      await last;
      assert.equal(clock.pending, 0);
    });
  });
});
