import assert from 'node:assert/strict';
import {
  backupCodeProblem,
  clockText,
  codeProblem,
  factorChoices,
  labelProblem,
  normalBackupCode,
  normalCode,
  normalPhone,
  phoneProblem,
  authorizationEnd,
  secondFactorStatusOf,
  type SecondFactorMethod,
} from '../../../../src/model/accounts/secondFactor';

const totp: SecondFactorMethod = { id: 1, type: 'totp', isPrimary: false };
const sms: SecondFactorMethod = { id: 2, type: 'sms', isPrimary: true, phone: '****0142' };
const nowMs = 1_000_000;
const enabled = { tfaStatus: 'enabled', emailVerified: true };

describe('choices of a second factor', () => {
  type Choices = Parameters<typeof factorChoices>;
  const kinds = (status: Partial<Choices[0]>, ...args: [Choices[1], Choices[2]]) =>
    factorChoices({ enabled: true, methods: [], skipped: 0, ...status }, ...args).map((choice) =>
      choice.kind === 'method'
        ? `${choice.method.type}${choice.lockedUntilMs === undefined ? '' : ' locked'}${choice.unavailable ? ' off' : ''}`
        : `${choice.kind}${'unavailable' in choice ? ' off' : ''}`,
    );

  it('begin with the primary method', () => {
    assert.deepEqual(kinds({ methods: [totp, sms], backupCodesRemaining: 3 }, enabled, { nowMs }), [
      'sms',
      'totp',
      'email',
      'backup',
    ]);
  });

  it('show a locked method as locked until its time', () => {
    const locked = { ...totp, lockedUntil: nowMs / 1000 + 60 };
    assert.deepEqual(kinds({ methods: [locked] }, enabled, { nowMs }), ['totp locked', 'email', 'backup']);
    assert.deepEqual(kinds({ methods: [locked] }, enabled, { nowMs: nowMs + 60_000 })[0], 'totp');
  });

  it('have no backup codes when none is left', () => {
    assert.deepEqual(kinds({ methods: [totp], backupCodesRemaining: 0 }, enabled, { nowMs }), [
      'totp',
      'email',
    ]);
  });

  it('that send codes need a verified e-mail, but for the SMS of administrators who sign in', () => {
    const unverified = { tfaStatus: 'enabled', emailVerified: false };
    const status = { methods: [totp, sms] };
    assert.deepEqual(kinds(status, unverified, { nowMs }), ['sms off', 'totp', 'email off', 'backup']);
    const admin = { ...unverified, isAdmin: true };
    assert.deepEqual(kinds(status, admin, { nowMs }), ['sms', 'totp', 'email off', 'backup']);
    assert.deepEqual(kinds(status, admin, { nowMs, forAuthorization: true })[0], 'sms off');
  });

  it('of an account whose methods could not be read are e-mail and backup codes', () => {
    assert.deepEqual(kinds({ skipped: 1 }, enabled, { nowMs }), ['email', 'backup']);
    assert.deepEqual(kinds({ skipped: 1 }, {}, { nowMs }), ['email', 'backup']);
  });

  it('of a legacy account are its telephone and e-mail', () => {
    assert.deepEqual(kinds({ methods: [] }, { tfaStatus: 'legacy' }, { nowMs }), ['legacySms', 'email']);
    assert.deepEqual(kinds({ methods: [] }, {}, { nowMs }), ['legacySms', 'email']);
  });
});

describe('the 2FA status of an account', () => {
  const status = { enabled: true, methods: [totp], skipped: 0 };

  it('is that of the user record, for any list of methods', () => {
    for (const tfaStatus of ['enabled', 'legacy', 'disabled']) {
      assert.equal(secondFactorStatusOf({ tfaStatus }, status), tfaStatus);
    }
  });

  it('follows from the status call where the user record leaves it out', () => {
    assert.equal(secondFactorStatusOf({}, status), 'enabled');
    assert.equal(secondFactorStatusOf({}, { ...status, methods: [] }), 'legacy');
    assert.equal(secondFactorStatusOf({}, { ...status, enabled: false, methods: [] }), 'disabled');
  });
});

describe('codes and numbers while they are typed', () => {
  it('six digits are a code, with or without a space', () => {
    assert.equal(codeProblem('123 456'), undefined);
    assert.equal(normalCode('123 456'), '123456');
    assert.ok(codeProblem('12345'));
    assert.ok(codeProblem('1234567'));
    assert.ok(codeProblem('12345a'));
  });

  it('twelve letters and digits are a backup code, with any case and hyphens', () => {
    assert.equal(backupCodeProblem('abcd-2345-wxyz'), undefined);
    assert.equal(normalBackupCode('abcd2345 wxyz'), 'ABCD-2345-WXYZ');
    assert.ok(backupCodeProblem('ABCD-2345-WXY'));
    assert.ok(backupCodeProblem('ABCD-2345-WXY!'));
  });

  it('a telephone number has its country code', () => {
    assert.equal(phoneProblem('+1 (415) 555-0100'), undefined);
    assert.equal(normalPhone('+1 (415) 555-0100'), '+14155550100');
    assert.ok(phoneProblem('0170 1234567'));
    assert.ok(phoneProblem('+0170123456'));
    assert.ok(phoneProblem('+1415'));
    assert.ok(phoneProblem('+1415555010x'));
  });

  it('a label has at most thirty characters', () => {
    assert.equal(labelProblem('x'.repeat(30)), undefined);
    assert.ok(labelProblem('x'.repeat(31)));
  });

  it('time is rounded up', () => {
    assert.deepEqual([600_000, 599_001, 9_000, 1, 0, -5].map(clockText), [
      '10:00',
      '10:00',
      '0:09',
      '0:01',
      '0:00',
      '0:00',
    ]);
  });

  it('the end of an earlier authorization does not apply to a later one', () => {
    assert.deepEqual(
      [undefined, nowMs - 1, nowMs, nowMs + 1].map((known) => authorizationEnd(known, nowMs)),
      [undefined, undefined, undefined, nowMs + 1],
    );
  });
});
