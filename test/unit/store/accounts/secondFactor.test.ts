import assert from 'node:assert/strict';
import { ForbiddenError, UnauthorizedError } from '../../../../src/api/errors';
import { NotSignedInError } from '../../../../src/shared/notSignedIn';
import {
  SecondFactorNeededError,
  type SecondFactorPrompt,
} from '../../../../src/store/accounts/secondFactor';
import { CancelledError } from '../../../../src/util/errors';
import { useFactorWindows } from '../../../support/factorWindows';
import { orderAccount } from '../../../support/secondFactorAccount';
import { until } from '../../../support/until';

describe('the second factor at work', () => {
  const scene = useFactorWindows();
  const { enterCode } = scene;

  it('is asked for once by several refused calls, which then go on by themselves', async () => {
    const window = scene.windows.open();
    window.setPrompt(enterCode);
    const { client } = await window.signIn(scene.account.key);
    assert.equal(window.state.asked, 0, 'signing in asks users/current alone');
    const [instances, templates] = await Promise.all([client.instances.list(), client.templates.search({})]);
    assert.deepEqual(instances.items, []);
    assert.ok(templates.items.length > 0);
    assert.equal(window.state.asked, 1);
    const [stored] = [...scene.windows.secrets.values.values()];
    assert.ok(stored?.includes('sessionKey'), 'kept beside the key');
  });

  for (const [status, error, msg] of [
    [401, 'auth_error', 'Unauthorized'],
    [403, 'auth_error', 'This action requires login.'],
    [404, 'auth_error', 'Invalid user key'],
    [404, undefined, 'Session expired. Please log in again.'],
  ] as const) {
    it(`is asked for by a refusal with ${status} ${error ?? 'and no code'}, of a key and of a session`, async () => {
      const window = scene.windows.open();
      let codes = 0;
      window.setPrompt(({ client }) => {
        codes += 1;
        return client.secondFactor.logIn({
          kind: 'backup',
          backupCode: scene.account.backupCodes[codes] ?? '',
        });
      });
      scene.account = await orderAccount(scene.simulator, 'totp', { demanded: false });
      const { client } = await window.signIn(scene.account.key);
      for (const asked of [1, 2]) {
        const path = '/api/v0/secrets/';
        scene.simulator.fail({ kind: 'error', path, status, msg, ...(error ? { error } : {}) });
        assert.deepEqual(await client.secrets.list(), []);
        assert.equal(window.state.asked, asked);
      }
    });
  }

  it('lets a refused write continue, once', async () => {
    const window = scene.windows.open();
    window.setPrompt(enterCode);
    const { client } = await window.signIn(scene.account.key);
    await client.secrets.create('TOKEN', 'abc');
    const sent = scene.simulator.received('POST', '/api/v0/secrets/');
    assert.deepEqual(
      sent.map((request) => request.status),
      [403, 200],
    );
  });

  it('is not asked for a key that works alone, nor for one that is wrong', async () => {
    const window = scene.windows.open();
    window.setPrompt(enterCode);
    const relaxed = await orderAccount(scene.simulator, 'totp', { demanded: false });
    const { client } = await window.signIn(relaxed.key);
    await client.instances.list();
    scene.simulator.world.keys.remove(scene.simulator.world.keys.find(relaxed.key)?.id ?? 0);
    await assert.rejects(client.instances.list(), UnauthorizedError);
    assert.equal(window.state.asked, 0);
  });

  it('is asked for again, once, when the session ends', async () => {
    const window = scene.windows.open();
    let codes = 0;
    window.setPrompt(({ client }) => {
      codes += 1;
      const backupCode = scene.account.backupCodes[codes] ?? '';
      return client.secondFactor.logIn({ kind: 'backup', backupCode });
    });
    const { client } = await window.signIn(scene.account.key);
    await client.instances.list();
    await scene.simulator.call('POST', '/__sim/expire-sessions/', {});
    await Promise.all([client.instances.list(), client.secrets.list()]);
    assert.equal(window.state.asked, 2);
  });

  it('is requested again by a call whose session ends a second time while it waits', async () => {
    const window = scene.windows.open();
    let codes = 0;
    window.setPrompt(async ({ client }) => {
      codes += 1;
      const login = await client.secondFactor.logIn({
        kind: 'backup',
        backupCode: scene.account.backupCodes[codes] ?? '',
      });
      if (codes < 3) {
        await scene.simulator.call('POST', '/__sim/expire-sessions/', {});
      }
      return login;
    });
    const { client } = await window.signIn(scene.account.key);
    const [instances, secrets] = await Promise.all([client.instances.list(), client.secrets.list()]);
    assert.deepEqual([instances.items, secrets], [[], []]);
    assert.equal(window.state.asked, 3, 'once for each session');
  });

  it('is not requested again if the service refuses the new session as well, and reports that', async () => {
    const window = scene.windows.open();
    window.setPrompt(enterCode);
    const { client } = await window.signIn(scene.account.key);
    scene.simulator.fail({
      kind: 'error',
      path: '/api/v0/secrets/',
      status: 403,
      error: 'auth_error',
      msg: 'This action requires login.',
      times: 0,
    });
    await assert.rejects(
      client.secrets.list(),
      (error) => error instanceof ForbiddenError && /although the code was accepted/.test(error.message),
    );
    assert.equal(window.state.asked, 1);
  });

  it('stays in the newest session while an older one is still read from the key ring', async () => {
    const window = scene.windows.open();
    const { key } = await window.signIn(scene.account.key);
    const { secrets } = scene.windows;
    let release: (() => void) | undefined;
    secrets.get = (name) => {
      const held = secrets.values.get(name);
      return new Promise((resolve) => {
        release = () => {
          resolve(held);
        };
      });
    };
    const older = window.accounts.updateSession(key, { sessionKey: 'older' });
    const isRead = () => release !== undefined;
    await until('the key ring to be read', isRead, { everyMs: 5 });
    const newer = window.accounts.updateSession(key, { sessionKey: 'newer' });
    let isOver = false;
    const both = Promise.all([older, newer]).finally(() => {
      isOver = true;
    });
    await until(
      'the end of all reading',
      () => {
        release?.();
        return isOver;
      },
      { everyMs: 5 },
    );
    await both;
    assert.equal(window.accounts.session(key)?.sessionKey, 'newer');
    assert.match([...secrets.values.values()].join(), /newer/);
  });

  it('is replaced by the key when the second factor has been turned off', async () => {
    const window = scene.windows.open();
    window.setPrompt(enterCode);
    const { client } = await window.signIn(scene.account.key);
    await client.instances.list();
    await client.secondFactor.remove(1, { kind: 'backup', backupCode: scene.account.backupCodes[0] ?? '' });
    await scene.simulator.call('POST', '/__sim/expire-sessions/', {});
    await client.instances.list();
    assert.equal(window.state.asked, 1);
  });

  it('is not asked again after a "no", until the person starts it', async () => {
    const window = scene.windows.open();
    let says: SecondFactorPrompt = () => Promise.resolve(undefined);
    window.setPrompt((...asked) => says(...asked));
    const { client } = await window.signIn(scene.account.key);
    await assert.rejects(client.instances.list(), SecondFactorNeededError);
    await assert.rejects(client.instances.list(), SecondFactorNeededError);
    assert.equal(window.state.asked, 1);
    says = enterCode;
    assert.equal(await window.accounts.enterSecondFactor(), true);
    await client.instances.list();
    assert.equal(window.state.asked, 2);
  });

  it('is not asked for an account that is not in use any more', async () => {
    const window = scene.windows.open();
    window.setPrompt(enterCode);
    const before = await window.signIn(scene.account.key);
    await window.signIn('test-key-0000');
    await assert.rejects(before.client.instances.list(), NotSignedInError);
    assert.equal(window.state.asked, 0);
  });

  it('closes its question when another account becomes active', async () => {
    const window = scene.windows.open(false);
    let isClosed = false;
    window.setPrompt(async (_, signal) => {
      await until('the end of the question', () => signal.aborted, { everyMs: 5 });
      isClosed = true;
      return undefined;
    });
    const before = await window.signIn(scene.account.key);
    const waiting = assert.rejects(before.client.instances.list(), NotSignedInError);
    window.setFocus(true);
    await until('the question', () => window.state.asked === 1, { everyMs: 5 });
    await window.signIn('test-key-0000');
    await waiting;
    await until('its end', () => isClosed, { everyMs: 5 });
    // Nor is it asked later, by a call that waited for somebody to look.
    await window.accounts.switchTo(before.key);
    window.setFocus(false);
    const unseen = assert.rejects(before.client.instances.list(), NotSignedInError);
    const users = () => scene.simulator.received('GET', /users/).length;
    const count = users();
    await until('the key to be checked', () => users() > count, { everyMs: 5 });
    await window.signIn('test-key-0000');
    window.setFocus(true);
    await unseen;
    assert.equal(window.state.asked, 1);
  });

  it('stops waiting for a call that is cancelled, and continues for the others', async () => {
    const window = scene.windows.open();
    let answer: (() => void) | undefined;
    window.setPrompt(async (...asked) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return enterCode(...asked);
    });
    const { client } = await window.signIn(scene.account.key);
    const stop = new AbortController();
    const cancelled = client.instances.list({ signal: stop.signal });
    const patient = client.secrets.list();
    await until('the question', () => answer !== undefined, { everyMs: 5 });
    stop.abort();
    await assert.rejects(cancelled, CancelledError);
    answer?.();
    assert.deepEqual(await patient, []);
  });
});
