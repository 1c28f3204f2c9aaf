import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, readdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createFleet } from '../../../../src/store/instances/fleet';
import { UserError } from '../../../../src/util/errors';
import { text } from '../../../../src/util/text';
import { anInstance } from '../../../support/builders';
import { computerScene, type ComputerScene } from '../../../support/computerScene';
import type { FakeWindow } from '../../../support/fakeWindows';
import { until } from '../../../support/until';

const minute = 60_000;

describe('the fleet', () => {
  let { service, computer } = {} as ComputerScene;
  const lists = () => service.count('instances.list');
  const listed = (window: FakeWindow) =>
    until('the list is there', () => window.fleet.state.kind === 'ready', { everyMs: 5 });
  const advance = (ms: number) => computer.clock.advance(ms);
  const inView = { viewVisible: true, windowFocused: true };
  const away = { viewVisible: true, windowFocused: false };

  beforeEach(async () => {
    ({ service, computer } = await computerScene());
  });
  afterEach(() => computer.dispose());

  async function openInView(...instances: ReturnType<typeof anInstance>[]): Promise<FakeWindow> {
    service.instances = instances;
    const window = await computer.openSignedIn();
    window.fleet.setInterest(inView);
    await advance(0 + 1);
    await listed(window);
    await until('the next list is planned', () => computer.clock.pending === 1, { everyMs: 5 });
    service.calls.length = 0;
    return window;
  }

  it('reads every 60 seconds while it is on screen', async () => {
    await openInView();
    await advance(5 * minute);
    assert.equal(lists(), 5);
  });

  it('reads every 10 seconds while something starts, looked at or not', async () => {
    const window = await openInView(anInstance({ actualStatus: 'loading' }));
    window.fleet.setInterest(away);
    await advance(minute);
    assert.equal(lists(), 6);
    service.instances = [anInstance()];
    await advance(minute);
    assert.equal(lists(), 7);
  });

  it('reads every 5 minutes while an instance costs money and nothing is on screen', async () => {
    const window = await openInView(anInstance({ actualStatus: 'exited', intendedStatus: 'stopped' }));
    window.fleet.setInterest(away);
    await advance(20 * minute);
    assert.equal(lists(), 4);
  });

  it('sets no timer if nothing exists and nothing is on screen, or no account is signed in', async () => {
    const window = await openInView();
    window.fleet.setInterest(away);
    assert.equal(computer.clock.pending, 0);
    window.fleet.setInterest(inView);
    assert.equal(computer.clock.pending, 1);
    await window.accounts.signOut(window.accounts.active?.key ?? '');
    assert.equal(computer.clock.pending, 0);
  });

  it('reads within 10 seconds once a rental waits for its outcome, though nothing exists or is on screen', async () => {
    const { fleet, accounts } = await openInView();
    fleet.setInterest(away);
    assert.equal(computer.clock.pending, 0);
    fleet.setRented({ accountKey: accounts.active?.key, isAwaited: true, ids: [], expected: [], rented: [] });
    await advance(10_000);
    assert.equal(lists(), 1);
  });

  it('reads at once when it is on screen again after 10 minutes', async () => {
    const window = await openInView();
    window.fleet.setInterest(away);
    await advance(10 * minute);
    assert.equal(lists(), 0);
    window.fleet.setInterest(inView);
    await advance(1);
    assert.equal(lists(), 1);
  });

  it('has one poller for all windows, and all have the list', async () => {
    const first = await openInView(anInstance({ actualStatus: 'loading' }));
    const second = await computer.openSignedIn();
    second.fleet.setInterest(inView);
    await advance(minute);
    assert.equal(lists(), 6);
    assert.deepEqual(second.fleet.state, first.fleet.state);
    assert.equal(second.fleet.find(5001)?.actualStatus, 'loading');
  });

  it('is read at once when it is on screen in another window', async () => {
    const first = await openInView();
    first.fleet.setInterest(away);
    const second = await computer.openSignedIn();
    await advance(10 * minute);
    assert.equal(lists(), 0);
    second.fleet.setInterest(inView);
    await advance(1);
    assert.equal(lists(), 1);
  });

  it('is known to a window that opens later, also where it is empty', async () => {
    await openInView();
    const { fleet } = await computer.openSignedIn();
    await advance(0);
    assert.deepEqual([fleet.state.kind, lists()], ['ready', 0]);
  });

  it('is polled by the next window when the polling one closes', async () => {
    const first = await openInView(anInstance({ actualStatus: 'loading' }));
    const second = await computer.openSignedIn();
    second.fleet.setInterest(inView);
    await advance(10_000);
    first.close();
    service.calls.length = 0;
    await advance(minute);
    assert.equal(lists(), 6);
    assert.equal(second.hub.isLeader, true);
  });

  it('forgets what a closed window looked at', async () => {
    const first = await openInView();
    first.fleet.setInterest(away);
    const second = await computer.openSignedIn();
    second.fleet.setInterest(inView);
    await advance(2 * minute);
    second.close();
    service.calls.length = 0;
    await advance(10 * minute);
    assert.equal(lists(), 0);
  });

  it('keeps the last good list with the error beside it, and slows down', async () => {
    const window = await openInView(anInstance());
    service.before = () => {
      throw new UserError(text('The service could not be reached.'));
    };
    await advance(minute);
    const { state } = window.fleet;
    assert.equal(state.kind, 'ready');
    assert.equal(state.value.instances.length, 1);
    assert.ok(state.error instanceof UserError);
    assert.equal(computer.log.count('warn The instances could not be read: UserError: The service'), 1);
    window.fleet.note(5001, { kind: 'destroy' });
    service.calls.length = 0;
    // 10 s, 20 s, 40 s, 80 s after one another although something is under way.
    await advance(160_000);
    assert.equal(lists(), 4);
    service.before = () => undefined;
    await advance(5 * minute);
    assert.equal((window.fleet.state as { error?: unknown }).error, undefined);
  });

  it('reports that it failed if there was no list before', async () => {
    service.failsBefore('instances.list', () => new UserError(text('No.'), { nextStep: 'secondFactor' }));
    const window = await computer.openSignedIn();
    const other = await computer.openSignedIn();
    window.fleet.setInterest(inView);
    await advance(1);
    await until('it failed', () => window.fleet.state.kind === 'failed', { everyMs: 5 });
    assert.equal(other.fleet.state.kind, 'failed');
    const { error } = other.fleet.state as { error?: unknown };
    assert.ok(error instanceof UserError);
    assert.equal(error.nextStep, 'secondFactor', 'what to do next is the same in each window');
  });

  it('reads soon after the clock was set back or the computer slept', async () => {
    await openInView();
    await advance(minute);
    service.calls.length = 0;
    computer.clock.jump(-24 * 60 * minute);
    await advance(30_000);
    assert.equal(lists(), 1);
    computer.clock.jump(8 * 60 * minute);
    await advance(30_000);
    assert.equal(lists(), 2);
  });

  it('serves a refresh asked for anywhere with one list', async () => {
    const first = await openInView();
    const second = await computer.openSignedIn();
    await second.fleet.refresh();
    assert.equal(lists(), 1);
    await first.fleet.refresh();
    assert.equal(lists(), 2);
    service.before = () => {
      throw new UserError(text('No.'));
    };
    await assert.rejects(second.fleet.refresh(), UserError);
  });

  for (const where of ['in the window that leads', 'in another window']) {
    it(`gives a refresh a list that was asked for after it, ${where}`, async () => {
      const leader = await openInView();
      const window = where === 'in the window that leads' ? leader : await computer.openSignedIn();
      let release: () => void = () => undefined;
      service.before = () => new Promise((resolve) => (release = resolve));
      const first = window.fleet.refresh();
      await until('the first list is asked for', () => lists() === 1, { everyMs: 5 });
      const second = window.fleet.refresh();
      const third = window.fleet.refresh();
      service.before = () => undefined;
      release();
      await Promise.all([first, second, third]);
      assert.equal(lists(), 2);
    });
  }

  it('shows the last list after a restart, without secrets on disk', async () => {
    const secret = 'value-that-nobody-may-see';
    const first = await openInView(
      anInstance({
        ...{ jupyterToken: secret, onstart: `echo ${secret}` },
        ...{ args: ['--key', secret], env: [['TOKEN', secret]] },
      }),
    );
    first.fleet.note(5001, { kind: 'stop' });
    await advance(minute);
    const cache = join(computer.storageDir, 'accounts', first.accounts.active?.key ?? '', 'fleet.json');
    await until('it is on disk', () => existsSync(cache), { everyMs: 5 });
    first.close();
    service.calls.length = 0;
    for (const name of await readdir(computer.storageDir, { recursive: true })) {
      const content = await readFile(join(computer.storageDir, name), 'utf8').catch(() => '');
      assert.ok(!content.includes(secret), name);
    }
    const second = await computer.openSignedIn();
    await listed(second);
    assert.deepEqual(second.fleet.find(5001)?.env, [['TOKEN', '']]);
    assert.equal(second.fleet.facts(5001).lastRequest?.kind, 'stop');
    assert.notEqual(second.fleet.facts(5001).readyAt, undefined);
    assert.equal(lists(), 0);
  });

  it('shows no empty list after a restart, and reads once though nothing is on screen', async () => {
    const first = await openInView();
    const cache = join(computer.storageDir, 'accounts', first.accounts.active?.key ?? '', 'fleet.json');
    await until('it is on disk', () => readFile(cache).then(Boolean, () => false), { everyMs: 5 });
    first.close();
    const second = await computer.openSignedIn();
    await until('the list is planned', () => computer.clock.pending === 1, { everyMs: 5 });
    assert.equal(second.fleet.state.kind, 'idle');
    await advance(1);
    await listed(second);
    await advance(60 * minute);
    assert.equal(lists(), 1);
  });

  it('remembers what was asked of an instance though the disk refused to read it at first', async () => {
    const first = await openInView(anInstance());
    first.fleet.note(5001, { kind: 'destroy' });
    const path = join(computer.storageDir, 'accounts', first.accounts.active?.key ?? '', 'fleet.json');
    await advance(minute);
    first.close();
    await rename(path, `${path}.away`);
    // A link to itself can't be read, and the file takes its place in one step.
    await symlink(path, path);
    const second = await computer.openSignedIn();
    await second.fleet.refresh();
    assert.equal(second.fleet.facts(5001).lastRequest, undefined);
    await rename(`${path}.away`, path);
    for (let times = 0; times < 2; times++) {
      await second.fleet.refresh();
      await until('it is remembered', () => second.fleet.facts(5001).lastRequest?.kind === 'destroy');
    }
    await until('it is on disk', async () => (await readFile(path, 'utf8')).includes('"destroy"'));
    second.close();
    const third = await computer.openSignedIn();
    await listed(third);
    assert.equal(third.fleet.facts(5001).lastRequest?.kind, 'destroy');
  });

  it('begins with the account that is signed in already', async () => {
    const window = await openInView(anInstance());
    const { clock, log, storageDir } = computer;
    const later = window.owned.add(createFleet({ ...window, clock, log, storageDir }));
    later.setInterest(inView);
    await advance(1);
    assert.equal(later.find(5001)?.id, 5001);
  });

  it('shares with all windows what was requested of an instance', async () => {
    const first = await openInView(anInstance());
    const second = await computer.openSignedIn();
    second.fleet.note(5001, { kind: 'destroy' });
    assert.equal(first.fleet.facts(5001).lastRequest?.kind, 'destroy');
    second.fleet.forget(5001);
    assert.equal(first.fleet.facts(5001).lastRequest, undefined);
  });

  it('drops an answer that arrives for an account that is no longer active', async () => {
    const window = await openInView(anInstance());
    let release: () => void = () => undefined;
    service.before = (call) =>
      call === 'instances.list' ? new Promise((resolve) => (release = resolve)) : undefined;
    const refresh = window.fleet.refresh();
    await until('the list is asked for', () => lists() === 1, { everyMs: 5 });
    await window.accounts.signOut(window.accounts.active?.key ?? '');
    release();
    await refresh;
    assert.equal(window.fleet.state.kind, 'idle');
  });

  it('reaches all listeners though one of them fails, and logs that', async () => {
    const window = await openInView();
    let heard = 0;
    for (const listen of [window.fleet.onDidChange, window.fleet.onDidPoll]) {
      listen(() => {
        throw new Error('a fault');
      });
      listen(() => (heard += 1));
    }
    await advance(minute);
    assert.equal(heard, 2);
    assert.equal(computer.log.count('error A listener of the fleet failed'), 2);
  });

  it('reads the account every 5 minutes at most, beside the list', async () => {
    await openInView(anInstance({ actualStatus: 'loading' }));
    await advance(10 * minute + 1000);
    assert.equal(service.count('users.current'), 2);
    assert.equal(lists(), 60);
  });
});
