import assert from 'node:assert/strict';
import { confirmNew, setUpTotp } from '../../../../src/simulator/secondFactor/enrol';
import { requestEmail, requestSms } from '../../../../src/simulator/secondFactor/login';
import { totpAt } from '../../../../src/simulator/secondFactor/totp';

import { enabled, Subject } from './subject';

describe('second factor: signing in', () => {
  it('accepts a TOTP code once, without a secret', () => {
    const { subject, totp } = enabled();
    const code = totpAt(totp, subject.now);
    const session = subject.login({ tfa_method: 'totp', code });
    assert.equal(session['kind'], 'bearer');
    assert.equal('backup_codes_remaining' in session, false);
    assert.equal('legacy_tfa_user' in session, false);
    subject.loginRefused({ tfa_method: 'totp', code }, 400, '2fa_verification_failed');
  });

  it('uses SMS by default, with the secret of the send', () => {
    const { subject } = enabled();
    subject.addSms();
    const { secret } = subject.run(requestSms, {});
    subject.loginRefused({ code: subject.lastCode }, 400, 'missing_params');
    subject.loginRefused({ secret }, 400, 'missing_params');
    assert.ok(subject.login({ code: subject.lastCode, secret })['token']);
    subject.loginRefused({ code: subject.lastCode, secret }, 400, 'challenge_not_found');
  });

  it('accepts an e-mailed code for ten minutes', () => {
    const { subject } = enabled();
    const { secret } = subject.run(requestEmail, {});
    const code = subject.lastCode;
    subject.now += 599;
    const wrong = { tfa_method: 'email', secret, code: subject.wrongCode };
    subject.loginRefused(wrong, 400, '2fa_verification_failed');
    subject.now += 1;
    subject.loginRefused({ tfa_method: 'email', secret, code }, 400, '2fa_expired');
  });

  it('accepts a number as a code and puts its zeros back', () => {
    const { subject } = enabled();
    const { secret } = subject.run(requestEmail, {});
    const challenge = subject.state.challenges.at(-1);
    assert.ok(challenge);
    challenge.code = '001234';
    assert.ok(subject.login({ tfa_method: 'email', secret, code: 1234 })['token']);
  });

  it('states how many backup codes are left, and leaves the field out at none', () => {
    const { subject, backupCodes } = enabled();
    backupCodes.forEach((backup_code, index) => {
      const answer = subject.login({ backup_code });
      const left = 9 - index;
      assert.deepEqual(answer['backup_codes_remaining'], left === 0 ? undefined : left);
      assert.equal('backup_codes_remaining' in answer, left > 0);
    });
    subject.loginRefused({ backup_code: backupCodes[0] }, 401, 'invalid_backup_code');
  });

  it('reads backup codes in lower case too, and refuses any other form', () => {
    const { subject, backupCodes } = enabled();
    assert.ok(subject.login({ backup_code: backupCodes[0]?.toLowerCase() })['token']);
    subject.loginRefused({ backup_code: 'nonsense' }, 401, 'invalid_backup_code');
  });

  it('does not accept a code that was sent to a number the account does not have', () => {
    const { subject } = enabled();
    const { secret } = subject.run(requestSms, { phone_number: '+14155550199' });
    subject.loginRefused({ code: subject.lastCode, secret }, 400, 'tfa_method_not_configured');
  });

  it('does not accept the code of one channel or method for another', () => {
    const { subject } = enabled();
    subject.addSms();
    subject.addSms('+14155550101');
    const { secret } = subject.run(requestEmail, {});
    subject.loginRefused({ tfa_method: 'sms', code: subject.lastCode, secret }, 400, 'challenge_not_found');
    const sms = subject.run(requestSms, { tfa_method_id: 2 });
    subject.loginRefused(
      { tfa_method_id: 3, code: subject.lastCode, secret: sms['secret'] },
      400,
      'challenge_not_found',
    );
    subject.loginRefused(
      { tfa_method: 'email', code: '123456', secret: 'unknown' },
      400,
      'challenge_not_found',
    );
  });

  it('distinguishes several TOTP methods by id', () => {
    const { subject, totp } = enabled();
    const { secret } = subject.addTotp('Tablet');
    const code = totpAt(secret, subject.now);
    subject.loginRefused({ tfa_method: 'totp', code }, 400, 'missing_params');
    subject.loginRefused({ tfa_method: 'totp', code, tfa_method_id: 9 }, 404, 'not_found');
    assert.ok(subject.login({ tfa_method: 'totp', code, tfa_method_id: 2 })['token']);
    const first = totpAt(totp, subject.now);
    assert.ok(subject.login({ tfa_method: 'totp', code: first, tfa_method_id: '1' })['token']);
  });

  it('opens an admin session for administrators only', () => {
    const { subject, totp } = enabled();
    const body = () => ({ tfa_method: 'totp', code: totpAt(totp, subject.now), admin: true });
    subject.loginRefused(body(), 403, 'auth_error');
    subject.person = { ...subject.person, isAdmin: true };
    assert.equal(subject.login(body())['admin'], true);
  });

  it('is refused where no second factor is on', () => {
    new Subject().loginRefused({ tfa_method: 'totp', code: '123456' }, 400, '2fa_login_failed');
  });

  it('refuses bodies that make no sense', () => {
    const { subject } = enabled();
    subject.loginRefused([], 400, 'bad_request');
    subject.loginRefused({ tfa_method: 'fax', code: '123456' }, 400, 'invalid_tfa_method');
    subject.loginRefused({ tfa_method: 'totp', code: {} }, 400, 'bad_request');
    subject.loginRefused({ tfa_method: 'totp', code: '1', tfa_method_id: 'x' }, 400, 'bad_request');
    subject.loginRefused({ tfa_method: 'totp', code: '1', admin: 'perhaps' }, 400, 'bad_request');
    subject.loginRefused({ tfa_method: 'totp' }, 400, 'missing_params');
  });
});

