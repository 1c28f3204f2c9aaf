import assert from 'node:assert/strict';
import { logIn } from '../../../../src/features/security/login';
import { FakeClock } from '../../../support/fakeClock';
import { OnQuick } from '../../../support/onQuick';
import { openScreen, textsOn } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('A verification code that is needed to go on', () => {
  function scene({ admin = false } = {}) {
    const screen = openScreen();
    const quick = new OnQuick(screen);
    const secrets: string[] = [];
    const signIns: string[] = [];
    screen.commands.register('gpuRental.tfa.signIn', () => signIns.push('sign in'));
    let sessionKey: string | undefined = 'before';
    const accounts = {
      active: { key: 'mine' },
      session: () => (sessionKey === undefined ? undefined : { sessionKey }),
    };
    const ends = new AbortController();
    const wanted = new AbortController();
    const method = { id: 1, type: 'totp', label: 'phone', isPrimary: true };
    const login = { sessionKey: 'new session', backupCodesRemaining: 1, isLegacy: false };
    const secondFactor = {
      status: () => Promise.resolve({ enabled: true, methods: [method], backupCodesRemaining: 2 }),
      logIn: () => Promise.resolve(login),
    };
    const clock = new FakeClock();
    const deps = {
      ...{ accounts, clock },
      redactor: { addSecret: (secret: string) => secrets.push(secret) },
    };
    const start = () =>
      logIn(
        only(deps),
        only({ account: { key: 'mine', name: 'me' }, user: { id: 1 }, client: { secondFactor }, admin }),
        ends.signal,
        wanted.signal,
      );
    const change = {
      'another account is active': () => (accounts.active = { key: 'theirs' }),
      'the session was renewed': () => (sessionKey = 'after'),
      'there is no session any more': () => (sessionKey = undefined),
      'nothing has changed': () => undefined,
    };
    return { start, quick, screen, clock, secrets, signIns, ends, wanted, change };
  }

  const question = 'error me needs a verification code (2FA). Enter it to continue. [Enter Code]';

  for (const admin of [false, true]) {
    it(`is asked for at once where the user wants it: ${admin ? 'as an admin' : 'usually'}`, async () => {
      const { start, quick, screen, clock, secrets, wanted } = scene({ admin });
      wanted.abort();
      const login = start();
      await quick.flush();
      assert.deepEqual(textsOn(screen), []);
      assert.equal(
        quick.title,
        admin ? 'Verification Code for an Admin Session: me' : 'Verification Code: me',
      );
      // An Enter that comes with the list may be meant for something else.
      await clock.advance(1000);
      await quick.enter();
      await clock.advance(1000);
      await quick.type('123456');
      await quick.enter();
      assert.equal((await login)?.sessionKey, 'new session');
      assert.deepEqual(secrets, ['new session']);
      assert.deepEqual(textsOn(screen), [
        'info The backup code was accepted. Codes left: 1. [Make New Backup Codes…]',
      ]);
    });
  }

  for (const [way, agree] of [
    [
      'by the message',
      ({ screen }: ReturnType<typeof scene>) => screen.messages.shown[0]?.press('Enter Code'),
    ],
    ['in another way', ({ wanted }: ReturnType<typeof scene>) => wanted.abort()],
  ] as const) {
    it(`is announced, and asked for once the user agrees ${way}`, async () => {
      const one = scene();
      void one.start();
      await one.quick.flush();
      assert.deepEqual([textsOn(one.screen), one.quick.title], [[question], undefined]);
      agree(one);
      await one.quick.flush();
      assert.deepEqual([one.quick.title, one.signIns], ['Verification Code: me', []]);
    });
  }

  it('is not asked for where the user closes the message', async () => {
    const { start, quick, screen } = scene();
    const login = start();
    await quick.flush();
    screen.messages.shown[0]?.close();
    assert.equal(await login, undefined);
    assert.equal(quick.title, undefined);
  });

  const late = {
    'another account is active': false,
    'the session was renewed': false,
    'there is no session any more': false,
    'nothing has changed': true,
  } as const;
  for (const [what, isNeeded] of Object.entries(late)) {
    it(`is ${isNeeded ? '' : 'not '}asked for by a message that is answered late: ${what}`, async () => {
      const { start, quick, screen, signIns, ends, change } = scene();
      const login = start();
      await quick.flush();
      ends.abort();
      assert.equal(await login, undefined);
      change[what as keyof typeof late]();
      textsOn(screen);
      screen.messages.shown[0]?.press('Enter Code');
      await quick.flush();
      assert.equal(signIns.length, isNeeded ? 1 : 0);
      assert.deepEqual(
        textsOn(screen),
        isNeeded ? [] : ['info The verification code is no longer needed. []'],
      );
    });
  }
});
