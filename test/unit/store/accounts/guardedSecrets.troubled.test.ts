import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { WrongPlaceError } from '../../../../src/model/accounts/editorPlace';
import { NotSignedInError } from '../../../../src/shared/notSignedIn';
import {
  KeyDamagedError,
  KeyLostError,
  KeyNotKeptError,
  KeyNotRemovedError,
  KeyUnreadableError,
} from '../../../../src/store/accounts/accountErrors';
import { guardedSecrets } from '../../../../src/store/accounts/guardedSecrets';
import { secretStoreLimitMs } from '../../../../src/store/accounts/patientSecrets';
import { UserError } from '../../../../src/util/errors';
import { formatText } from '../../../../src/util/text';
import { factorScene, type FactorScene } from '../../../support/factorWindows';
import { FakeClock } from '../../../support/fakeClock';
import { ReadableLog, TroubledSecrets } from '../../../support/troubledSecrets';
import { until } from '../../../support/until';

describe('a secret store in trouble', () => {
  let { simulator, account, windows, close } = {} as FactorScene;
  let secrets: TroubledSecrets;
  let clock: FakeClock;
  let log: ReadableLog;

  beforeEach(async () => {
    secrets = new TroubledSecrets();
    clock = new FakeClock();
    log = new ReadableLog();
    ({ simulator, account, windows, close } = await factorScene({ secrets, clock, log }));
  });
  afterEach(() => close());

  function open() {
    const window = windows.open();
    window.setPrompt(({ client }) =>
      client.secondFactor.logIn({
        kind: 'backup',
        backupCode: account.backupCodes[window.state.asked] ?? '',
      }),
    );
    return window;
  }

  /** Lets a store that hangs be given up on, as often as it takes. */
  async function patiently<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    await until(
      'the work',
      async () => {
        await clock.advance(secretStoreLimitMs);
        return isDone;
      },
      { everyMs: 5 },
    );
    return done;
  }

  /** No sentence and no log line holds a key, a session or the words of the key ring. */
  function assertNothingShown(...shown: unknown[]): void {
    const held = [...secrets.values.values()];
    const text = log.text + shown.map((each) => inspect(each, { depth: 9 })).join('\n');
    for (const secret of [account.key, 'Cannot decrypt', ...held]) {
      assert.equal(text.includes(secret), false, `${secret} is shown in ${text}`);
    }
  }

  for (const trouble of ['throws', 'throwsAtOnce', 'hangs', 'losesWrites'] as const) {
    it(`that ${trouble} from the start lets people work until the window closes`, async () => {
      secrets.trouble = trouble;
      const window = open();
      const signedIn = await patiently(window.signIn(account.key));
      assert.equal(signedIn.isKept, false);
      assert.deepEqual((await patiently(signedIn.client.instances.list())).items, []);
      assert.deepEqual(await patiently(signedIn.client.secrets.list()), []);
      await patiently(window.accounts.switchTo(signedIn.key));
      assert.equal(window.accounts.active?.key, signedIn.key);
      assert.deepEqual((await patiently(window.accounts.active.client.instances.list())).items, []);
      assert.equal(window.state.asked, 1, 'asked once, and not once more for each call');
      assertNothingShown(window.accounts.state);
    });

    it(`that ${trouble} after a sign-in does not sign anybody out, nor ask again and again`, async () => {
      const window = open();
      const signedIn = await window.signIn(account.key);
      secrets.trouble = trouble;
      await patiently(signedIn.client.instances.list());
      // The old session, without the second factor, is all that the store may still have.
      for (let round = 0; round < 3; round += 1) {
        await patiently(window.accounts.switchTo(signedIn.key));
        assert.equal(window.accounts.state.kind, 'signedIn');
        await patiently(window.accounts.active?.client.instances.list() ?? Promise.reject(new Error('gone')));
      }
      assert.equal(window.state.asked, 1);
      assertNothingShown(window.accounts.state);
    });
  }

  for (const trouble of ['throws', 'throwsAtOnce', 'hangs'] as const) {
    it(`that ${trouble} at a start is reported, and no account is signed out`, async () => {
      await open().signIn(account.key);
      secrets.trouble = trouble;
      const fresh = open();
      await patiently(fresh.accounts.load());
      assert.equal(fresh.accounts.state.kind, 'unreadable');
      assert.ok(fresh.accounts.state.error instanceof KeyUnreadableError);
      assert.equal(fresh.state.asked, 0);
      assertNothingShown(fresh.accounts.state);
      secrets.trouble = undefined;
      await fresh.accounts.load();
      assert.equal(fresh.accounts.active?.name, account.email);
    });
  }

  it('that answers late is used as soon as it does', async () => {
    await open().signIn(account.key);
    let unlock: (() => void) | undefined;
    const get = secrets.get.bind(secrets);
    secrets.get = (key) =>
      new Promise((resolve) => {
        unlock = () => {
          resolve(get(key));
        };
      });
    const fresh = open();
    await patiently(fresh.accounts.load());
    assert.equal(fresh.accounts.state.kind, 'unreadable');
    unlock?.();
    await until('the key', () => fresh.accounts.active !== undefined, { everyMs: 5 });
  });

  describe('that gives back garbage', () => {
    const texts = (key: string): readonly (readonly [string, unknown])[] => [
      ['nothing at all', ''],
      ['no JSON', `{"version":1,"apiKey":"${key}"`],
      ['another form', JSON.stringify({ version: 2, apiKey: key })],
      ['a number', 7],
      ['an object', { version: 1, apiKey: key }],
      ['a list', JSON.stringify([key])],
      ['an empty key', JSON.stringify({ version: 1, apiKey: '' })],
      ['the session of another account', JSON.stringify({ version: 1, account: 'other', apiKey: key })],
    ];

    it('at a start is reported, offers a sign-in, and sends nothing', async () => {
      const signedIn = await open().signIn(account.key);
      secrets.trouble = 'garbage';
      for (const [what, garbage] of texts(account.key)) {
        secrets.garbage = garbage;
        const before = simulator.received().length;
        const fresh = open();
        await fresh.accounts.load();
        assert.equal(fresh.accounts.state.kind, 'unreadable', what);
        assert.ok(fresh.accounts.state.error instanceof KeyDamagedError, what);
        assert.equal(fresh.accounts.state.error.nextStep, 'signIn');
        assert.equal(fresh.accounts.state.account?.key, signedIn.key);
        assert.equal(simulator.received().length, before, what);
        assertNothingShown(fresh.accounts.state);
      }
      secrets.garbage = null;
      const empty = open();
      await empty.accounts.load();
      assert.ok(empty.accounts.state.kind === 'unreadable');
      assert.ok(empty.accounts.state.error instanceof KeyLostError);
    });

    it('during work neither signs out nor asks again', async () => {
      const window = open();
      const signedIn = await window.signIn(account.key);
      await signedIn.client.instances.list();
      secrets.trouble = 'garbage';
      for (const [what, garbage] of texts('another-key')) {
        secrets.garbage = garbage;
        await window.accounts.switchTo(signedIn.key);
        assert.equal(window.accounts.state.kind, 'signedIn', what);
        await window.accounts.active?.client.instances.list();
      }
      assert.equal(window.state.asked, 1);
      const used = new Set(simulator.received('GET', /instances/).map(({ status }) => status));
      assert.deepEqual(used, new Set([403, 200]));
      assertNothingShown();
    });
  });

  it('uses what another window stored after a write of its own was lost', async () => {
    const window = open();
    const signedIn = await window.signIn(account.key);
    secrets.trouble = 'losesWrites';
    await signedIn.client.instances.list();
    await until('the write that was lost', () => window.state.asked === 1);
    await window.accounts.switchTo(signedIn.key);
    secrets.trouble = undefined;
    const other = open();
    await other.accounts.load();
    other.state.asked = 1;
    await other.accounts.active?.client.instances.list();
    assert.equal(other.state.asked, 2, 'the store had only the key for it');
    const stored = () => [...secrets.values.values()].join('');
    await until('the session', () => stored().includes('sessionKey'));
    await window.accounts.switchTo(signedIn.key);
    assert.equal(window.accounts.active?.isKept, true);
    assert.deepEqual((await window.accounts.active.client.instances.list()).items, []);
  });

  for (const trouble of ['throws', 'throwsAtOnce', 'hangs', 'losesWrites'] as const) {
    it(`that ${trouble} at a sign-out keeps no account signed in, and reports that the key is left`, async () => {
      const one = open();
      const two = open();
      const signedIn = await one.signIn(account.key);
      await two.accounts.load();
      await until('both', () => two.accounts.active !== undefined, { everyMs: 5 });
      const other = two.accounts.active;
      secrets.trouble = trouble;
      await assert.rejects(patiently(one.accounts.signOut(signedIn.key)), KeyNotRemovedError);
      assert.equal(one.accounts.state.kind, 'signedOut');
      await until('the other window', () => two.accounts.state.kind === 'signedOut', { everyMs: 5 });
      await assert.rejects(other?.client.instances.list() ?? Promise.resolve(), UserError);
      assert.deepEqual(await one.accounts.known(), []);
      assertNothingShown();
    });
  }

  it('closes the question for a code in every window at a sign-out', async () => {
    const one = windows.open(true);
    let asked: AbortSignal | undefined;
    one.setPrompt((_, signal) => {
      asked = signal;
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          resolve(undefined);
        });
      });
    });
    const two = windows.open(false);
    await two.accounts.load();
    const signedIn = await one.signIn(account.key);
    const listing = signedIn.client.instances.list();
    const refusal = assert.rejects(listing, NotSignedInError);
    await until('the question', () => asked !== undefined, { everyMs: 5 });
    await two.accounts.signOut(signedIn.key);
    await until('the end of the question', () => asked?.aborted === true, { everyMs: 5 });
    await refusal;
    assert.equal(one.accounts.state.kind, 'signedOut');
  });

  it('explains in every sentence about it what to do', () => {
    for (const error of [
      new KeyDamagedError(),
      new KeyLostError(),
      new KeyNotKeptError(),
      new KeyNotRemovedError(),
      new KeyUnreadableError(undefined),
    ]) {
      assert.match(formatText(error.text), /\. (Sign in|Unlock)|, then sign/);
      assert.notEqual(error.nextStep, 'none');
    }
  });
});

describe('the guard before the secret store', () => {
  const events = () => ({ dispose: () => undefined });
  const broken = (): never => {
    throw new Error('no key ring');
  };
  const store = { onDidChange: events, keys: broken, get: broken, store: broken, delete: broken };

  it('does not touch it on a rented machine', async () => {
    const place = { isWorkspaceExtension: false, isBrowserEditor: false, hasContainerKey: true };
    const secrets = guardedSecrets(store, place);
    await assert.rejects(secrets.keys(), WrongPlaceError);
    await assert.rejects(secrets.get('a'), WrongPlaceError);
    await assert.rejects(secrets.store('a', 'b'), WrongPlaceError);
    await assert.rejects(secrets.delete('a'), WrongPlaceError);
  });
});
