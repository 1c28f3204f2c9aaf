import assert from 'node:assert/strict';
import { mkdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { anOffer } from '../../../support/builders';
import { passUntil, computerScene, type ComputerScene } from '../../../support/computerScene';
import { proved, ScriptedChecks } from '../../../support/machineChecks';
import { watchedRequest as request, watchStarts } from '../../../support/startWatchScene';

describe('starts that end with a login', () => {
  let { service, computer } = {} as ComputerScene;
  let checks: ScriptedChecks;

  async function open() {
    const window = await computer.openSignedIn();
    const watching = watchStarts(computer, window, checks);
    window.fleet.setInterest({ viewVisible: true, windowFocused: true });
    await pass('the first list is there', () => window.fleet.state.kind === 'ready', 1);
    return { ...window, ...watching };
  }

  const pass = (what: string, holds: () => boolean, stepMs = 1000) =>
    passUntil(computer, what, holds, stepMs);
  const change = (actualStatus: string | null) => {
    service.instances = service.instances.map((one) => ({ ...one, actualStatus }));
  };
  const refuse = () => {
    checks.answer = () => ({ kind: 'waits', stage: 'login', problem: 'authentication' });
  };

  /** A window that has rented one machine, which runs and is being checked. */
  async function checking() {
    refuse();
    const window = await open();
    await window.rentals.rent(request);
    change('running');
    await pass('the login is tried', () => window.readiness.watches[0]?.check?.stage === 'login');
    return window;
  }

  beforeEach(async () => {
    ({ service, computer } = await computerScene({ offers: [anOffer()] }));
    checks = new ScriptedChecks();
  });
  afterEach(() => computer.dispose());

  it('are reported as ready once the login worked, and not before', async () => {
    const window = await checking();
    await pass('some tries', () => checks.checks.length > 3);
    assert.deepEqual(window.events, []);
    checks.answer = () => proved;
    await pass('it is told', () => window.events.length > 0);
    const ready = { kind: 'ready', instanceId: 6001, check: proved };
    assert.deepEqual([window.events, window.readiness.watches], [[ready], []]);
    await computer.clock.advance(120_000);
    assert.equal(window.events.length, 1);
  });

  it('are reported as ready though the disk refused what was noted of them when a window opened', async () => {
    const window = await checking();
    const path = join(computer.storageDir, 'accounts', window.accounts.active?.key ?? '', 'readiness.json');
    window.close();
    await rename(path, `${path}.away`);
    await mkdir(path);
    const next = await open();
    await pass('it is looked at', () => service.count('instances.list') > 3);
    assert.deepEqual(next.readiness.watches, []);
    await rmdir(path);
    await rename(`${path}.away`, path);
    checks.answer = () => proved;
    await pass('it is told', () => next.events.length > 0);
    assert.deepEqual(next.events, [{ kind: 'ready', instanceId: 6001, check: proved }]);
  });

  it('counts the machine as rented and running all the while, so that nothing is read more often', async () => {
    const window = await checking();
    assert.equal(window.rentals.rentals[0]?.phase.kind, 'ready');
  });

  it('are reported with the problem of a machine that never accepts a login', async () => {
    const window = await checking();
    await pass('it is told', () => window.events.length > 0, 5000);
    const check = { kind: 'unproved', stage: 'login', problem: 'authentication' };
    assert.deepEqual(window.events, [{ kind: 'ready', instanceId: 6001, check }]);
    assert.deepEqual(window.readiness.watches, []);
  });

  it('checks in the window that leads alone, and all of them see the stage', async () => {
    const first = await checking();
    const second = await open();
    await pass('the second one knows it', () => second.readiness.watches[0]?.check?.stage === 'login');
    assert.equal(checks.mostAtOnce, 1);
    const before = checks.checks.length;
    first.close();
    checks.answer = () => proved;
    await pass('the second one goes on', () => second.events.length > 0);
    assert.equal(checks.checks.length, before + 1);
    assert.deepEqual(
      second.events.map(({ kind }) => kind),
      ['ready'],
    );
  });

  it('show no message once the user stopped waiting', async () => {
    const window = await checking();
    await window.readiness.stopWatching(6001);
    const before = checks.checks.length;
    await computer.clock.advance(300_000);
    assert.deepEqual([window.events, checks.checks.length], [[], before]);
  });

  it('are reported as trouble, not as ready, if the machine ends while it is checked', async () => {
    const window = await checking();
    change('exited');
    await pass('it is told', () => window.events.length > 0);
    await computer.clock.advance(300_000);
    assert.deepEqual(window.events, [{ kind: 'trouble', instanceId: 6001, trouble: 'exited' }]);
  });

  it('ends with the machine', async () => {
    const window = await checking();
    window.fleet.note(6001, { kind: 'stop' });
    await pass('nothing is watched', () => window.readiness.watches.length === 0);
    const before = checks.checks.length;
    await computer.clock.advance(300_000);
    assert.deepEqual([window.events, checks.checks.length], [[], before]);
  });

  it('checks again after a start and a reboot of ours', async () => {
    checks.answer = () => proved;
    const window = await open();
    await window.rentals.rent(request);
    change('running');
    await pass('it is ready', () => window.events.length === 1);
    for (const kind of ['start', 'reboot'] as const) {
      window.fleet.note(6001, { kind });
      change('loading');
      await pass('it is watched', () => window.readiness.watches[0]?.stage === 'loading');
      change('running');
      const before = window.events.length;
      await pass('it is ready again', () => window.events.length > before);
    }
    assert.deepEqual(
      window.events.map(({ kind }) => kind),
      ['ready', 'ready', 'ready'],
    );
    assert.equal(checks.checks.length, 3);
  });
});
