import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ForbiddenError } from '../../../../src/api/errors';
import type { Account, Accounts, AccountsState } from '../../../../src/store/accounts/accounts';
import { destroyAndVerify } from '../../../../src/store/instances/destruction';
import type { FleetStore, FleetSnapshot } from '../../../../src/store/instances/fleetStore';
import { createStartWatches } from '../../../../src/store/rentals/startWatches';
import { Emitter } from '../../../../src/util/emitter';
import { anInstance } from '../../../support/builders';
import { settle } from '../../../support/fakeClock';
import { noChecks } from '../../../support/machineChecks';
import { useStartWatches, watchedRequest } from '../../../support/startWatchScene';
import { until } from '../../../support/until';

describe('the readiness store', () => {
  const scene = useStartWatches();
  const { open, pass, change } = scene;

  it('follows a rental until it is ready, and reports that once', async () => {
    const window = await open();
    await window.rentals.rent(watchedRequest);
    await pass('it is watched', () => window.readiness.watches.length === 1);
    change('loading', { statusMessage: 'pulling' });
    await pass('the message is there', () => window.readiness.watches[0]?.message === 'pulling');
    change('running');
    await pass('it is ready', () => window.events.length > 0);
    assert.deepEqual(window.readiness.watches, []);
    assert.deepEqual(window.events, [{ kind: 'ready', instanceId: 6001 }]);
    assert.equal(window.rentals.rentals[0]?.phase.kind, 'ready');
    await scene.computer.clock.advance(60_000);
    assert.equal(window.events.length, 1);
  });

  it('reports that once also if the disk is full by then', async () => {
    const window = await open();
    await window.rentals.rent(watchedRequest);
    await pass('it is watched', () => window.readiness.watches.length === 1);
    const folder = join(scene.computer.storageDir, 'accounts', window.accounts.active?.key ?? '', 'rentals');
    await rm(folder, { recursive: true });
    await writeFile(folder, 'in the way');
    window.hub.claim = () => Promise.reject(new Error('no space left'));
    change('running');
    await pass('it is told', () => window.events.length > 0);
    await scene.computer.clock.advance(120_000);
    assert.deepEqual(window.events, [{ kind: 'ready', instanceId: 6001 }]);
    const { marker } = window.rentals.find(6001) ?? assert.fail();
    assert.equal(scene.computer.log.count(`error What became of ${marker} could not be noted`), 1);
  });

  it('continues if the disk refuses what is watched, and logs that', async () => {
    const window = await open();
    const file = join(
      scene.computer.storageDir,
      'accounts',
      window.accounts.active?.key ?? '',
      'readiness.json',
    );
    await rm(file, { force: true });
    // A folder can't be read as a file.
    await mkdir(file, { recursive: true });
    await window.rentals.rent(watchedRequest);
    change('running');
    await pass('it is told', () => window.events.length > 0);
    assert.ok(scene.computer.log.count('error The machines on their way could not be looked at') > 0);
  });

  it('reaches all listeners though one of them fails, and logs that', async () => {
    const window = await open();
    const fail = () => {
      throw new Error('a fault');
    };
    window.readiness.onDidChange(fail);
    window.readiness.onDidHappen(fail);
    const counts: number[] = [];
    window.readiness.onDidChange(({ length }) => counts.push(length));
    await window.rentals.rent(watchedRequest);
    await pass('it is watched', () => counts.includes(1));
    change('running');
    let isTold = false;
    window.readiness.onDidHappen(() => (isTold = true));
    await pass('it is told', () => isTold);
    const { log } = scene.computer;
    assert.ok(log.count('error A listener of the readiness failed') > 0);
    assert.equal(log.count('error A listener of what happened to a machine failed'), 1);
  });

  it('reports the failure of one that never ran, with the host’s words', async () => {
    const window = await open();
    await window.rentals.rent(watchedRequest);
    change('exited', { statusMessage: 'no such image' });
    await pass('it failed', () => window.events.length > 0);
    assert.deepEqual(window.events, [
      { kind: 'failed', instanceId: 6001, reason: 'exited', hadData: false, message: 'no such image' },
    ]);
    assert.equal(window.rentals.rentals[0]?.phase.kind, 'failed');
  });

  it('stops watching at the request of the user, and keeps the machine', async () => {
    const leader = await open();
    const other = await open();
    await leader.rentals.rent(watchedRequest);
    await pass('both watch', () => other.readiness.watches.length === 1);
    const shown: number[][] = [];
    for (const { readiness } of [leader, other]) {
      const own: number[] = [];
      shown.push(own);
      readiness.onDidChange(({ length }) => own.push(length));
    }
    await other.readiness.stopWatching(6001);
    assert.equal(other.readiness.watches.length, 0);
    await until('both show it', () => shown.every(({ length }) => length > 0));
    assert.deepEqual(shown, [[0], [0]]);
    change('exited');
    await scene.computer.clock.advance(60_000);
    assert.deepEqual([leader.events, other.events], [[], []]);
    assert.equal(scene.service.instances.length, 1);
  });

  it('does not watch again after a restart what the user let go', async () => {
    const window = await open();
    await window.rentals.rent(watchedRequest);
    await pass('it is watched', () => window.readiness.watches.length === 1);
    await window.readiness.stopWatching(6001);
    window.close();
    const later = await open();
    await scene.computer.clock.advance(60_000);
    assert.deepEqual(later.readiness.watches, []);
  });

  it('ends without a message when the machine is stopped or destroyed elsewhere', async () => {
    const window = await open();
    await window.rentals.rent(watchedRequest);
    await pass('it is watched', () => window.readiness.watches.length === 1);
    window.fleet.note(6001, { kind: 'destroy' });
    scene.service.instances = [];
    await pass('it is over', () => window.rentals.rentals[0]?.phase.kind === 'ended');
    assert.deepEqual(window.events, []);
  });

  it('continues if the service refuses to destroy the machine, and reports that it failed', async () => {
    const window = await open();
    await window.rentals.rent(watchedRequest);
    await pass('it is watched', () => window.readiness.watches.length === 1);
    let refuse: () => void = () => undefined;
    const refused = new Promise<void>((_, reject) => {
      refuse = () => reject(new ForbiddenError());
    });
    scene.service.before = (call) => (call === 'instances.destroy' ? refused : undefined);
    const deps = { fleet: window.fleet, clock: scene.computer.clock, log: scene.computer.log };
    const account = window.accounts.active ?? assert.fail();
    const destroyed = destroyAndVerify(deps, account, 6001).catch((error: unknown) => error);
    await scene.computer.clock.advance(30_000);
    refuse();
    assert.ok((await destroyed) instanceof ForbiddenError);
    change('exited', { statusMessage: 'no such image' });
    await pass('it failed', () => window.events.length > 0);
    assert.equal(window.events[0]?.kind, 'failed');
  });

  it('watches a start of ours, and does not ask about it twice', async () => {
    scene.service.instances = [anInstance({ actualStatus: 'exited', intendedStatus: 'stopped' })];
    const window = await open();
    window.fleet.note(5001, { kind: 'start' });
    change('exited', { intendedStatus: 'running' });
    await pass('it is watched', () => window.readiness.watches[0]?.cause === 'start');
    change('running');
    await pass('it is ready', () => window.events.length > 0);
    await scene.computer.clock.advance(180_000);
    assert.deepEqual(window.events, [{ kind: 'ready', instanceId: 5001 }]);
  });

  it('warns once of trouble with a machine that ran, and again after it recovered', async () => {
    scene.service.instances = [anInstance()];
    const window = await open();
    change('offline');
    await pass('it is told', () => window.events.length === 1, 30_000);
    await scene.computer.clock.advance(300_000);
    assert.deepEqual(window.events, [{ kind: 'trouble', instanceId: 5001, trouble: 'offline' }]);
    change('running');
    await scene.computer.clock.advance(120_000);
    change('exited', { isInterruptible: true });
    await pass('it is told again', () => window.events.length === 2, 30_000);
    assert.deepEqual(window.events[1], { kind: 'trouble', instanceId: 5001, trouble: 'outbid' });
    change('running', { isInterruptible: false });
    await scene.computer.clock.advance(120_000);
    change('exited', { isInterruptible: true });
    await pass('the same is told again', () => window.events.length === 3, 30_000);
  });

  it('warns of no trouble again that was reported before a restart', async () => {
    scene.service.instances = [anInstance()];
    const window = await open();
    change('offline');
    await pass('it is told', () => window.events.length === 1, 30_000);
    window.close();
    const next = await open();
    await scene.computer.clock.advance(300_000);
    assert.deepEqual(next.events, []);
  });

  it('destroys a machine again that was destroyed and is there again', async () => {
    scene.service.instances = [anInstance()];
    const window = await open();
    window.fleet.note(5001, { kind: 'destroy' });
    const kept = scene.service.instances;
    scene.service.instances = [];
    await pass('it is gone', () => window.fleet.find(5001) === undefined);
    scene.service.instances = kept;
    await pass('it is told', () => window.events.length === 1, 30_000);
    assert.equal(window.events[0]?.kind, 'destroyedAgain');
  });

  it('concludes nothing from a list that is incomplete', async () => {
    const window = await open();
    await window.rentals.rent(watchedRequest);
    await pass('it is watched', () => window.readiness.watches.length === 1);
    const list = scene.service.client.instances.list.bind(scene.service.client.instances);
    Object.assign(scene.service.client.instances, {
      list: async () => ({ ...(await list()), items: [], found: 1 }),
    });
    await scene.computer.clock.advance(120_000);
    assert.equal(window.readiness.watches.length, 1);
    assert.equal(window.rentals.rentals[0]?.phase.kind, 'waiting');
  });

  it('judges no machine by the list of another account, read just before that was chosen', async () => {
    const window = await open();
    await window.rentals.rent(watchedRequest);
    await pass('it is watched and seen', () => window.readiness.watches[0]?.wasSeen === true);
    const first = window.accounts.active;
    assert.ok(first);
    const file = join(scene.computer.storageDir, 'accounts', first.key, 'readiness.json');
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
        clock: scene.computer.clock,
        log: scene.computer.log,
        storageDir: scene.computer.storageDir,
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
