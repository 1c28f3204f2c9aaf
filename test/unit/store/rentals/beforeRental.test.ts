import assert from 'node:assert/strict';
import { NotReachableError } from '../../../../src/api/errors';
import type { Loaded } from '../../../../src/shared/reading';
import type { Account } from '../../../../src/store/accounts/accounts';
import type { FleetSnapshot } from '../../../../src/store/instances/fleetStore';
import { idsBeforeRental } from '../../../../src/store/rentals/beforeRental';
import { CancelledError } from '../../../../src/util/errors';
import { anInstance } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { FakeService } from '../../../support/fakeService';
import { MemoryLog } from '../../../support/fakeTransport';

describe('The instances before a rental', () => {
  let service: FakeService;
  let clock: FakeClock;
  let log: MemoryLog;
  beforeEach(() => {
    service = new FakeService();
    service.instances = [anInstance({ id: 2 })];
    clock = new FakeClock();
    log = new MemoryLog();
  });

  type Ready = Extract<Loaded<FleetSnapshot>, { kind: 'ready' }>;
  const shown = (more: Partial<Ready> = {}, snapshot: Partial<FleetSnapshot> = {}): Ready => ({
    kind: 'ready',
    value: { instances: [anInstance({ id: 1 })], skipped: 0, ...snapshot },
    fetchedAt: clock.now(),
    ...more,
  });
  const before = (
    state: Loaded<FleetSnapshot>,
    { accountKey = 'mine', signal = new AbortController().signal } = {},
  ) =>
    idsBeforeRental(
      { fleet: { state }, clock, log, accountKey },
      { key: 'mine', client: service.client } as Account,
      signal,
    );
  const reads = () => service.count('instances.list');

  it('are those of the list of the last 15 seconds, without a request', async () => {
    const state = shown();
    await clock.advance(14_999);
    assert.deepEqual([await before(state), reads()], [[1], 0]);
    await clock.advance(1);
    assert.deepEqual([await before(state), reads()], [[2], 1]);
  });

  it('are read where the list failed, is that of another account or not whole', async () => {
    assert.deepEqual(await before({ kind: 'idle' }), [2]);
    assert.deepEqual(await before(shown({ error: new NotReachableError() })), [2]);
    assert.deepEqual(await before(shown(), { accountKey: 'theirs' }), [2]);
    assert.deepEqual(await before(shown({}, { skipped: 1 })), [2]);
    assert.deepEqual(await before(shown({}, { missing: 1 })), [2]);
    assert.equal(reads(), 5);
  });

  it('are unknown where they can not be read whole, and a cancelled read begins no rental', async () => {
    service.before = () => {
      throw new NotReachableError();
    };
    assert.equal(await before({ kind: 'idle' }), undefined);
    assert.equal(log.count('warn The instances could not be read before the rental'), 1);
    service.before = () => {
      throw new CancelledError();
    };
    await assert.rejects(before({ kind: 'idle' }), CancelledError);
  });
});
