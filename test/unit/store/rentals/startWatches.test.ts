import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StartWatches } from '../../../../src/store/rentals/startWatchPort';
import { createStartWatches } from '../../../../src/store/rentals/startWatches';
import type { StartEvent } from '../../../../src/store/rentals/startEvent';
import { ForbiddenError } from '../../../../src/api/errors';
import { destroyAndVerify } from '../../../../src/store/instances/destruction';
import { fromDollars } from '../../../../src/model/money';
import type { FleetStore } from '../../../../src/store/instances/fleetStore';
import type { Account, Accounts, AccountsState, FleetSnapshot } from '../../../../src/store/ports';
import { Emitter } from '../../../../src/util/emitter';
import { silentLog } from '../../../../src/util/log';
import { anInstance, anOffer } from '../../../support/builders';
import { noChecks } from '../../../support/machineChecks';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer, type FakeWindow } from '../../../support/fakeWindows';
import { settle } from '../../../support/fakeClock';
import { until } from '../../../support/until';

const request = {
  offer: anOffer(),
  config: { image: 'pytorch/pytorch' },
  rentalType: 'on-demand' as const,
  priceLimit: fromDollars(0.4),
};

interface Watching extends FakeWindow {
  readonly readiness: StartWatches;
  readonly events: StartEvent[];
}

