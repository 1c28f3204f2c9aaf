import { ServiceError } from '../route';
import { failuresUntilLock, lockSeconds, type Attempts } from './state';

/** Throws 429 while locked; a lock that has run out starts the count again. */
export function assertOpen(attempts: Attempts, now: number): void {
  if (attempts.locked_until === null) {
    return;
  }
  if (attempts.locked_until > now) {
    throw new ServiceError(429, 'tfa_locked', 'Too many failed attempts. Try again later.', {
      ...lockFields(attempts),
    });
  }
  attempts.fail_count = 0;
  attempts.locked_until = null;
}

/** Counts a wrong code; the answer carries the count and, once locked, the time it opens again. */
export function failedAttempt(attempts: Attempts, now: number): ServiceError {
  countFailure(attempts, now);
  return new ServiceError(400, '2fa_verification_failed', 'Invalid 2FA code.', { ...lockFields(attempts) });
}

export function countFailure(attempts: Attempts, now: number): void {
  attempts.fail_count += 1;
  if (attempts.fail_count >= failuresUntilLock) {
    attempts.locked_until = now + lockSeconds;
  }
}

export function succeeded(attempts: Attempts): void {
  attempts.fail_count = 0;
  attempts.locked_until = null;
}

function lockFields(attempts: Attempts): Attempts {
  return { fail_count: attempts.fail_count, locked_until: attempts.locked_until };
}
