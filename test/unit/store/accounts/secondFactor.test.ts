import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnauthorizedError } from '../../../../src/api/errors';
import type { TfaLogin } from '../../../../src/model/accounts/tfa';
import {
  SecondFactorGate,
  SecondFactorNeededError,
  type SecondFactorPrompt,
  type SecondFactorSubject,
} from '../../../../src/store/accounts/secondFactor';
import { NotSignedInError } from '../../../../src/store/accounts/accountErrors';
import { Emitter } from '../../../../src/util/emitter';
import { CancelledError } from '../../../../src/util/errors';
import { FakeClock, settle } from '../../../support/fakeClock';
import { FakeHubs } from '../../../support/fakeWindows';
import { RealWindows } from '../../../support/realWindows';
import { startTestSimulator, type TestSimulator } from '../../../support/startSimulator';
import { orderAccount, totpCode, type OrderedAccount } from '../../../support/tfaAccount';
import { until } from '../../../support/until';

describe('the second factor at work', () => {
  let simulator: TestSimulator;
  let account: OrderedAccount;
  let folder: string;
  let windows: RealWindows;

  beforeEach(async () => {
    simulator = await startTestSimulator();
    account = await orderAccount(simulator, 'totp');
    folder = await mkdtemp(join(tmpdir(), 'second-factor-'));
    windows = new RealWindows(folder, simulator.url);
  });
  afterEach(async () => {
    await windows.close();
    await simulator.close();
    // What is still being written down ends with the windows.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  const enterCode: SecondFactorPrompt = ({ client }) =>
    client.tfa.logIn({
      kind: 'code',
      factor: 'totp',
      code: totpCode(simulator, account.totpSecret),
    });

  it('is asked for once by several refused calls, which then go on by themselves', async () => {
    const window = windows.open();
    window.setPrompt(enterCode);
    const { client } = await window.signIn(account.key);
    assert.equal(window.state.asked, 0, 'signing in asks users/current alone');
    const [instances, templates] = await Promise.all([client.instances.list(), client.templates.search({})]);
    assert.deepEqual(instances.items, []);
    assert.ok(templates.items.length > 0);
    assert.equal(window.state.asked, 1);
    const [stored] = [...windows.secrets.values.values()];
    assert.ok(stored?.includes('sessionKey'), 'kept beside the key');
  });

  it('lets a refused write go on, once', async () => {
    const window = windows.open();
    window.setPrompt(enterCode);
    const { client } = await window.signIn(account.key);
    await client.secrets.create('TOKEN', 'abc');
    const sent = simulator.received('POST', '/api/v0/secrets/');
    assert.deepEqual(
      sent.map((request) => request.status),
      [403, 200],
    );
  });

  it('is not asked for a key that works alone, nor for one that is wrong', async () => {
    const window = windows.open();
    window.setPrompt(enterCode);
    const relaxed = await orderAccount(simulator, 'totp', { demanded: false });
    const { client } = await window.signIn(relaxed.key);
    await client.instances.list();
    simulator.world.keys.remove(simulator.world.keys.find(relaxed.key)?.id ?? 0);
    await assert.rejects(client.instances.list(), UnauthorizedError);
    assert.equal(window.state.asked, 0);
  });

  it('is asked for again, once, when the session ends', async () => {
    const window = windows.open();
    let codes = 0;
    window.setPrompt(({ client }) => {
      codes += 1;
      const backupCode = account.backupCodes[codes] ?? '';
      return client.tfa.logIn({ kind: 'backup', backupCode });
    });
    const { client } = await window.signIn(account.key);
    await client.instances.list();
    await simulator.call('POST', '/__sim/expire-sessions/', {});
    await Promise.all([client.instances.list(), client.secrets.list()]);
    assert.equal(window.state.asked, 2);
  });

  it('goes back to the key when the second factor was taken off meanwhile', async () => {
    const window = windows.open();
    window.setPrompt(enterCode);
    const { client } = await window.signIn(account.key);
    await client.instances.list();
    await client.tfa.remove(1, { kind: 'backup', backupCode: account.backupCodes[0] ?? '' });
    await simulator.call('POST', '/__sim/expire-sessions/', {});
    await client.instances.list();
    assert.equal(window.state.asked, 1);
  });

  it('is not asked again after a "no", until the person starts it', async () => {
    const window = windows.open();
    let says: SecondFactorPrompt = () => Promise.resolve(undefined);
    window.setPrompt((subject, signal) => says(subject, signal));
    const { client } = await window.signIn(account.key);
    await assert.rejects(client.instances.list(), SecondFactorNeededError);
    await assert.rejects(client.instances.list(), SecondFactorNeededError);
    assert.equal(window.state.asked, 1);
    says = enterCode;
    assert.equal(await window.accounts.enterSecondFactor(), true);
    await client.instances.list();
    assert.equal(window.state.asked, 2);
  });

  it('is not asked for an account that is not in use any more', async () => {
    const window = windows.open();
    window.setPrompt(enterCode);
    const before = await window.signIn(account.key);
    await window.signIn('test-key-0000');
    await assert.rejects(before.client.instances.list(), NotSignedInError);
    assert.equal(window.state.asked, 0);
  });

  it('stops waiting for a call that is cancelled, and goes on for the others', async () => {
    const window = windows.open();
    let answer: (() => void) | undefined;
    window.setPrompt(async (subject, signal) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return enterCode(subject, signal);
    });
    const { client } = await window.signIn(account.key);
    const stop = new AbortController();
    const cancelled = client.instances.list({ signal: stop.signal });
    const patient = client.secrets.list();
    await until('the question', () => answer !== undefined, { everyMs: 5 });
    stop.abort();
    await assert.rejects(cancelled, CancelledError);
    answer?.();
    assert.deepEqual(await patient, []);
  });

  it('is asked for in the window that somebody looks at, and both windows go on', async () => {
    const back = windows.open(false);
    const front = windows.open(true);
    back.setPrompt(enterCode);
    front.setPrompt(enterCode);
    const polling = await back.signIn(account.key);
    await front.accounts.load();
    await until('both are signed in', () => front.accounts.active !== undefined, { everyMs: 5 });
    assert.deepEqual((await polling.client.instances.list()).items, []);
    assert.deepEqual((await front.accounts.active?.client.instances.list())?.items, []);
    assert.deepEqual([back.state.asked, front.state.asked], [0, 1]);
  });

  it('waits for the focus where no window has it', async () => {
    const window = windows.open(false);
    window.setPrompt(enterCode);
    const { client } = await window.signIn(account.key);
    const listing = client.instances.list();
    await until('users/current was asked again', () => simulator.received('GET', /users/).length > 1, {
      everyMs: 5,
    });
    assert.equal(window.state.asked, 0);
    window.setFocus(true);
    assert.deepEqual((await listing).items, []);
    assert.equal(window.state.asked, 1);
  });

  it('leaves nothing usable in another window after a sign-out', async () => {
    const one = windows.open(true);
    const two = windows.open(false);
    one.setPrompt(enterCode);
    const signedIn = await one.signIn(account.key);
    await two.accounts.load();
    await signedIn.client.instances.list();
    const other = two.accounts.active;
    assert.ok(other);
    await other.client.instances.list();
    await one.accounts.signOut(signedIn.key);
    await until('the other window is signed out', () => two.accounts.active === undefined, { everyMs: 5 });
    assert.equal(windows.secrets.values.size, 0);
    await assert.rejects(other.client.instances.list());
  });

  it('asks in one window where two begin at once, and both go on', async () => {
    const one = windows.open(true);
    const two = windows.open(true);
    const open = new Set<string>();
    const ask =
      (name: string): SecondFactorPrompt =>
      async (subject, signal) => {
        open.add(name);
        // The person needs a while; a window that was not first closes its question meanwhile.
        await new Promise<void>((resolve) => {
          setTimeout(resolve, 100);
          signal.addEventListener('abort', () => {
            resolve();
          });
        });
        open.delete(name);
        return signal.aborted ? undefined : enterCode(subject, signal);
      };
    one.setPrompt(ask('one'));
    two.setPrompt(ask('two'));
    const first = await one.signIn(account.key);
    await two.accounts.load();
    await until('both are signed in', () => two.accounts.active !== undefined, { everyMs: 5 });
    await Promise.all([first.client.instances.list(), two.accounts.active?.client.instances.list()]);
    assert.equal(simulator.received('POST', '/api/v0/tfa/').length, 1);
    assert.equal(open.size, 0);
  });

  it('asks again after a "no" that another window has made good', async () => {
    const one = windows.open(true);
    const two = windows.open(false);
    let answers = 0;
    one.setPrompt(() => Promise.resolve(undefined));
    two.setPrompt((subject, signal) => {
      answers += 1;
      return answers === 1
        ? enterCode(subject, signal)
        : subject.client.tfa.logIn({ kind: 'backup', backupCode: account.backupCodes[0] ?? '' });
    });
    const { client } = await one.signIn(account.key);
    await two.accounts.load();
    await until('both are signed in', () => two.accounts.active !== undefined, { everyMs: 5 });
    await assert.rejects(client.instances.list(), SecondFactorNeededError);
    two.setFocus(true);
    await two.accounts.enterSecondFactor();
    await two.accounts.active?.client.instances.list();
    await simulator.call('POST', '/__sim/expire-sessions/', {});
    await two.accounts.active?.client.instances.list();
    assert.equal(answers, 2);
  });
});

describe('the window that asks for the second factor', () => {
  let clock: FakeClock;
  let hubs: FakeHubs;
  const subject = { account: { key: 'a' } } as SecondFactorSubject; // the gate looks at the key alone
  const login: TfaLogin = { sessionKey: 's', isLegacy: false };

  beforeEach(() => {
    clock = new FakeClock();
    hubs = new FakeHubs();
  });

  /** A window that looks at its question until the test answers it. */
  function open() {
    const hub = hubs.open();
    const gate = new SecondFactorGate(
      hub,
      { isFocused: true, onDidChange: new Emitter<boolean>().event },
      clock,
    );
    const window = {
      hub,
      gate,
      asked: 0,
      isAsking: false,
      answer: undefined as ((login: TfaLogin | undefined) => void) | undefined,
    };
    gate.setPrompt((_, signal) => {
      window.asked += 1;
      window.isAsking = true;
      return new Promise<TfaLogin | undefined>((resolve) => {
        window.answer = resolve;
        signal.addEventListener('abort', () => {
          resolve(undefined);
        });
      }).finally(() => {
        window.isAsking = false;
      });
    });
    return window;
  }
  const ask = (window: ReturnType<typeof open>) => window.gate.ask(subject, new AbortController().signal);

  it('keeps its question when a window is opened that does not know of it', async () => {
    const one = open();
    const first = ask(one);
    await clock.advance(30_000);
    const two = open();
    const second = ask(two);
    await clock.advance(10_000);
    assert.deepEqual([one.isAsking, two.isAsking], [true, false]);
    one.answer?.(login);
    assert.equal(await first, login);
    await settle();
    assert.equal(two.isAsking, true, 'its turn, unless a session arrived meanwhile');
    two.answer?.(undefined);
    assert.equal(await second, undefined);
  });

  it('hands on when it is closed with its question open', async () => {
    const one = open();
    const two = open();
    void ask(one);
    const second = ask(two);
    await clock.advance(60_000);
    assert.deepEqual([one.isAsking, two.isAsking], [true, false], 'as long as it is there');
    hubs.hubs.splice(0, 1);
    one.gate.dispose();
    await clock.advance(7_000);
    assert.equal(two.isAsking, true);
    two.answer?.(login);
    assert.equal(await second, login);
    await clock.advance(0);
    assert.equal(clock.pending, 0, 'nobody goes on asking');
  });
});