describe('the readiness store', () => {
  let service: FakeService;
  let computer: FakeComputer;

  async function open(isFocused = true): Promise<Watching> {
    const window = await computer.openSignedIn();
    const { fleet, focus } = window;
    focus.isFocused = isFocused;
    const readiness = window.owned.add(
      createStartWatches({
        ...window,
        clock: computer.clock,
        log: silentLog,
        storageDir: computer.storageDir,
        limits: () => ({ timeoutMs: 15 * 60_000, checksLogin: false }),
        checks: noChecks,
      }),
    );
    const events: StartEvent[] = [];
    readiness.onDidHappen((event) => events.push(event));
    fleet.setInterest({ viewVisible: true, windowFocused: isFocused });
    await pass('the first list is there', () => fleet.state.kind === 'ready', 1);
    return { ...window, readiness, events };
  }

  /** Lets time pass until something holds; files are written between the steps. */
  const pass = (what: string, holds: () => boolean, stepMs = 5000) =>
    until(
      what,
      async () => {
        await computer.clock.advance(stepMs);
        return holds();
      },
      { everyMs: 2 },
    );
  const change = (actualStatus: string | null, more = {}) => {
    service.instances = service.instances.map((one) => ({ ...one, actualStatus, ...more }));
  };

  beforeEach(async () => {
    service = new FakeService();
    service.offers = [anOffer()];
    computer = await FakeComputer.make(service.client);
  });
  afterEach(() => computer.dispose());

  it('follows a rental until it is ready, and says so once', async () => {
    const window = await open();
    await window.rentals.rent(request);
    await pass('it is watched', () => window.readiness.watches.length === 1);
    change('loading', { statusMessage: 'pulling' });
    await pass('the message is there', () => window.readiness.watches[0]?.message === 'pulling');
    change('running');
    await pass('it is ready', () => window.events.length > 0);
    assert.deepEqual(window.readiness.watches, []);
    assert.deepEqual(window.events, [{ kind: 'ready', instanceId: 6001 }]);
    assert.equal(window.rentals.rentals[0]?.phase.kind, 'ready');
    await computer.clock.advance(60_000);
    assert.equal(window.events.length, 1);
  });

  for (const [kind, agoMs] of [
    ['ready', 0],
    ['failed', 0],
    ['ready', 10 * 60_000],
  ] as const) {
    it(`tells what a window marked as ${kind} ${agoMs} ms before and did not live to tell`, async () => {
      const first = await computer.openSignedIn();
      await first.rentals.rent(request);
      const [{ marker } = { marker: '' }] = first.rentals.rentals;
      const at = computer.clock.now() - agoMs;
      const reason = 'exited' as const;
      await first.rentals.update(marker, {
        phase:
          kind === 'ready'
            ? { kind, instanceId: 6001, at }
            : { kind, instanceId: 6001, at, reason, hadData: false },
      });
      first.close();
      const { events } = await open();
      const told = () => events.filter((event) => event.kind === kind);
      if (agoMs === 0) await pass('it is told', () => told().length > 0);
      await computer.clock.advance(120_000);
      assert.deepEqual(
        told().map(({ instanceId }) => instanceId),
        agoMs === 0 ? [6001] : [],
      );
    });
  }

  it('says so once also where the disk is full by then', async () => {
    const window = await open();
    await window.rentals.rent(request);
    await pass('it is watched', () => window.readiness.watches.length === 1);
    const folder = join(computer.storageDir, 'rentals');
    await rm(folder, { recursive: true });
    await writeFile(folder, 'in the way');
    window.hub.claim = () => Promise.reject(new Error('no space left'));
    change('running');
    await pass('it is told', () => window.events.length > 0);
    await computer.clock.advance(120_000);
    assert.deepEqual(window.events, [{ kind: 'ready', instanceId: 6001 }]);
  });

  it('takes nothing for a failed start that another window saw running while this one hung', async () => {
    const window = await open();
    await window.rentals.rent(request);
    change('loading');
    await pass('it is watched', () => window.readiness.watches.length === 1);
    const other = await computer.openSignedIn();
    // What it says reaches a window that hangs no sooner than the time for the next list.
    other.hub.broadcast = () => undefined;
    await pass('it knows the rental', () => other.rentals.rentals.length === 1, 1);
    const [{ marker } = { marker: '' }] = other.rentals.rentals;
    const at = computer.clock.now();
    await other.rentals.update(marker, { phase: { kind: 'ready', instanceId: 6001, at } });
    change('exited', { statusMessage: 'The container ended with code 1' });
    await pass('it is followed no longer', () => window.readiness.watches.length === 0);
    await computer.clock.advance(60_000);
    assert.ok(!window.events.some(({ kind }) => kind === 'failed'), JSON.stringify(window.events));
    assert.equal(window.rentals.find(6001)?.phase.kind, 'ready');
  });

  it('tells the failure of one that never ran, with the host’s words', async () => {
    const window = await open();
    await window.rentals.rent(request);
    change('exited', { statusMessage: 'no such image' });
    await pass('it failed', () => window.events.length > 0);
    assert.deepEqual(window.events, [
      { kind: 'failed', instanceId: 6001, reason: 'exited', hadData: false, message: 'no such image' },
    ]);
    assert.equal(window.rentals.rentals[0]?.phase.kind, 'failed');
  });

  it('tells in the focused window alone, wherever it was rented and polled', async () => {
    const leader = await open(false);
    const renter = await open(false);
    const focused = await open(true);
    await renter.rentals.rent(request);
    await pass('all watch', () =>
      [leader, renter, focused].every(({ readiness }) => readiness.watches.length === 1),
    );
    change('running');
    await pass('it is told', () => focused.events.length > 0);
    await computer.clock.advance(30_000);
    assert.deepEqual([leader.events.length, renter.events.length, focused.events.length], [0, 0, 1]);
  });

  it('is told by the polling window when the one in front closes at that moment', async () => {
    const leader = await open(false);
    const front = await open(true);
    await front.rentals.rent(request);
    await pass('both watch', () => leader.readiness.watches.length === 1);
    change('running');
    // It is told to show it and does not live to.
    const claim = front.hub.claim.bind(front.hub);
    front.hub.claim = () => new Promise(() => undefined);
    await pass('it is told', () => leader.events.length > 0);
    front.hub.claim = claim;
    assert.deepEqual(leader.events, [{ kind: 'ready', instanceId: 6001 }]);
    assert.deepEqual(front.events, []);
  });

  it('goes on where a closed window was, after a reload too', async () => {
    const first = await open();
    await first.rentals.rent(request);
    change('loading', { statusMessage: 'pulling' });
    await pass('the message is there', () => first.readiness.watches[0]?.message === 'pulling');
    const before = first.readiness.watches[0];
    const file = join(computer.storageDir, 'readiness', `${first.accounts.active?.key ?? ''}.json`);
    await until(
      'it is on disk',
      async () => (await readFile(file, 'utf8').catch(() => '')).includes('pulling'),
      { everyMs: 2 },
    );
    await pass('time goes by', () => true, 60_000);
    first.close();
    const second = await open();
    await pass('it is watched', () => second.readiness.watches.length === 1);
    assert.equal(second.readiness.watches[0]?.since, before?.since);
    assert.equal(second.readiness.watches[0]?.messageAt, before?.messageAt);
    change('running');
    await pass('it is ready', () => second.events.length > 0);
    assert.deepEqual(second.events, [{ kind: 'ready', instanceId: 6001 }]);
  });

  it('does not repeat after a restart what was told', async () => {
    const first = await open();
    await first.rentals.rent(request);
    change('running');
    await pass('it is ready', () => first.events.length > 0);
    first.close();
    const second = await open();
    await computer.clock.advance(120_000);
    assert.deepEqual(second.events, []);
  });

  it('stops watching when the user says so, and keeps the machine', async () => {
    const leader = await open();
    const other = await open();
    await leader.rentals.rent(request);
    await pass('both watch', () => other.readiness.watches.length === 1);
    await other.readiness.stopWatching(6001);
    assert.equal(other.readiness.watches.length, 0);
    change('exited');
    await computer.clock.advance(60_000);
    assert.deepEqual([leader.events, other.events], [[], []]);
    assert.equal(service.instances.length, 1);
  });

  it('ends without a word when the machine is stopped or destroyed meanwhile', async () => {
    const window = await open();
    await window.rentals.rent(request);
    await pass('it is watched', () => window.readiness.watches.length === 1);
    window.fleet.note(6001, { kind: 'destroy' });
    service.instances = [];
    await pass('it is over', () => window.rentals.rentals[0]?.phase.kind === 'ended');
    assert.deepEqual(window.events, []);
  });

  it('goes on where the service refuses to destroy the machine, and tells that it failed', async () => {
    const window = await open();
    await window.rentals.rent(request);
    await pass('it is watched', () => window.readiness.watches.length === 1);
    let refuse: () => void = () => undefined;
    const refused = new Promise<void>((_, reject) => {
      refuse = () => reject(new ForbiddenError());
    });
    service.before = (call) => (call === 'instances.destroy' ? refused : undefined);
    const deps = { fleet: window.fleet, clock: computer.clock, log: silentLog };
    const destroyed = destroyAndVerify(deps, service.client, 6001).catch((error: unknown) => error);
    await computer.clock.advance(30_000);
    refuse();
    assert.ok((await destroyed) instanceof ForbiddenError);
    change('exited', { statusMessage: 'no such image' });
    await pass('it failed', () => window.events.length > 0);
    assert.equal(window.events[0]?.kind, 'failed');
  });

  it('watches a start of ours, and does not ask about it twice', async () => {
    service.instances = [anInstance({ actualStatus: 'exited', intendedStatus: 'stopped' })];
    const window = await open();
    window.fleet.note(5001, { kind: 'start' });
    change('exited', { intendedStatus: 'running' });
    await pass('it is watched', () => window.readiness.watches[0]?.cause === 'start');
    change('running');
    await pass('it is ready', () => window.events.length > 0);
    await computer.clock.advance(180_000);
    assert.deepEqual(window.events, [{ kind: 'ready', instanceId: 5001 }]);
  });

  it('warns once of trouble with a machine that ran, and again after it recovered', async () => {
    service.instances = [anInstance()];
    const window = await open();
    change('offline');
    await pass('it is told', () => window.events.length === 1, 30_000);
    await computer.clock.advance(300_000);
    assert.deepEqual(window.events, [{ kind: 'trouble', instanceId: 5001, trouble: 'offline' }]);
    change('running');
    await computer.clock.advance(120_000);
    change('exited', { isInterruptible: true });
    await pass('it is told again', () => window.events.length === 2, 30_000);
    assert.deepEqual(window.events[1], { kind: 'trouble', instanceId: 5001, trouble: 'outbid' });
  });

  it('destroys a machine again that was destroyed and is there again', async () => {
    service.instances = [anInstance()];
    const window = await open();
    window.fleet.note(5001, { kind: 'destroy' });
    const kept = service.instances;
    service.instances = [];
    await pass('it is gone', () => window.fleet.find(5001) === undefined);
    service.instances = kept;
    await pass('it is told', () => window.events.length === 1, 30_000);
    assert.equal(window.events[0]?.kind, 'destroyedAgain');
  });

  it('takes nothing from a list that is not whole', async () => {
    const window = await open();
    await window.rentals.rent(request);
    await pass('it is watched', () => window.readiness.watches.length === 1);
    const list = service.client.instances.list.bind(service.client.instances);
    Object.assign(service.client.instances, {
      list: async () => ({ ...(await list()), items: [], found: 1 }),
    });
    await computer.clock.advance(120_000);
    assert.equal(window.readiness.watches.length, 1);
    assert.equal(window.rentals.rentals[0]?.phase.kind, 'waiting');
  });

  it('judges no machine by the list of another account, read just before that was chosen', async () => {
    const window = await open();
    await window.rentals.rent(request);
    await pass('it is watched and seen', () => window.readiness.watches[0]?.wasSeen === true);
    const first = window.accounts.active;
    assert.ok(first);
    const file = join(computer.storageDir, 'readiness', `${first.key}.json`);
    await until('that is written down', async () =>
      (await readFile(file, 'utf8').catch(() => '')).includes('"wasSeen":true'),
    );
    const accountsChanged = new Emitter<AccountsState>();
    const polled = new Emitter<FleetSnapshot>();
    const accounts = {
      active: { ...first, key: 'another' } as Account | undefined,
      onDidChange: accountsChanged.event,
    };
    const readiness = window.owned.add(
      createStartWatches({
        accounts: accounts as unknown as Accounts,
        fleet: { ...without(window.fleet), onDidPoll: polled.event },
        rentals: window.rentals,
        hub: window.hub,
        oneWindow: window.oneWindow,
        clock: computer.clock,
        log: silentLog,
        storageDir: computer.storageDir,
        limits: () => ({ timeoutMs: 15 * 60_000, checksLogin: false }),
        checks: noChecks,
      }),
    );
    polled.fire({ instances: [], skipped: 0 });
    accounts.active = first;
    accountsChanged.fire({ kind: 'signedIn', account: first });
    await pass('the watches of the account are read', () => readiness.watches.length === 1, 0);
    await settle();
    assert.equal(readiness.watches.length, 1);
    assert.equal(window.rentals.rentals[0]?.phase.kind, 'waiting');
  });
});

/** A fleet that lists nothing yet, as right after a change of the account. */
function without(fleet: FleetStore): Omit<FleetStore, 'onDidPoll'> {
  return {
    state: { kind: 'idle' },
    onDidChange: (listener) => fleet.onDidChange(listener),
    find: () => undefined,
    hasEnded: () => false,
    facts: () => ({}),
    note: () => undefined,
    forget: () => undefined,
    refresh: () => Promise.resolve(),
    setInterest: () => undefined,
    setRented: () => undefined,
    dispose: () => undefined,
  };
}
