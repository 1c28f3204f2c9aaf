import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Instance } from '../../../../src/model/instances/instance';
import { backOffMs } from '../../../../src/model/instances/pollPlan';
import { openFleetCache } from '../../../../src/store/instances/fleetShared';
import { fleetIntervalMs, Poller, type FleetSituation } from '../../../../src/store/instances/poller';
import { RememberedFacts } from '../../../../src/store/instances/rememberedFacts';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';

interface Read {
  readonly at: number;
  readonly isUnasked: boolean;
  readonly signal: AbortSignal;
  readonly works: () => void;
  readonly fails: () => void;
}

describe('A poller', () => {
  let clock: FakeClock;
  let reads: Read[];
  let interval: number | undefined;
  let poller: Poller;
  beforeEach(() => {
    clock = new FakeClock();
    reads = [];
    interval = 20_000;
    poller = new Poller({
      clock,
      random: () => 0,
      interval: () => interval,
      read: ({ signal, isUnasked }) =>
        new Promise((resolve, reject) => {
          const fails = () => reject(new Error('down'));
          reads.push({ at: clock.elapsed(), isUnasked, signal, works: resolve, fails });
        }),
    });
  });
  afterEach(() => poller.dispose());

  const times = () => reads.map(({ at }) => at);
  const works = async () => {
    reads.at(-1)?.works();
    await clock.advance(0);
  };
  const fails = async () => {
    reads.at(-1)?.fails();
    await clock.advance(0);
  };
  const start = async () => {
    poller.plan();
    await clock.advance(0);
  };

  it('reads at once and then at its interval, one at a time', async () => {
    await start();
    await clock.advance(60_000);
    assert.deepEqual(times(), [0]);
    assert.equal(reads[0]?.isUnasked, true);
    await works();
    assert.deepEqual(times(), [0, 60_000]);
    await works();
    await clock.advance(19_999);
    assert.equal(reads.length, 2);
    await clock.advance(1);
    assert.deepEqual(times(), [0, 60_000, 80_000]);
  });

  it('reads nothing without an interval, and at once where there is one again', async () => {
    interval = undefined;
    await start();
    assert.equal(clock.pending, 0);
    interval = 20_000;
    await start();
    assert.deepEqual(times(), [0]);
  });

  it('sees within 30 seconds that a computer slept', async () => {
    interval = 3_600_000;
    await start();
    await works();
    assert.equal(clock.untilNext, 30_000);
    clock.jump(3_600_000 - 30_000);
    await clock.advance(29_999);
    assert.equal(reads.length, 1);
    await clock.advance(1);
    assert.equal(reads.length, 2);
  });

  it('waits for no time in the future where the clock was set back', async () => {
    await start();
    await works();
    clock.jump(-3_600_000);
    await start();
    assert.equal(reads.length, 2);
  });

  it('counts from what another window read, which is later than its own', async () => {
    await start();
    await works();
    await clock.advance(5000);
    poller.wasReadAt(clock.now());
    poller.wasReadAt(clock.now() - 5000);
    await start();
    await clock.advance(19_999);
    assert.equal(reads.length, 1);
    await clock.advance(1);
    assert.equal(reads.length, 2);
  });

  it('waits longer after each failure, from its end on', async () => {
    interval = 1000;
    await start();
    let end = 0;
    for (const failures of [1, 2, 3]) {
      await clock.advance(40_000);
      end = clock.elapsed();
      await fails();
      const waitMs = Math.max(1000, backOffMs(failures, 0));
      await clock.advance(waitMs - 1);
      assert.equal(reads.length, failures);
      await clock.advance(1);
      assert.equal(times().at(-1), end + waitMs);
    }
    await works();
    await clock.advance(1000);
    assert.equal(reads.length, 5, 'after a success at its interval again');
  });

  it('reads at once when the service works again, and only after a failure', async () => {
    await start();
    poller.recovered();
    await works();
    poller.recovered();
    await clock.advance(100);
    assert.equal(reads.length, 1, 'there was no failure');
    await clock.advance(20_000);
    await fails();
    poller.recovered();
    await clock.advance(0);
    assert.equal(reads.length, 3);
    poller.recovered();
    await clock.advance(100);
    assert.equal(reads.length, 3, 'a read is under way');
    await works();
    await clock.advance(19_000);
    assert.equal(reads.length, 3, 'the pause is over as well');
  });

  it('reads for its callers, who share the read after the present one', async () => {
    const first = poller.readNow();
    const [second, third] = [poller.readNow(), poller.readNow()];
    assert.equal(second, third);
    assert.deepEqual([reads.length, reads[0]?.isUnasked], [1, false]);
    await fails();
    await assert.rejects(first, /down/);
    assert.equal(reads.length, 2, 'a failure of the first is none of theirs');
    await works();
    await second;
    const next = poller.readNow();
    assert.equal(reads.length, 3);
    await works();
    await next;
  });

  it('starts again for another account, without what was queued', async () => {
    await start();
    await fails();
    await clock.advance(60_000);
    const queued = poller.readNow();
    const [, old] = reads;
    poller.reset();
    assert.equal(old?.signal.aborted, true);
    assert.equal(clock.pending, 0);
    await start();
    assert.deepEqual([reads.length, reads[2]?.signal.aborted], [3, false]);
    await fails();
    old.works();
    await queued;
    await clock.advance(Math.max(20_000, backOffMs(1, 0)) - 1);
    assert.equal(reads.length, 3);
    await clock.advance(1);
    assert.equal(reads.length, 4);
  });

  it('ends with its owner', async () => {
    await start();
    poller.dispose();
    assert.equal(reads[0]?.signal.aborted, true);
    await works();
    poller.plan();
    assert.equal(clock.pending, 0);
  });
});

