import assert from 'node:assert/strict';
import { bearerOf, isSameSession, Sessions, type Session } from '../../../../src/store/accounts/sessions';
import { SessionsInUse } from '../../../../src/store/accounts/sessionsInUse';
import { FakeSecrets } from '../../../support/fakeWindows';

const key: Session = { apiKey: 'key' };
const entered: Session = { apiKey: 'key', sessionKey: 'session', sessionExpiresAt: 1000 };

describe('The session of an account', () => {
  for (const [what, other, isSame] of [
    ['itself', { ...entered }, true],
    ['one of another key', { ...entered, apiKey: 'other' }, false],
    ['another one of the key', { ...entered, sessionKey: 'other' }, false],
    ['one that ends later', { ...entered, sessionExpiresAt: 1001 }, false],
    ['the key alone', key, false],
    ['none', undefined, false],
  ] as const) {
    it(`is ${isSame ? '' : 'not '}the same as ${what}`, () => {
      assert.equal(isSameSession(entered, other), isSame);
    });
  }

  for (const [what, session, bearer] of [
    ['the API key where there is no session', key, 'key'],
    ['the session while it lasts', { ...entered, sessionExpiresAt: 501 }, 'session'],
    [
      'the API key from the moment on at which the session ends',
      { ...entered, sessionExpiresAt: 500 },
      'key',
    ],
    ['a session whose end is not known', { apiKey: 'key', sessionKey: 'session' }, 'session'],
  ] as const) {
    it(`is used by sending ${what}`, () => {
      assert.equal(bearerOf(session, 500), bearer);
    });
  }

  it('is reported as changed with the key of its account, and nothing else in the key ring is', async () => {
    const secrets = new FakeSecrets();
    const changed: string[] = [];
    const sessions = new Sessions(secrets);
    sessions.onDidChange((accountKey) => changed.push(accountKey));
    await secrets.store('gpuRental.registryLogin.a', 'x');
    await sessions.write('a', key);
    assert.deepEqual(changed, ['a']);
    await sessions.remove('a');
    assert.deepEqual(changed, ['a', 'a']);
  });
});

describe('The session in use', () => {
  let secrets: FakeSecrets;
  let ring: Sessions;
  let inUse: SessionsInUse;
  let heard: string[];
  let changed: string[];
  beforeEach(() => {
    secrets = new FakeSecrets();
    ring = new Sessions(secrets);
    heard = [];
    changed = [];
    inUse = new SessionsInUse({
      kept: ring,
      onSecret: (value) => heard.push(value),
      onChange: (accountKey) => changed.push(accountKey),
    });
  });

  it('is known to the log, and announced, before anything can be sent', () => {
    inUse.use('a', key);
    inUse.use('b', entered);
    assert.deepEqual(
      [heard, changed],
      [
        ['key', 'key', 'session'],
        ['a', 'b'],
      ],
    );
  });

  it('is forgotten, alone or with all accounts that are gone, and that is announced', () => {
    for (const account of ['a', 'b', 'c']) {
      inUse.use(account, key);
    }
    changed.length = 0;
    inUse.forget('a');
    inUse.keepOnly(new Set(['c']));
    assert.deepEqual(changed, ['a', 'b']);
    assert.deepEqual(
      ['a', 'b', 'c'].map((account) => inUse.get(account)),
      [undefined, undefined, key],
    );
  });

  it('is not replaced by what the key ring has until it was written there', async () => {
    await ring.write('a', key);
    inUse.use('a', entered);
    assert.equal((await inUse.read('a')).isKept, true);
    assert.equal(inUse.get('a'), entered);
    assert.equal(await inUse.keep('a', entered), true);
    await ring.write('a', key);
    assert.equal((await inUse.read('a')).isKept, true);
    assert.deepEqual(inUse.get('a'), key);
  });

  it('is not replaced by the older one that the key ring kept in its place, but by a later one', async () => {
    await ring.write('a', key);
    inUse.use('a', entered);
    secrets.forgets = true;
    assert.equal(await inUse.keep('a', entered), false);
    for (let time = 0; time < 2; time += 1) {
      assert.equal((await inUse.read('a')).isKept, false);
      assert.equal(inUse.get('a'), entered);
    }
    secrets.forgets = false;
    const later = { ...entered, sessionKey: 'later' };
    await ring.write('a', later);
    assert.equal((await inUse.read('a')).isKept, true);
    assert.deepEqual(inUse.get('a'), later);
    // What is kept from now on counts, even what was outdated before.
    await ring.write('a', key);
    assert.equal((await inUse.read('a')).isKept, true);
    assert.deepEqual(inUse.get('a'), key);
  });

  it('is not replaced by what is found first in a key ring that was locked, but by what arrives after it', async () => {
    await ring.write('a', key);
    inUse.use('a', entered);
    secrets.isLocked = true;
    secrets.forgets = true;
    assert.equal(await inUse.keep('a', entered), false);
    secrets.isLocked = false;
    for (let time = 0; time < 2; time += 1) {
      assert.equal((await inUse.read('a')).isKept, false);
      assert.equal(inUse.get('a'), entered);
    }
    secrets.forgets = false;
    await ring.write('a', { ...key, apiKey: 'another' });
    assert.equal((await inUse.read('a')).isKept, true);
    assert.equal(inUse.get('a')?.apiKey, 'another');
  });

  it('is kept once a later write succeeds after refused ones', async () => {
    secrets.forgets = true;
    inUse.use('a', entered);
    assert.equal(await inUse.keep('a', entered), false);
    secrets.forgets = false;
    assert.equal(await inUse.keep('a', entered), true);
    await ring.write('a', key);
    assert.equal((await inUse.read('a')).isKept, true);
    assert.deepEqual(inUse.get('a'), key);
  });

  it('knows nothing more of what was refused once it is found there after all, or was forgotten', async () => {
    await ring.write('a', key);
    for (const isForgotten of [false, true]) {
      inUse.use('a', entered);
      secrets.forgets = true;
      await inUse.keep('a', entered);
      secrets.forgets = false;
      if (isForgotten) {
        inUse.forget('a');
      } else {
        await ring.write('a', entered);
      }
      assert.equal((await inUse.read('a')).isKept, true);
      await ring.write('a', key);
      inUse.use('a', entered);
      await inUse.keep('a', entered);
      await ring.write('a', key);
      assert.equal((await inUse.read('a')).isKept, true);
    }
  });
});
