import assert from 'node:assert/strict';
import { finishAuthorization, startAuthorization } from '../../../../src/simulator/secondFactor/authorize';
import { confirmNew, setUpTotp } from '../../../../src/simulator/secondFactor/enrol';
import { requestEmail, requestSms, resendSms } from '../../../../src/simulator/secondFactor/login';
import { status } from '../../../../src/simulator/secondFactor/manage';
import { totpAt } from '../../../../src/simulator/secondFactor/totp';

import { enabled, phone, Subject } from './subject';

describe('second factor: the first method', () => {
  it('is authorized by e-mail, confirmed by its code, and brings ten backup codes once', () => {
    const subject = new Subject();
    subject.refused(
      confirmNew,
      { tfa_method: 'totp', code: '123456', secret: 'A' },
      403,
      'authorization_required',
    );
    subject.authorizeByEmail();
    assert.equal(subject.state.outbox.at(-1)?.to, 'ada@example.com');
    const { answer } = subject.addTotp();
    assert.equal(answer['msg'], 'TOTP 2FA method added successfully.');
    const codes = answer['backup_codes'] as string[];
    assert.equal(new Set(codes).size, 10);
    for (const code of codes) {
      assert.match(code, /^[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}$/);
    }
    const second = subject.addSms();
    assert.deepEqual(second, { success: true, msg: 'SMS 2FA method added successfully.' });
    assert.deepEqual(
      subject.account.methods.map((method) => [method.method, method.is_primary]),
      [
        ['totp', true],
        ['sms', false],
      ],
    );
  });

  it('is forced through e-mail, for any method that the request names', () => {
    const subject = new Subject();
    subject.run(startAuthorization, { tfa_method: 'totp' });
    assert.equal(subject.state.outbox.at(-1)?.channel, 'email');
  });

  it('can’t begin, not even TOTP, while the e-mail is unverified', () => {
    const subject = new Subject();
    subject.person = { ...subject.person, emailVerified: false, isAdmin: true };
    subject.refused(startAuthorization, { tfa_method: 'totp' }, 400, 'email_not_verified');
    subject.refused(requestEmail, {}, 400, 'email_not_verified');
    assert.ok(subject.run(setUpTotp)['secret'], 'totp-setup alone checks no authorization');
  });
});