describe('second factor: lock-out', () => {
  it('locks one method at the fifth wrong code for 15 minutes and leaves the others open', () => {
    const { subject, totp } = enabled();
    const wrong = { tfa_method: 'totp', code: '12345x' };
    for (let count = 1; count <= 4; count += 1) {
      const refusal = subject.loginRefused(wrong, 400, '2fa_verification_failed');
      assert.deepEqual(refusal.extra, { fail_count: count, locked_until: null });
    }
    const opens = subject.now + 900;
    const fifth = subject.loginRefused(wrong, 400, '2fa_verification_failed');
    assert.deepEqual(fifth.extra, { fail_count: 5, locked_until: opens });
    const right = () => ({ tfa_method: 'totp', code: totpAt(totp, subject.now) });
    const locked = subject.loginRefused(right(), 429, 'tfa_locked');
    assert.deepEqual(locked.extra, { fail_count: 5, locked_until: opens });
    const { secret } = subject.run(requestEmail, {});
    assert.ok(subject.login({ tfa_method: 'email', secret, code: subject.lastCode })['token']);
    subject.now = opens;
    assert.ok(subject.login(right())['token']);
    assert.equal(subject.account.methods[0]?.fail_count, 0);
  });

  it('forgets failures after a success', () => {
    const { subject, totp } = enabled();
    subject.loginRefused({ tfa_method: 'totp', code: 'x' }, 400, '2fa_verification_failed');
    subject.login({ tfa_method: 'totp', code: totpAt(totp, subject.now) });
    assert.equal(subject.account.methods[0]?.fail_count, 0);
  });

  it('locks backup codes too', () => {
    const { subject, backupCodes } = enabled();
    for (let count = 0; count < 5; count += 1) {
      subject.loginRefused({ backup_code: 'AAAA-AAAA-AAAA' }, 401, 'invalid_backup_code');
    }
    subject.loginRefused({ backup_code: backupCodes[0] }, 429, 'tfa_locked');
  });

  it('locks the confirmation of a new method without locking the others', () => {
    const { subject } = enabled();
    const secret = String(subject.run(setUpTotp)['secret']);
    for (let count = 0; count < 5; count += 1) {
      subject.refused(confirmNew, { tfa_method: 'totp', secret, code: 'x' }, 400, '2fa_verification_failed');
    }
    const code = totpAt(secret, subject.now);
    subject.refused(confirmNew, { tfa_method: 'totp', secret, code }, 429, 'tfa_locked');
    const { secret: challenge } = subject.run(requestEmail, {});
    assert.ok(subject.login({ tfa_method: 'email', secret: challenge, code: subject.lastCode })['token']);
  });
});