const now = Date.UTC(2026, 0, 15, 12);
const running = anInstance({ id: 1, actualStatus: 'running', intendedStatus: 'running' });
const stopping = anInstance({ id: 2, actualStatus: 'running', intendedStatus: 'stopped' });

const listed = (...instances: readonly Instance[]): FleetSituation['state'] => ({
  kind: 'ready',
  fetchedAt: now,
  value: { instances, skipped: 0 },
});

describe('The time between two lists', () => {
  let memory: RememberedFacts;
  beforeEach(() => {
    memory = new RememberedFacts();
  });

  const interval = (state: FleetSituation['state'], more: Partial<FleetSituation> = {}) =>
    fleetIntervalMs({
      ...{ state, memory, now, isSignedIn: true, isAwaited: false, isInView: false },
      ...more,
    });

  it('depends on what is on screen, running and awaited', () => {
    const minute = 60_000;
    assert.equal(interval(listed(running), { isSignedIn: false }), undefined);
    assert.equal(interval({ kind: 'loading' }), 5 * minute);
    assert.equal(interval(listed()), undefined);
    assert.equal(interval(listed(running)), 5 * minute);
    assert.equal(interval(listed(running), { isInView: true }), minute);
    assert.equal(interval(listed(), { isAwaited: true }), 10_000);
    assert.equal(interval(listed(stopping)), 10_000);
  });

  it('is short after a list that lacked an instance', () => {
    const { value, ...rest } = {
      kind: 'ready',
      fetchedAt: now,
      value: { instances: [running], skipped: 0 },
    } as const;
    assert.equal(interval({ ...rest, value: { ...value, unconfirmed: [7] } }), 5000);
  });

  it('is shortest for half a minute after a stop of ours', () => {
    for (const [agoMs, expected] of [
      [29_999, 3000],
      [30_000, 10_000],
      [-29_999, 3000],
      [-30_000, 10_000],
    ] as const) {
      memory.note(2, { kind: 'stop', at: now - agoMs });
      assert.equal(interval(listed(running, stopping)), expected, String(agoMs));
    }
    memory.note(2, { kind: 'start', at: now });
    assert.notEqual(interval(listed(running, stopping)), 3000);
  });

  it('is not shortened by a stop that has taken effect', () => {
    memory.note(3, { kind: 'stop', at: now });
    const stopped = anInstance({ id: 3, actualStatus: 'exited', intendedStatus: 'stopped' });
    assert.equal(interval(listed(stopped)), 5 * 60_000);
  });
});

describe('The last list on disk', () => {
  it('is kept with what is remembered, and a failure to keep it is logged', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'gpu-fleet-cache-'));
    const errors: string[] = [];
    const log = { ...silentLog, error: (line: string) => void errors.push(line) };
    try {
      const cache = openFleetCache(dir, 'one', log);
      await cache.save(listed(running), []);
      assert.equal((await openFleetCache(dir, 'one', log).load())?.fetchedAt, now);
      await cache.save({ kind: 'loading' }, []);
      assert.equal((await openFleetCache(dir, 'one', log).load())?.fetchedAt, 0);
      assert.deepEqual(errors, []);
      await writeFile(join(dir, 'file'), '');
      await openFleetCache(join(dir, 'file'), 'one', log).save(listed(running), []);
      assert.deepEqual(errors, ['The list could not be cached']);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});
