import assert from 'node:assert/strict';
import type { Client } from '../../../../src/api/client';
import { ForbiddenError, TimedOutError, UnauthorizedError } from '../../../../src/api/errors';
import type { AccountRef } from '../../../../src/model/accounts/account';
import type { SecondFactorLogin } from '../../../../src/model/accounts/secondFactor';
import { SecondFactorGate, SecondFactorNeededError } from '../../../../src/store/accounts/secondFactor';
import { SessionRenewal } from '../../../../src/store/accounts/sessionRenewal';
import type { Session } from '../../../../src/store/accounts/sessions';
import { Emitter } from '../../../../src/util/emitter';
import { silentLog } from '../../../../src/util/log';
import { aUser } from '../../../support/builders';
import { FakeClock, settle } from '../../../support/fakeClock';
import { FakeHubs } from '../../../support/fakeWindows';

const account: AccountRef = {
  key: 'a',
  serviceUrl: 'https://console.example.com',
  userId: 7,
  name: 'user',
  isDemo: false,
};

describe('a session that ends', () => {
  let clock: FakeClock;
  let hubs: FakeHubs;
  /** Session keys that the service accepts; the API key is `key`. */
  let living: Set<string>;
  /** Bearers that were checked, oldest first. */
  let checked: string[];
  /** Awaited before each answer to a check. */
  let answering: (bearer: string) => Promise<void>;
  /** What the service says of the account's second factor. */
  let tfaStatus: string | undefined;

  beforeEach(() => {
    clock = new FakeClock();
    hubs = new FakeHubs();
    living = new Set();
    checked = [];
    tfaStatus = 'enabled';
    answering = () => Promise.resolve();
  });

  const clientWith = (bearer: string) =>
    ({
      users: {
        current: async () => {
          checked.push(bearer);
          await answering(bearer);
          if (bearer !== 'key' && !living.has(bearer)) {
            throw new UnauthorizedError();
          }
          return aUser(tfaStatus === undefined ? {} : { tfaStatus });
        },
      },
    }) as unknown as Client; // nothing else of it is used here

  function open({ isFocused = false, sessionKey }: { isFocused?: boolean; sessionKey?: string } = {}) {
    const hub = hubs.open();
    const focus = new Emitter<boolean>();
    const window = {
      hub,
      isFocused,
      session: {
        apiKey: 'key',
        ...(sessionKey === undefined ? {} : { sessionKey }),
      } satisfies Session as Session | undefined,
      asked: 0,
      /** Answers the question that is open. */
      answer: undefined as ((login: SecondFactorLogin | undefined) => void) | undefined,
      focus: (focused: boolean) => {
        window.isFocused = focused;
        focus.fire(focused);
      },
      /** From the key ring, which another window has written to. */
      receive: (sessionKey: string) => {
        window.session = { apiKey: 'key', sessionKey };
        renewal.noteSession(account.key);
      },
      /** A call was refused with the bearer in use. */
      call: () => renewal.recover(account, { bearer: window.session?.sessionKey ?? 'key', isAgain: false }),
      start: () => renewal.start(account),
      close: () => {
        renewal.dispose();
        gate.dispose();
        hub.dispose();
      },
      gate: undefined as unknown as SecondFactorGate,
    };
    const gate = new SecondFactorGate(
      hub,
      {
        get isFocused() {
          return window.isFocused;
        },
        onDidChange: focus.event,
      },
      clock,
    );
    gate.setPrompt((_, signal) => {
      window.asked += 1;
      return new Promise<SecondFactorLogin | undefined>((resolve) => {
        window.answer = resolve;
        signal.addEventListener('abort', () => {
          resolve(undefined);
        });
      }).finally(() => {
        window.answer = undefined;
      });
    });
    const renewal = new SessionRenewal({
      gate,
      hub,
      clock,
      log: silentLog,
      clientWith: (_, bearer) => clientWith(bearer),
      sessionOf: () => window.session,
      save: (_, change) => {
        window.session = { apiKey: 'key', ...change };
        renewal.noteSession(account.key);
      },
      active: () => account,
    });
    return window;
  }
  type OpenWindow = ReturnType<typeof open>;
  const isAsked = (window: OpenWindow) => window.answer !== undefined;
  const enter = (window: OpenWindow, sessionKey: string) => {
    living.add(sessionKey);
    window.answer?.({ sessionKey, isLegacy: false });
  };

  it('is requested at once by a window that knows of it before it has the session that ended', async () => {
    const back = open();
    const front = open();
    const first = back.call();
    await settle();
    // The session came to the window in the back alone so far, and has ended again.
    back.receive('one');
    assert.equal(await first, true);
    const second = back.call();
    await settle();
    front.focus(true);
    await settle();
    assert.equal(isAsked(front), true, 'for want of any session');
    front.receive('one');
    await settle();
    assert.equal(isAsked(front), true, 'for the session that came has ended as well');
    enter(front, 'two');
    await settle();
    back.receive('two');
    assert.equal(await second, true);
  });

  it('is not requested again if the session that arrived late is the one in use', async () => {
    const back = open();
    const front = open();
    const first = back.call();
    await clock.advance(500);
    living.add('one');
    back.receive('one');
    assert.equal(await first, true);
    front.receive('one');
    await clock.advance(60_000);
    front.focus(true);
    await clock.advance(60_000);
    assert.equal(front.asked, 0);
    assert.deepEqual([hubs.hubs.length, clock.pending], [2, 0], 'nobody goes on telling');
  });

  it('is asked for within seconds in a window that is opened long after', async () => {
    const back = open();
    const events: number[] = [];
    hubs.open().on('secondFactor.needed', () => void events.push(clock.elapsed() / 1000));
    const call = back.call();
    await clock.advance(10 * 60_000 + 5000);
    assert.deepEqual(events.slice(0, 7), [0, 1, 3, 7, 15, 23, 31]);
    const front = open({ isFocused: true });
    await clock.advance(10_000);
    assert.equal(isAsked(front), true);
    enter(front, 'one');
    await settle();
    back.receive('one');
    assert.equal(await call, true);
  });

  it('is asked for though every word of the first seconds was lost', async () => {
    const back = open();
    const front = open({ isFocused: true });
    hubs.hold();
    void back.call();
    await clock.advance(5000);
    assert.equal(hubs.lose(), true);
    await clock.advance(10_000);
    assert.equal(isAsked(front), true);
  });

  it('is requested by the remaining window when the other one that waited is closed', async () => {
    const one = open();
    const two = open();
    void one.call().catch(() => undefined);
    const call = two.call();
    await settle();
    one.close();
    two.focus(true);
    await settle();
    assert.equal(isAsked(two), true);
    enter(two, 'one');
    assert.equal(await call, true);
  });

  it('asks one question while the focus changes back and forth', async () => {
    const one = open({ isFocused: true });
    const two = open();
    const calls = [one.call(), two.call()];
    await clock.advance(1000);
    one.focus(false);
    two.focus(true);
    await clock.advance(30_000);
    assert.deepEqual([one.asked, two.asked], [1, 0], 'the one that is open stays');
    two.focus(false);
    one.focus(true);
    enter(one, 'one');
    await settle();
    two.receive('one');
    assert.deepEqual(await Promise.all(calls), [true, true]);
    assert.deepEqual([one.asked, two.asked], [1, 0]);
  });

  it('waits where no window has the focus, and asks in the first that gets it', async () => {
    const windows = [open(), open(), open()];
    const calls = windows.map((window) => window.call());
    await clock.advance(120_000);
    assert.deepEqual(windows.map(isAsked), [false, false, false]);
    windows[2]?.focus(true);
    await settle();
    assert.deepEqual(windows.map(isAsked), [false, false, true]);
    enter(windows[2] as OpenWindow, 'one');
    await settle();
    windows.slice(0, 2).forEach((window) => {
      window.receive('one');
    });
    assert.deepEqual(await Promise.all(calls), [true, true, true]);
  });

  it('is asked for once by a poll and a refresh that are refused one after the other', async () => {
    const back = open({ sessionKey: 'one' });
    const front = open({ isFocused: true, sessionKey: 'one' });
    let release = () => {};
    answering = (bearer) =>
      bearer === 'key'
        ? new Promise((resolve) => {
            const before = release;
            release = () => {
              before();
              resolve();
            };
          })
        : Promise.resolve();
    const poll = back.call();
    await settle();
    const refresh = back.call();
    const own = front.call();
    await clock.advance(20_000);
    assert.equal(isAsked(front), false, 'the account is still being asked for');
    release();
    await settle();
    assert.equal(isAsked(front), true);
    enter(front, 'two');
    await settle();
    back.receive('two');
    assert.deepEqual(await Promise.all([poll, refresh, own]), [true, true, true]);
    assert.equal(front.asked, 1);
    await clock.advance(60_000);
    assert.deepEqual([isAsked(front), clock.pending], [false, 0]);
  });

  it('is requested again if the new one ends as soon as it was made', async () => {
    const window = open({ isFocused: true });
    const first = window.call();
    await settle();
    enter(window, 'one');
    assert.equal(await first, true);
    living.clear();
    const second = window.call();
    await settle();
    assert.equal(isAsked(window), true);
    enter(window, 'two');
    assert.equal(await second, true);
    assert.equal(window.asked, 2);
  });

  it('sends no message any more after a refusal', async () => {
    const back = open();
    const front = open({ isFocused: true });
    const call = back.call();
    const refused = assert.rejects(call, SecondFactorNeededError);
    await settle();
    front.answer?.(undefined);
    await refused;
    await clock.advance(120_000);
    assert.deepEqual([front.asked, clock.pending], [1, 0]);
  });

  it('does not blame the key if the service can’t be asked about it', async () => {
    const window = open({ isFocused: true, sessionKey: 'one' });
    answering = () => Promise.reject(new TimedOutError());
    await assert.rejects(window.call(), TimedOutError);
    answering = () => Promise.reject(new ForbiddenError());
    assert.equal(await window.call(), false, 'a key that may not ask is refused itself');
    answering = () => Promise.resolve();
    const call = window.call();
    await settle();
    enter(window, 'two');
    assert.equal(await call, true);
  });

  it('is requested if the service does not state whether there is a second factor', async () => {
    tfaStatus = undefined;
    const window = open({ isFocused: true, sessionKey: 'one' });
    const call = window.call();
    await settle();
    assert.equal(isAsked(window), true, 'a session has ended');
    enter(window, 'two');
    assert.equal(await call, true);
    const other = open({ isFocused: true });
    assert.equal(await other.call(), false, 'a key that nothing was ever asked for is wrong');
    const started = other.start();
    await settle();
    assert.equal(isAsked(other), true, 'the person wants it');
    enter(other, 'three');
    assert.equal(await started, true);
  });

  it('is not requested once no account is signed in', async () => {
    const window = open({ isFocused: true, sessionKey: 'one' });
    window.session = undefined;
    assert.deepEqual([await window.call(), await window.start()], [false, false]);
    assert.deepEqual([checked, window.asked, clock.pending], [[], 0, 0]);
  });

  it('is replaced by the key if the second factor was turned off, without a question', async () => {
    tfaStatus = 'disabled';
    const window = open({ isFocused: true, sessionKey: 'one' });
    assert.equal(await window.call(), true);
    assert.deepEqual([window.session, window.asked], [{ apiKey: 'key' }, 0]);
    assert.equal(await window.start(), false);
    assert.equal(window.asked, 0);
  });
});
