import assert from 'node:assert/strict';
import { startAuthorization } from '../../../../src/simulator/secondFactor/authorize';
import { openChallenge } from '../../../../src/simulator/secondFactor/challenges';
import { requestEmail, requestSms, resendSms } from '../../../../src/simulator/secondFactor/login';

import { enabled, phone } from './subject';

describe('second factor: sending codes', () => {
  it('refuses a second text message while the first counts, and sends it again on request', () => {
    const { subject } = enabled();
    subject.addSms();
    const first = subject.run(requestSms, {});
    subject.refused(requestSms, {}, 400, 'tfa_challenge_exists');
    const again = subject.run(resendSms, {});
    assert.notEqual(again['secret'], first['secret']);
    subject.loginRefused({ code: subject.lastCode, secret: first['secret'] }, 400, 'challenge_not_found');
    const kept = subject.run(resendSms, { secret: again['secret'], phone_number: phone });
    assert.equal(kept['secret'], again['secret']);
    subject.now += 600;
    assert.ok(subject.run(requestSms, {})['secret']);
  });

  it('resends only what was sent, and only to the number it was sent to', () => {
    const { subject } = enabled();
    subject.addSms();
    subject.refused(resendSms, {}, 400, 'no_challenge_found');
    const { secret } = subject.run(requestSms, {});
    const other = '+14155550199';
    subject.refused(resendSms, { phone_number: other }, 400, 'phone_number_mismatch');
    subject.refused(resendSms, { secret, phone_number: other }, 400, 'phone_number_mismatch');
    subject.refused(resendSms, { secret: 'unknown' }, 400, 'challenge_not_found');
    const email = subject.run(requestEmail, {});
    subject.refused(resendSms, { secret: email['secret'] }, 400, 'no_challenge_found');
    subject.now += 600;
    subject.refused(resendSms, { secret }, 400, '2fa_expired');
  });

  it('finds the number by method, by request, on the account, or answers that there is none', () => {
    const { subject } = enabled();
    subject.refused(requestSms, {}, 400, 'missing_phone_number');
    subject.account.phone = '+14155550111';
    subject.run(requestSms, {});
    assert.equal(subject.state.outbox.at(-1)?.to, '+14155550111');
    subject.addSms();
    subject.run(requestSms, { tfa_method_id: 2 });
    assert.equal(subject.state.outbox.at(-1)?.to, phone);
    subject.refused(requestSms, { tfa_method_id: 1 }, 400, 'invalid_tfa_method');
    subject.refused(requestSms, { tfa_method_id: 77 }, 404, 'not_found');
    subject.refused(requestSms, { phone_number: '555-0100' }, 400, 'bad_request');
  });

  it('lets administrators without a verified e-mail send SMS, and nothing else', () => {
    const { subject } = enabled();
    subject.addSms();
    subject.person = { ...subject.person, emailVerified: false };
    subject.refused(requestSms, {}, 400, 'email_not_verified');
    subject.refused(resendSms, {}, 400, 'email_not_verified');
    subject.person = { ...subject.person, isAdmin: true };
    subject.run(requestSms, {});
    subject.run(resendSms, {});
    subject.refused(requestEmail, {}, 400, 'email_not_verified');
    subject.refused(startAuthorization, { tfa_method: 'sms' }, 400, 'email_not_verified');
  });

  it('needs an address to write to', () => {
    const { subject } = enabled();
    subject.person = { ...subject.person, email: undefined };
    subject.refused(requestEmail, {}, 400, 'missing_email');
  });

  it('limits text messages an hour', () => {
    const { subject } = enabled();
    for (let count = 0; count < 10; count += 1) {
      subject.run(requestSms, { phone_number: `+1415555020${count}` });
    }
    subject.refused(requestSms, { phone_number: phone }, 429, 'sms_rate_limited');
    subject.now += 3600;
    assert.ok(subject.run(requestSms, { phone_number: phone })['secret']);
  });

  it('can be had to fail in each way a carrier fails', () => {
    const { subject } = enabled();
    const expected: [string, number, string][] = [
      ['+15005550001', 400, 'twilio_error'],
      ['+15005550002', 400, 'sms_blocked_number'],
      ['+15005550003', 403, 'sms_fraud_detected'],
      ['+15005550004', 429, 'twilio_rate_limited'],
      ['+15005550005', 500, 'challenge_creation_failed'],
      ['+15005550006', 503, 'service_unavailable'],
    ];
    for (const [number, statusCode, code] of expected) {
      subject.refused(requestSms, { phone_number: number }, statusCode, code);
    }
    assert.equal(subject.state.outbox.filter((message) => message.channel === 'sms').length, 0);
  });

  it('writes to the account alone for a caller without a key, and not too often', () => {
    const { subject } = enabled();
    subject.addSms();
    subject.loggedOut = true;
    const { secret } = openChallenge(subject.context, 'login');
    subject.refused(requestSms, { secret, phone_number: '+14155550199' }, 400, 'phone_number_mismatch');
    const sent = subject.run(requestSms, { secret });
    assert.equal(sent['secret'], secret);
    for (let count = 0; count < 3; count += 1) {
      subject.run(resendSms, { secret });
    }
    subject.refused(resendSms, { secret }, 429, 'preauth_phone_cap');
    assert.equal(subject.login({ secret, code: subject.lastCode })['kind'], 'cookie');
  });
});