describe('second factor: authorizing another method', () => {
  it('keeps its window open for 30 minutes and no longer', () => {
    const { subject, totp } = enabled();
    const { secret } = subject.run(startAuthorization, { tfa_method: 'totp' });
    subject.run(finishAuthorization, { secret, code: totpAt(totp, subject.now) });
    const opened = subject.now;
    subject.now = opened + 30 * 60 - 1;
    assert.equal(subject.run(status)['new_method_authorized'], true);
    subject.now = opened + 30 * 60;
    assert.equal(subject.run(status)['new_method_authorized'], false);
    subject.refused(
      confirmNew,
      { tfa_method: 'totp', code: '123456', secret: 'A' },
      403,
      'authorization_required',
    );
  });

  it('accepts a backup code in one step and uses it up', () => {
    const { subject, backupCodes } = enabled();
    const [code] = backupCodes;
    assert.deepEqual(subject.run(startAuthorization, { backup_code: code }), {
      success: true,
      msg: 'Authorization successful.',
    });
    assert.equal(subject.run(status)['backup_codes_remaining'], 9);
    subject.refused(startAuthorization, { backup_code: code }, 401, 'invalid_backup_code');
  });

  it('works by TOTP and by backup code with an unverified e-mail, and by no code that is sent', () => {
    const { subject, totp, backupCodes } = enabled();
    subject.addSms();
    subject.person = { ...subject.person, emailVerified: false };
    const { secret } = subject.run(startAuthorization, { tfa_method: 'totp' });
    subject.run(finishAuthorization, { secret, code: totpAt(totp, subject.now) });
    subject.run(startAuthorization, { backup_code: backupCodes[0] });
    subject.refused(startAuthorization, { tfa_method: 'sms' }, 400, 'email_not_verified');
    subject.refused(startAuthorization, { tfa_method: 'email' }, 400, 'email_not_verified');
  });

  it('refuses a second step that was not started, is wrong, or is too late', () => {
    const { subject, totp } = enabled();
    subject.refused(finishAuthorization, { code: '123456', secret: 'x' }, 400, 'no_pending_authorization');
    const { secret } = subject.run(startAuthorization, { tfa_method: 'email' });
    subject.refused(finishAuthorization, { secret }, 400, 'missing_params');
    const wrong = subject.refused(
      finishAuthorization,
      { secret, code: subject.wrongCode },
      400,
      '2fa_verification_failed',
    );
    assert.deepEqual(wrong.extra, { fail_count: 1, locked_until: null });
    subject.now += 600;
    subject.refused(finishAuthorization, { secret, code: subject.lastCode }, 400, '2fa_expired');
    const next = subject.run(startAuthorization, { tfa_method: 'totp' });
    subject.now += 600;
    subject.refused(
      finishAuthorization,
      { secret: next['secret'], code: totpAt(totp, subject.now) },
      400,
      '2fa_expired',
    );
  });

  it('follows a code that is sent again with another secret', () => {
    const { subject } = enabled();
    subject.addSms();
    subject.run(startAuthorization, { tfa_method: 'sms' });
    const { secret } = subject.run(resendSms, {});
    subject.run(finishAuthorization, { secret, code: subject.lastCode });
    assert.equal(subject.run(status)['new_method_authorized'], true);
  });

  it('needs to know which method, where several are of one type or none is', () => {
    const { subject } = enabled();
    subject.refused(startAuthorization, {}, 400, 'missing_params');
    subject.refused(startAuthorization, { tfa_method: 'sms' }, 400, 'tfa_method_not_configured');
    subject.refused(startAuthorization, { tfa_method: 'carrier pigeon' }, 400, 'invalid_tfa_method');
    subject.refused(startAuthorization, { tfa_method_id: 99 }, 404, 'not_found');
    subject.addTotp('Another');
    subject.refused(startAuthorization, { tfa_method: 'totp' }, 400, 'missing_params');
    assert.ok(subject.run(startAuthorization, { tfa_method_id: 2 })['secret']);
    subject.refused(startAuthorization, { tfa_method_id: 2, tfa_method: 'sms' }, 400, 'invalid_tfa_method');
  });

  it('refuses what can’t be added', () => {
    const { subject, totp } = enabled();
    subject.addSms();
    const code = '123456';
    subject.refused(confirmNew, { tfa_method: 'email', code, secret: 'x' }, 400, 'invalid_tfa_method');
    subject.refused(confirmNew, { tfa_method: 'totp', secret: 'x' }, 400, 'missing_params');
    subject.refused(confirmNew, { tfa_method: 'totp', code, secret: totp }, 400, 'duplicate_tfa_method');
    subject.refused(confirmNew, { tfa_method: 'totp', code, secret: 'NEVER' }, 400, 'challenge_not_found');
    subject.refused(confirmNew, { tfa_method: 'sms', code, secret: 'x' }, 400, 'missing_phone_number');
    subject.refused(
      confirmNew,
      { tfa_method: 'sms', code, secret: 'x', phone_number: '0170 1234' },
      400,
      'bad_request',
    );
    subject.refused(
      confirmNew,
      { tfa_method: 'totp', code, secret: 'x', label: 'l'.repeat(31) },
      400,
      'bad_request',
    );
    const { secret } = subject.run(requestSms, { phone_number: phone });
    subject.refused(
      confirmNew,
      { tfa_method: 'sms', code, secret, phone_number: '+14155550199' },
      400,
      'phone_number_mismatch',
    );
    subject.refused(
      confirmNew,
      { tfa_method: 'sms', code, secret, phone_number: phone },
      400,
      'duplicate_tfa_method',
    );
    const email = subject.run(requestEmail, {});
    subject.refused(
      confirmNew,
      { tfa_method: 'sms', code, secret: email['secret'], phone_number: phone },
      400,
      'challenge_not_found',
    );
  });

  it('forgets a TOTP secret that was not confirmed in time', () => {
    const { subject, backupCodes } = enabled();
    const secret = String(subject.run(setUpTotp)['secret']);
    subject.now += 30 * 60;
    subject.run(startAuthorization, { backup_code: backupCodes[0] });
    const code = totpAt(secret, subject.now);
    subject.refused(confirmNew, { tfa_method: 'totp', code, secret }, 400, '2fa_expired');
  });
});
