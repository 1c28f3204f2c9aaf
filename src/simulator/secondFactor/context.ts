import { ServiceError } from '../route';
import type { SecondFactorAccount, SecondFactorState } from './state';
import type { Tokens } from './tokens';

/** The facts about a person that the second factor needs. */
export interface Person {
  readonly id: number;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  readonly isAdmin: boolean;
}

/** One request's view of the second factor: the caller's records and the time in Unix seconds. */
export interface SecondFactorContext {
  readonly state: SecondFactorState;
  readonly account: SecondFactorAccount;
  readonly person: Person;
  readonly now: number;
  readonly tokens: Tokens;
  /** Known only by a `tfa_secret` (docs/service/two-factor.md#callers). */
  readonly loggedOut: boolean;
}

/** Refusals of tfa/*, with status 400 unless stated (docs/service/two-factor.md#error-codes). */
const refusals = {
  '2fa_expired': [400, 'This 2FA code has expired. Please request a new one.'],
  '2fa_login_failed': [400, '2FA is not enabled on this account.'],
  bad_request: [400, 'The request could not be understood.'],
  invalid_tfa_method: [400, 'tfa_method must be sms, totp or email.'],
  missing_auth_value: [401, 'Either an API key or a tfa_secret is required.'],
  missing_params: [400, 'A required parameter is missing.'],
  email_not_verified: [400, 'Verify your email address before using 2FA.'],
  challenge_not_found: [400, 'No such 2FA challenge.'],
  no_challenge_found: [400, 'No code was sent recently. Request one first.'],
  tfa_challenge_exists: [400, 'A recent code was already sent.'],
  no_pending_authorization: [400, 'No authorization was started.'],
  duplicate_tfa_method: [400, 'This 2FA method is already on your account.'],
  twilio_error: [400, 'The text message could not be sent to this number.'],
  phone_number_mismatch: [400, 'The phone number does not match the original challenge.'],
  missing_email: [400, 'There is no email address on this account.'],
  missing_phone_number: [400, 'A phone number is required.'],
  tfa_method_not_configured: [400, 'This 2FA method is not set up on your account.'],
  sms_blocked_number: [400, 'This phone number cannot receive codes.'],
  untracked_2fa_found: [400, 'This account uses an older form of 2FA. Remove it first.'],
  invalid_backup_code: [401, 'Invalid backup code.'],
  auth_error: [403, 'This action requires login.'],
  authorization_required: [403, 'Authorize adding a new 2FA method first.'],
  team_user_forbidden: [403, 'Team users cannot manage 2FA.'],
  sms_fraud_detected: [403, 'This phone number was refused.'],
  not_found: [404, '2FA method not found.'],
  sms_rate_limited: [429, 'Too many text messages. Try again later.'],
  preauth_phone_cap: [429, 'Too many codes were sent to this number. Try again later.'],
  twilio_rate_limited: [429, 'The carrier limits text messages to this number. Try again later.'],
  challenge_creation_failed: [500, 'The 2FA challenge could not be created.'],
  service_unavailable: [503, 'Text messages are not available at the moment.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;
export type RefusalCode = keyof typeof refusals;

export function refuse(code: RefusalCode, message?: string): ServiceError {
  const [status, standard] = refusals[code];
  return new ServiceError(status, code, message ?? standard);
}
