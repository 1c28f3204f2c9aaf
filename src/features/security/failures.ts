import { ApiError, ForbiddenError, RefusedError, UnauthorizedError } from '../../api/errors';
import { localize, t } from '../../editor/localize';
import { momentText } from '../../editor/timeText';
import type { UserError } from '../../util/errors';

/** Returns why a code failed and, for a locked method, when it unlocks. */
export function factorFailureText(error: UserError, now: number): string {
  if (error instanceof RefusedError) {
    if (isLockedOut(error, now)) {
      return error.lockedUntil === undefined
        ? localize(error.text)
        : lockedText(error.lockedUntil * 1000, now);
    }
    if (error.code === '2fa_verification_failed' && (error.failCount ?? 0) > 1) {
      return t(
        '{0} {1} codes were wrong so far. Too many wrong codes lock this method for 15 minutes.',
        localize(error.text),
        error.failCount ?? 0,
      );
    }
  }
  return localize(error.text);
}

/** `untilMs`: when the method unlocks (ms since 1970). */
export function lockedText(untilMs: number, now: number): string {
  return t(
    'Too many wrong codes: this method is locked until {0}. Choose another one.',
    momentText(untilMs, now),
  );
}

/** Returns true if the service accepts no further code of this method for now. */
function isLockedOut(error: unknown, now: number): boolean {
  return (
    error instanceof RefusedError &&
    (error.code === 'tfa_locked' || (error.lockedUntil !== undefined && error.lockedUntil * 1000 > now))
  );
}

/** Returns true if no other code of this method can help; another method may. */
export function isFinal(error: unknown, now: number): boolean {
  return (
    isLockedOut(error, now) ||
    error instanceof ForbiddenError ||
    error instanceof UnauthorizedError ||
    (error instanceof ApiError && error.code !== undefined && finalCodes.has(error.code))
  );
}

/** Returns true if the service refuses the request itself and not the proof. */
export function isAboutRequest(error: unknown): boolean {
  return (
    error instanceof UnauthorizedError ||
    (error instanceof ForbiddenError && error.code !== 'sms_fraud_detected') ||
    (error instanceof ApiError && error.code !== undefined && requestCodes.has(error.code))
  );
}

const requestCodes: ReadonlySet<string> = new Set([
  'authorization_required',
  'duplicate_tfa_method',
  'not_found',
  'untracked_2fa_found',
]);

const finalCodes: ReadonlySet<string> = new Set([
  'authorization_required',
  'duplicate_tfa_method',
  'email_not_verified',
  'invalid_tfa_method',
  'missing_email',
  'missing_phone_number',
  'no_pending_authorization',
  'not_found',
  'phone_number_mismatch',
  'sms_blocked_number',
  'tfa_method_not_configured',
  'untracked_2fa_found',
]);
