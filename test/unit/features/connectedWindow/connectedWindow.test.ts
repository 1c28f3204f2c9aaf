import assert from 'node:assert/strict';
import { StatusItem } from '../../../../src/editor/statusItem';
import { ConnectedWindow } from '../../../../src/features/connectedWindow/connectedWindow';
import type { Instance } from '../../../../src/model/instances/instance';
import { anInstance } from '../../../support/builders';
import { FakeClock, settle } from '../../../support/fakeClock';
import { FakeEventEmitter } from '../../../support/fakeEditor/events';
import { openScreen, runCommandsBy, textsOn } from '../../../support/onScreen';
import { only } from '../../../support/only';

const alias = 'gpu-0a1b2c-7';

describe('A window on an instance', () => {
  const running = anInstance({ id: 7, label: 'trainer' });
  const stopped = anInstance({ id: 7, label: 'trainer', actualStatus: 'exited', intendedStatus: 'stopped' });

  /** A window whose list is read when the scene decides. */
  async function scene({ entry }: { readonly entry?: object | undefined } = {}) {
    const screen = openScreen();
    const clock = new FakeClock();
    const listed = new FakeEventEmitter<undefined>();
    const account = new FakeEventEmitter<undefined>();
    const mayAsk = new FakeEventEmitter<{ readonly event: string }>();
    const wanted: string[] = [];
    const settled: ((event: string) => boolean)[] = [];
    const prepared: unknown[] = [];
    const errors: string[] = [];
    runCommandsBy((_, [target]) => {
      prepared.push(target);
      return Promise.resolve();
    });
    const accounts: { active: { key: string } | undefined; onDidChange: typeof account.event } = {
      active: { key: 'mine' },
      onDidChange: account.event,
    };
    const kept = new Map<string, unknown>();
    let instance: Instance | undefined;
    let hasEnded = false;
    let refreshes = 0;
    const state: { kind: string; fetchedAt: number; error?: Error | undefined } = {
      kind: 'loading',
      fetchedAt: 0,
    };
    const deps = {
      ...{ accounts, clock },
      fleet: {
        ...{ state, onDidChange: listed.event, facts: () => ({}) },
        find: () => instance,
        hasEnded: () => hasEnded,
        refresh: () => {
          refreshes += 1;
          return Promise.resolve();
        },
      },
      ssh: {
        aliasOf: () => alias,
        entry: () => Promise.resolve(entry && { endpoint: entry }),
        latency: () => Promise.resolve(undefined),
      },
      connectedWindows: {
        ...{ set: () => undefined, onMayAsk: mayAsk.event },
        want: ({ event }: { readonly event: string }) => wanted.push(event),
        settle: (_: string, isOver: (event: string) => boolean) => settled.push(isOver),
      },
      globalState: {
        get: (key: string) => kept.get(key),
        update: (key: string, value: unknown) => {
          kept.set(key, value);
          return Promise.resolve();
        },
      },
      rentals: { find: () => undefined },
      statusItem: new StatusItem(),
      windowInUse: { isFocused: false, onDidChange: () => ({ dispose: () => undefined }) },
      report: { error: (error: unknown) => errors.push(String(error)) },
      log: { error: (_: string, error: unknown) => errors.push(String(error)), warn: () => undefined },
    };
    const window = new ConnectedWindow(only(deps), { alias, instanceId: 7 });
    await settle();
    /** A new list, `undefined` where the instance is not in it any more. */
    const list = async (
      next: Instance | undefined,
      more: { ended?: boolean; at?: number; error?: Error } = {},
    ) => {
      instance = next;
      hasEnded = more.ended ?? false;
      Object.assign(state, { kind: 'ready', fetchedAt: more.at ?? clock.now(), error: more.error });
      listed.fire(undefined);
      await settle();
    };
    const item = () => screen.status.get('gpuRental.status');
    const text = () => (item()?.isShown === true ? item()?.text.replace(/\$\([\w~-]+\) ?/g, '') : undefined);
    const ask = async (event: string) => {
      mayAsk.fire({ event });
      await settle();
      return textsOn(screen).map((line) => line.replace(/ \/\/.*$/s, ''));
    };
    const fireAccount = async () => {
      account.fire(undefined);
      await settle();
    };
    return {
      ...{
        window,
        screen,
        clock,
        accounts,
        list,
        text,
        item,
        ask,
        wanted,
        settled,
        prepared,
        errors,
        fireAccount,
      },
      refreshes: () => refreshes,
      ssh: deps.ssh,
    };
  }

  it('shows nothing before it was read, and reads it once', async () => {
    const { text, refreshes, list, fireAccount } = await scene();
    assert.deepEqual([text(), refreshes()], [undefined, 1]);
    await fireAccount();
    await list(running);
    assert.equal(refreshes(), 1);
    assert.match(text() ?? '', /^trainer · \$0\.400\/h/);
  });

  it('is updated with the time, until it closes', async () => {
    const { window, text, list, clock, item } = await scene();
    await list(running);
    const before = text();
    await clock.advance(30 * 60_000);
    assert.notEqual(text(), before);
    window.dispose();
    assert.deepEqual([item()?.isShown, clock.pending], [false, 0]);
  });

  it('warns by its color where something is wrong', async () => {
    const { list, item } = await scene();
    await list(running);
    assert.equal(item()?.backgroundColor, undefined);
    await list(stopped);
    assert.ok(item()?.backgroundColor);
    assert.equal(item()?.accessibilityInformation?.role, 'button');
  });

  it('shows nothing of another account that has the same alias, nor without one', async () => {
    const { list, text, accounts, fireAccount } = await scene();
    await list(running);
    accounts.active = { key: 'theirs' };
    await list(undefined, { ended: true });
    assert.equal(text(), undefined);
    accounts.active = undefined;
    await fireAccount();
    assert.equal(text(), undefined);
    accounts.active = { key: 'mine' };
    await fireAccount();
    assert.notEqual(text(), undefined);
  });

  for (const [what, more, isShown, isWanted] of [
    ['it has ended', { ended: true }, true, true],
    ['the list lacks it', {}, false, false],
    ['the list is old', { ended: true, error: new Error('No network') }, false, false],
  ] as const) {
    it(`that is not listed is ${isWanted ? '' : 'not '}asked about where ${what}`, async () => {
      const { list, text, wanted } = await scene();
      await list(running);
      await list(undefined, more);
      assert.deepEqual([text() !== undefined, wanted], [isShown, isWanted ? ['destroyed'] : []]);
    });
  }

  it('asks about nothing that it only knows from before the window', async () => {
    const { list, clock, wanted } = await scene();
    await list(stopped, { at: clock.now() - 1 });
    await list(stopped, { at: clock.now() + 1 });
    assert.deepEqual(wanted, []);
    await list(stopped);
    assert.deepEqual(wanted, ['stopped']);
  });

  it('asks also where the clock was set back since it was opened', async () => {
    const { list, clock, wanted } = await scene();
    clock.jump(-3_600_000);
    await list(stopped);
    assert.deepEqual(wanted, ['stopped']);
  });

  it('shows once that it runs again, and its entry is written again', async () => {
    const { list, screen, prepared, settled } = await scene();
    await list(running);
    assert.deepEqual([textsOn(screen), prepared], [[], []]);
    await list(stopped);
    await list(running);
    await list(running);
    assert.deepEqual(textsOn(screen), [
      'info trainer is running again. Reload this window if it does not reconnect. [Reload Window]',
    ]);
    assert.deepEqual(prepared, [{ instanceId: 7, accountKey: 'mine', isEntryOnly: true }]);
    assert.deepEqual(
      ['stopped', 'moved a:1'].map((event) => settled.at(-1)?.(event)),
      [true, false],
    );
  });

  const endpoint = { host: running.sshHost ?? '', port: running.sshPort ?? 0 };
  for (const [what, entry, isMoved] of [
    ['another one', { ...endpoint, port: 1 }, true],
    ['the same', endpoint, false],
    ['none', undefined, false],
  ] as const) {
    it(`asks to reload where its address changed: ${what} before`, async () => {
      const { list, wanted, prepared } = await scene({ entry });
      await list(running);
      assert.deepEqual(wanted.length, isMoved ? 1 : 0);
      assert.match(wanted.join(), isMoved ? /^moved \S+:\d+$/ : /^$/);
      assert.equal(prepared.length, isMoved ? 1 : 0);
    });
  }

  it('asks once at a time, the next question after it, and nothing that is over', async () => {
    const { list, ask, screen } = await scene();
    await list(stopped);
    assert.match((await ask('stopped')).join(), /^warning dialog trainer is stopped/);
    assert.deepEqual(await ask('stopped'), []);
    screen.messages.shown[0]?.close();
    await settle();
    assert.equal(textsOn(screen).length, 1);
    screen.messages.shown[0]?.close();
    await settle();
    assert.deepEqual(textsOn(screen), []);
    await list(running);
    textsOn(screen);
    assert.deepEqual(await ask('stopped'), []);
    assert.match((await ask('moved a:1')).join(), /^warning dialog /);
    screen.messages.shown[0]?.close();
    await list(stopped);
    assert.deepEqual(await ask('moved a:1'), []);
  });

  it('continues after a reading that failed', async () => {
    const { list, text, ssh, errors } = await scene();
    const { aliasOf } = ssh;
    ssh.aliasOf = () => {
      throw new Error('No folder');
    };
    await list(running);
    assert.deepEqual([text(), errors], [undefined, ['Error: No folder']]);
    ssh.aliasOf = aliasOf;
    await list(running);
    assert.notEqual(text(), undefined);
  });
});
