import assert from 'node:assert/strict';
import {
  ForbiddenError,
  NotReachableError,
  RefusedError,
  UnauthorizedError,
} from '../../../../src/api/errors';
import { factorFailureText, isAboutRequest, isFinal } from '../../../../src/features/security/failures';
import { text } from '../../../../src/util/text';

/** What a code that was not accepted leads to: another try, another method, or the end of what was asked for. */
describe('A refused code', () => {
  const now = new Date(2026, 0, 15, 12).getTime();
  const soon = now / 1000 + 600;
  const wrong = { text: text('The code is wrong.'), code: '2fa_verification_failed' };
  const table = {
    'a wrong code': [new RefusedError(wrong), 'The code is wrong.', false, false],
    'the first wrong code': [
      new RefusedError({ ...wrong, failCount: 1 }),
      'The code is wrong.',
      false,
      false,
    ],
    'the second wrong code': [
      new RefusedError({ ...wrong, failCount: 2 }),
      'The code is wrong. 2 codes were wrong so far. Too many wrong codes lock this method for 15 minutes.',
      false,
      false,
    ],
    'a lock': [
      new RefusedError({ ...wrong, lockedUntil: soon }),
      'Too many wrong codes: this method is locked until 12:10 PM. Choose another one.',
      true,
      false,
    ],
    'a lock that is over': [
      new RefusedError({ ...wrong, lockedUntil: soon - 600 }),
      'The code is wrong.',
      false,
      false,
    ],
    'a lock without a time': [
      new RefusedError({ text: text('It is locked.'), code: 'tfa_locked' }),
      'It is locked.',
      true,
      false,
    ],
    'an address that is not verified': [
      new RefusedError({ text: text('No.'), code: 'email_not_verified' }),
      'No.',
      true,
      false,
    ],
    'a method that exists': [
      new RefusedError({ text: text('No.'), code: 'duplicate_tfa_method' }),
      'No.',
      true,
      true,
    ],
    'a key that was revoked': [new UnauthorizedError({ text: text('No.') }), 'No.', true, true],
    'a key that may not': [new ForbiddenError({ text: text('No.') }), 'No.', true, true],
    'a number that looks like fraud': [
      new ForbiddenError({ text: text('No.'), code: 'sms_fraud_detected' }),
      'No.',
      true,
      false,
    ],
    'no network': [new NotReachableError({ text: text('No.') }), 'No.', false, false],
  } as const;

  for (const [name, [error, ...expected]] of Object.entries(table)) {
    it(`shows what can be done next: ${name}`, () => {
      assert.deepEqual([factorFailureText(error, now), isFinal(error, now), isAboutRequest(error)], expected);
    });
  }
});
