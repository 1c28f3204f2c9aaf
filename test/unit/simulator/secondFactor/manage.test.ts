import assert from 'node:assert/strict';
import { confirmNew } from '../../../../src/simulator/secondFactor/enrol';
import { requestEmail, requestSms } from '../../../../src/simulator/secondFactor/login';
import {
  regenerateBackupCodes,
  removeMethod,
  shownMethod,
  status,
  updateMethod,
} from '../../../../src/simulator/secondFactor/manage';
import { secondFactorStatus } from '../../../../src/simulator/secondFactor/state';
import { totpAt } from '../../../../src/simulator/secondFactor/totp';

import { enabled, phone, Subject } from './subject';

describe('second factor: managing methods', () => {
  it('shows four digits of a number and never a secret', () => {
    const { subject } = enabled();
    subject.addSms();
    const shown = subject.run(status);
    assert.equal(shown['tfa_enabled'], true);
    assert.equal(shown['backup_codes_remaining'], 10);
    const [totp, sms] = subject.account.methods;
    assert.ok(totp && sms);
    assert.deepEqual(shown['methods'], [shownMethod(totp), shownMethod(sms)]);
    assert.equal(shownMethod(sms)['phone_number'], '********0100');
    const text = JSON.stringify(shown);
    assert.equal(text.includes(phone), false);
    assert.equal(text.includes(totp.totpSecret ?? '?'), false);
  });

  it('renames and makes primary, one at a time', () => {
    const { subject } = enabled();
    subject.addSms();
    const renamed = subject.run(updateMethod, { tfa_method_id: 2, label: 'Mine', is_primary: true });
    assert.equal(renamed['msg'], '2FA method updated');
    assert.deepEqual(
      subject.account.methods.map((method) => [method.label, method.is_primary]),
      [
        ['Work phone', false],
        ['Mine', true],
      ],
    );
    subject.run(updateMethod, { tfa_method: 'totp', label: 'Yours', is_primary: false });
    assert.equal(subject.account.methods[0]?.label, 'Yours');
    subject.refused(updateMethod, { tfa_method_id: 2, is_primary: false }, 400, 'bad_request');
    subject.refused(updateMethod, { label: 'x' }, 400, 'missing_params');
    subject.refused(updateMethod, { tfa_method_id: 9 }, 404, 'not_found');
    subject.refused(updateMethod, { tfa_method: 'email' }, 400, 'invalid_tfa_method');
    subject.refused(updateMethod, { tfa_method_id: 2, label: 'l'.repeat(31) }, 400, 'bad_request');
  });

  it('removes the verifying method, or the one that is named', () => {
    const { subject, totp, backupCodes } = enabled();
    subject.addSms();
    subject.addSms('+14155550101');
    const code = totpAt(totp, subject.now);
    const named = subject.run(removeMethod, { tfa_method: 'totp', code, target_id: 3 });
    assert.deepEqual(named, { success: true, msg: '2FA method removed', remaining_methods: 2 });
    subject.refused(removeMethod, { backup_code: backupCodes[0] }, 400, 'missing_params');
    subject.refused(removeMethod, { backup_code: backupCodes[0], target_id: 3 }, 404, 'not_found');
    assert.equal(subject.run(status)['backup_codes_remaining'], 10, 'a refused removal uses no code up');
    const { secret } = subject.run(requestEmail, {});
    const email = { tfa_method: 'email', secret, code: subject.lastCode };
    subject.refused(removeMethod, email, 400, 'missing_params');
    subject.now += 60;
    subject.run(removeMethod, { tfa_method: 'totp', code: totpAt(totp, subject.now) });
    assert.deepEqual(
      subject.account.methods.map((method) => [method.id, method.is_primary]),
      [[2, true]],
    );
    const last = subject.run(removeMethod, { ...email, target_id: 2 });
    assert.deepEqual(last, { success: true, msg: '2FA Successfully Disabled' });
    assert.deepEqual(subject.run(status), {
      success: true,
      tfa_enabled: false,
      methods: [],
      backup_codes_remaining: 0,
      new_method_authorized: false,
    });
    subject.refused(removeMethod, { backup_code: 'x', target_id: 2 }, 400, 'tfa_method_not_configured');
  });

  it('makes older backup codes void when there are fresh ones', () => {
    const { subject, totp, backupCodes } = enabled();
    const answer = subject.run(regenerateBackupCodes, {
      tfa_method: 'totp',
      code: totpAt(totp, subject.now),
    });
    assert.equal(answer['msg'], 'success');
    const fresh = answer['backup_codes'] as string[];
    assert.equal(fresh.length, 10);
    subject.loginRefused({ backup_code: backupCodes[0] }, 401, 'invalid_backup_code');
    subject.run(regenerateBackupCodes, { backup_code: fresh[0] });
    new Subject().refused(regenerateBackupCodes, {}, 400, 'tfa_method_not_configured');
  });
});

describe('second factor: a legacy account', () => {
  function legacy(): Subject {
    const subject = new Subject();
    subject.account.legacyPhone = phone;
    return subject;
  }

  it('signs in by SMS to its number and learns that it is legacy', () => {
    const subject = legacy();
    assert.equal(secondFactorStatus(subject.account), 'legacy');
    assert.equal(subject.run(status)['tfa_enabled'], true);
    const { secret } = subject.run(requestSms, {});
    const answer = subject.login({ code: subject.lastCode, secret });
    assert.equal(answer['legacy_tfa_user'], true);
  });

  it('is disabled by a removal that names nothing', () => {
    const subject = legacy();
    const { secret } = subject.run(requestEmail, {});
    const body = { tfa_method: 'email', secret, code: subject.lastCode };
    assert.deepEqual(subject.run(removeMethod, body), { success: true, msg: '2FA Successfully Disabled' });
    assert.equal(secondFactorStatus(subject.account), 'disabled');
  });

  it('has nothing to manage', () => {
    const subject = legacy();
    subject.authorizeByEmail();
    subject.refused(
      confirmNew,
      { tfa_method: 'totp', code: '123456', secret: 'x' },
      400,
      'untracked_2fa_found',
    );
    subject.refused(updateMethod, { tfa_method: 'sms', label: 'x' }, 400, 'untracked_2fa_found');
    subject.refused(regenerateBackupCodes, {}, 400, 'untracked_2fa_found');
  });
});
