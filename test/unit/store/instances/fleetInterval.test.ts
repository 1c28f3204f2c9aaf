import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Instance } from '../../../../src/model/instances/instance';
import { openFleetCache } from '../../../../src/store/instances/fleetCache';
import { fleetIntervalMs, type FleetSituation } from '../../../../src/store/instances/fleetInterval';
import { RememberedFacts } from '../../../../src/store/instances/rememberedFacts';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';

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
      ...{ state, memory, now, isSignedIn: true, isAwaited: false, isLookedAt: false },
      ...more,
    });

  it('depends on who looks, what runs and what is awaited', () => {
    const minute = 60_000;
    assert.equal(interval(listed(running), { isSignedIn: false }), undefined);
    assert.equal(interval({ kind: 'loading' }), 5 * minute);
    assert.equal(interval(listed()), undefined);
    assert.equal(interval(listed(running)), 5 * minute);
    assert.equal(interval(listed(running), { isLookedAt: true }), minute);
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
  it('is kept with what is remembered, and told in the log where it can not be', async () => {
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
