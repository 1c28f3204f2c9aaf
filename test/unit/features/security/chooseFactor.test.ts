import assert from 'node:assert/strict';
import { chooseFactor } from '../../../../src/features/security/chooseFactor';
import type { SecondFactorStatus } from '../../../../src/model/accounts/secondFactor';
import { aUser } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { FakeQuickPick, rowText } from '../../../support/fakeEditor/quickInput';
import { textsOn, useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('The ways to prove who you are', () => {
  const screen = useScreen();
  const now = new Date(2026, 0, 15, 12).getTime();
  const clock = new FakeClock(now);
  const app = { id: 1, type: 'totp', isPrimary: true, label: 'phone' } as const;
  const sms = { id: 2, type: 'sms', isPrimary: false, phone: '•••• 4242' } as const;
  const status = (more: Partial<SecondFactorStatus> = {}): SecondFactorStatus => ({
    ...{
      enabled: true,
      methods: [app, sms],
      backupCodesRemaining: 3,
      newMethodAuthorized: false,
      skipped: 0,
    },
    ...more,
  });
  const list = () => {
    const { current } = screen.quick;
    assert.ok(current instanceof FakeQuickPick);
    return current;
  };
  const open = (of: SecondFactorStatus, more: object = {}, reason?: string) =>
    chooseFactor(of, { title: 'Prove It', client: only({}), person: aUser(), clock, ...more }, reason);
  const rows = async (...given: Parameters<typeof open>) => {
    const answer = open(...given);
    await clock.advance(0);
    const shown = [list().message, ...list().visible().map(rowText)];
    list().leave();
    assert.equal(await answer, undefined);
    return shown;
  };

  it('are listed with what they are and what keeps them from being used', async () => {
    assert.deepEqual(await rows(status()), [
      'How do you want to verify that it is you?',
      'phone (#1) primary Authenticator app',
      'Text message, •••• 4242 (#2) Text message',
      'E-mail Code to the e-mail address of your account',
      'Backup Code 3 left One of the codes that you stored. Each works once',
    ]);
    const locked = { ...app, lockedUntil: now / 1000 + 600 };
    const person = aUser({ emailVerified: false });
    assert.deepEqual(await rows(status({ methods: [locked, sms] }), { person }, 'The code is wrong.'), [
      'The code is wrong.',
      'phone (#1) locked until 12:10 PM Authenticator app',
      'Text message, •••• 4242 (#2) Needs a verified e-mail address Text message',
      'E-mail Needs a verified e-mail address Code to the e-mail address of your account',
      'Backup Code 3 left One of the codes that you stored. Each works once',
    ]);
    const legacy = aUser({ tfaStatus: 'legacy' });
    assert.deepEqual(
      await rows(status({ methods: [], backupCodesRemaining: 0 }), { person: legacy, question: 'Why?' }),
      [
        'Why?',
        'Text message To the phone number of your account',
        'E-mail Code to the e-mail address of your account',
      ],
    );
  });

  it('are taken by a press of one’s own alone, and refused with the reason where they can not be used', async () => {
    const pick = async (text: string) => {
      const row = list()
        .visible()
        .find((one) => rowText(one).startsWith(text));
      assert.ok(row, text);
      list().move(row);
      list().accept();
      await clock.advance(1_000);
    };
    const answer = open(status({ methods: [{ ...app, lockedUntil: now / 1000 + 600 }, sms] }), {
      person: aUser({ emailVerified: false }),
    });
    await clock.advance(0);
    list().move(list().visible()[0] ?? assert.fail());
    list().accept();
    assert.match(list().message, /^Press Enter once/, 'too soon after it appeared');
    await clock.advance(1_000);
    await pick('phone');
    const reasons = [list().message];
    await pick('E-mail');
    reasons.push(list().message);
    assert.deepEqual(reasons, [
      'Too many wrong codes: this method is locked until 12:10 PM. Choose another one.',
      'The e-mail address of your account is not verified, so no codes can be sent. Verify it in the web console, or choose a method that sends no code.',
    ]);
    await pick('Backup Code');
    assert.deepEqual(await answer, { kind: 'backup', remaining: 3 });
    textsOn(screen);
  });
});
