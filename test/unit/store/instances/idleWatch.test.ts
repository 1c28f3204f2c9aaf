import assert from 'node:assert/strict';
import type { Instance } from '../../../../src/model/instances/instance';
import { FileUnreadableError } from '../../../../src/store/disk/jsonFile';
import type { FleetSnapshot } from '../../../../src/store/instances/fleetStore';
import {
  IdleWatch,
  longestGapMs,
  type IdleWatchDeps,
  type UsageFile,
} from '../../../../src/store/instances/idleWatch';
import { Emitter } from '../../../../src/util/emitter';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import { CountedListeners } from '../../../support/countedListeners';
import { FakeClock, settle } from '../../../support/fakeClock';
import { FakeHubs } from '../../../support/fakeWindows';

const minute = 60_000;
const id = 5001;
type Usage = Parameters<UsageFile['write']>[0];

describe('since when an instance is idle', () => {
  let clock: FakeClock;
  let polled: Emitter<FleetSnapshot>;
  let present: Emitter<void>;
  let accountChanged: Emitter<unknown>;
  let connected: boolean;
  let isComplete: boolean;
  let active: { readonly key: string } | undefined;
  let kept: Map<string, Usage>;
  let writes: number;
  let reading: () => Promise<void>;
  let isFull: boolean;
  let warnings: string[];
  let hubs: FakeHubs;
  let watch: IdleWatch;
  let listeners: CountedListeners;
  let list: FleetSnapshot;

  beforeEach(() => {
    clock = new FakeClock();
    polled = new Emitter();
    present = new Emitter();
    accountChanged = new Emitter();
    connected = false;
    isComplete = true;
    active = { key: 'a' };
    kept = new Map();
    writes = 0;
    isFull = false;
    warnings = [];
    reading = () => Promise.resolve();
    hubs = new FakeHubs();
    listeners = new CountedListeners();
    list = { instances: [], skipped: 0 };
  });
  afterEach(() => watch.dispose());

  const open = () => {
    const deps = {
      accounts: listeners.of({
        get active() {
          return active;
        },
        onDidChange: accountChanged.event,
      }),
      fleet: listeners.of({
        get state() {
          return { kind: 'ready', value: list };
        },
        onDidPoll: polled.event,
      }),
      hub: hubs.open(),
      presence: listeners.of({
        get isComplete() {
          return isComplete;
        },
        get isAnyUsed() {
          return connected;
        },
        isUsed: () => connected,
        onDidChange: present.event,
      }),
      aliasOf: () => 'gpu-5001',
      clock,
      log: { ...silentLog, warn: (line: string) => void warnings.push(line) },
      file: (key: string): UsageFile => ({
        read: async () => {
          await reading();
          const value = kept.get(key);
          return value ? { kind: 'present', value } : { kind: 'absent' };
        },
        write: (value) => {
          if (isFull) {
            return Promise.reject(new Error('ENOSPC'));
          }
          writes += 1;
          kept.set(key, value);
          return Promise.resolve();
        },
      }),
    };
    watch = new IdleWatch(deps as unknown as IdleWatchDeps); // nothing else of them is used here
  };
  const see = async (change: Partial<Instance> = {}) => {
    list = { instances: [anInstance({ id, ...change })], skipped: 0 };
    polled.fire(list);
    await settle();
  };
  /** How long it has been idle, in minutes. */
  const idleMinutes = () => {
    const since = watch.idleSince(id);
    return since === undefined ? undefined : (clock.now() - since) / minute;
  };
  const seeAfter = async (minutes: number, change: Partial<Instance> = {}) => {
    await clock.advance(minutes * minute);
    await see(change);
    return idleMinutes();
  };

  it('counts from the last look at which its GPU was at 5 % or more', async () => {
    open();
    await see({ gpuUtilPercent: 5 });
    assert.equal(idleMinutes(), undefined);
    assert.equal(await seeAfter(5, { gpuUtilPercent: 4.9 }), 5);
    assert.equal(await seeAfter(5, { gpuUtilPercent: 5 }), undefined);
    assert.equal(await seeAfter(5, { gpuUtilPercent: 0 }), 5);
    assert.equal(await seeAfter(0, { gpuUtilPercent: 0 }), 5, 'two lists of one moment');
  });

  it('is known although the disk keeps nothing, which is logged', async () => {
    open();
    isFull = true;
    await see();
    assert.equal(await seeAfter(5), 5);
    assert.match(warnings.join(), /could not be kept: Error: ENOSPC/);
  });

  it('counts from the end of a connection, and knows nothing without all windows', async () => {
    open();
    connected = true;
    await see();
    assert.equal(await seeAfter(5), undefined);
    connected = false;
    await clock.advance(2 * minute);
    present.fire();
    await settle();
    assert.equal(idleMinutes(), undefined);
    assert.equal(await seeAfter(5), 5);
    isComplete = false;
    assert.equal(idleMinutes(), undefined);
  });

  it('uses no figure of an older list for a connection that begins or ends', async () => {
    open();
    await see({ gpuUtilPercent: 80 });
    const connect = async (minutes: number, isConnected: boolean) => {
      await clock.advance(minutes * minute);
      connected = isConnected;
      present.fire();
      await settle();
    };
    await connect(5, false);
    assert.equal(idleMinutes(), undefined, 'no list says so');
    assert.equal(await seeAfter(5, { gpuUtilPercent: 0 }), 10);
    // Seen by a connection, so that the list that comes after more than twelve minutes leaves no gap.
    await connect(10, true);
    await connect(1, false);
    assert.equal(await seeAfter(4, { gpuUtilPercent: 0 }), 4);
  });

  it('knows whether the GPU was reported since the last use', async () => {
    open();
    await see({ gpuUtilPercent: 3 });
    await seeAfter(1);
    assert.equal(watch.facts(id)?.knowsGpu, true);
    connected = true;
    await seeAfter(1);
    assert.equal(watch.facts(id)?.knowsGpu, false);
    await see({ actualStatus: 'exited' });
    assert.equal(watch.facts(id), undefined);
  });

  it('begins again after twelve minutes without a list, and where the clock was set back', async () => {
    open();
    await see();
    assert.equal(await seeAfter(longestGapMs / minute), 12);
    await clock.advance(longestGapMs);
    assert.equal(idleMinutes(), 24, 'just so long');
    await clock.advance(1);
    assert.equal(idleMinutes(), undefined);
    await see();
    assert.equal(idleMinutes(), undefined);
    assert.equal(await seeAfter(1), 1);
    clock.jump(-10 * minute);
    assert.equal(idleMinutes(), undefined);
    await see();
    assert.equal(await seeAfter(1), 1);
  });

  it('continues from what the window before kept, once a minute', async () => {
    open();
    let checks = 0;
    watch.onDidCheck(() => (checks += 1));
    await see();
    assert.deepEqual([writes, kept.get('a')?.version, checks], [1, 1, 1]);
    await seeAfter(0.5);
    assert.deepEqual([writes, checks], [1, 2]);
    await seeAfter(0.5);
    assert.equal(writes, 2);
    watch.dispose();
    hubs = new FakeHubs();
    open();
    assert.equal(await seeAfter(5), 6);
  });

  it('continues from what the leading window kept while this one was open, once that is closed', async () => {
    const leading = hubs.open();
    open();
    await settle();
    const at = clock.now();
    kept.set('a', {
      version: 1,
      entries: [[id, { lastUsedAt: at, watchedSince: at, seenAt: at, knowsGpu: true }]],
    });
    leading.dispose();
    assert.equal(await seeAfter(5), 5);
  });

  it('ignores the file of an account that was left while it was read', async () => {
    kept.set('a', {
      version: 1,
      entries: [[id, { lastUsedAt: 0, watchedSince: 0, seenAt: clock.now(), knowsGpu: true }]],
    });
    let goOn = () => {};
    reading = () => new Promise((resolve) => (goOn = resolve));
    open();
    reading = () => Promise.resolve();
    active = { key: 'b' };
    accountChanged.fire(undefined);
    await settle();
    goOn();
    await settle();
    assert.equal(watch.facts(id), undefined);
    active = { key: 'a' };
    accountChanged.fire(undefined);
    await settle();
    assert.equal(watch.facts(id)?.knowsGpu, true);
  });

  describe('where the disk refuses to read what was kept', () => {
    const refuse = () => {
      reading = () => Promise.reject(new FileUnreadableError('/storage/usage/a.json', new Error('EIO')));
    };
    const allow = () => {
      reading = () => Promise.resolve();
    };
    beforeEach(() => {
      const [lastUsedAt, watchedSince] = [clock.now() - 30 * minute, clock.now() - 60 * minute];
      const entry = { lastUsedAt, watchedSince, seenAt: clock.now() - minute, knowsGpu: true };
      kept.set('a', { version: 1, entries: [[id, entry]] });
      refuse();
    });

    it('overwrites nothing, and continues from it once it can be read', async () => {
      const before = kept.get('a');
      open();
      await see();
      assert.equal(await seeAfter(5), 5, 'counted from the first look');
      assert.deepEqual([kept.get('a'), writes], [before, 0]);
      allow();
      assert.equal(await seeAfter(1), 36);
      assert.equal(writes, 1);
    });

    it('treats what was seen since as a use', async () => {
      open();
      connected = true;
      await see();
      connected = false;
      assert.equal(await seeAfter(5), undefined, 'the end of the connection');
      allow();
      assert.equal(await seeAfter(1), 1);
    });

    it('treats what a search for kernels found since as a use, which is reported at once', async () => {
      open();
      await see();
      await clock.advance(minute);
      let checks = 0;
      watch.onDidCheck(() => (checks += 1));
      watch.noteUse(id);
      assert.equal(checks, 1);
      allow();
      assert.equal(await seeAfter(2), 2);
    });

    it('does not treat an earlier use as a new one when this window leads again', async () => {
      allow();
      open();
      connected = true;
      await see();
      connected = false;
      await see();
      const [hub] = hubs.hubs;
      hub?.leads(false);
      refuse();
      hub?.leads(true);
      await settle();
      await seeAfter(2);
      allow();
      assert.equal(await seeAfter(3), 5);
    });

    it('counts from the first look where the file is too old to go on from', async () => {
      open();
      await clock.advance(longestGapMs);
      await see();
      assert.equal(await seeAfter(5), 5);
      allow();
      assert.equal(await seeAfter(1), 6);
    });
  });

  it('is nothing to a window that does not lead, is signed out or was closed', async () => {
    hubs.open();
    open();
    let checks = 0;
    watch.onDidCheck(() => (checks += 1));
    await see();
    assert.deepEqual([checks, writes, watch.facts(id)], [0, 0, undefined]);
    hubs = new FakeHubs();
    watch.dispose();
    open();
    watch.onDidCheck(() => (checks += 1));
    active = undefined;
    await see();
    assert.equal(checks, 0);
    assert.ok(listeners.count > 0);
    watch.dispose();
    assert.equal(listeners.count, 0);
  });
});
