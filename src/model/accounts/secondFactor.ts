/** Two-factor authentication (docs/service/two-factor.md#methods). Times are Unix seconds unless named otherwise. */

import { text, type Text } from '../../util/text';

export type SecondFactorKind = 'sms' | 'totp' | 'email';

export interface SecondFactorMethod {
  readonly id: number;
  readonly type: 'sms' | 'totp';
  readonly label?: string;
  /** Masked by the service, except for the last four digits. */
  readonly phone?: string;
  readonly isPrimary: boolean;
  readonly failCount?: number;
  /** In the future while the service accepts no code; by this computer's clock. */
  readonly lockedUntil?: number;
  readonly createdAt?: number;
  readonly lastUsedAt?: number;
}

export interface SecondFactorStatus {
  /** Also true for the older form; `secondFactorStatusOf` distinguishes the two. */
  readonly enabled: boolean;
  readonly methods: readonly SecondFactorMethod[];
  readonly backupCodesRemaining?: number;
  /** True while methods can be added. */
  readonly newMethodAuthorized: boolean;
  /** The number of methods that could not be read. */
  readonly skipped: number;
}

/** Proof of the user's identity. `secret` is the latest `tfa_secret` and is sent with SMS and e-mail codes. */
export type SecondFactorProof =
  | {
      readonly kind: 'code';
      readonly factor: SecondFactorKind;
      readonly code: string;
      readonly secret?: string;
      readonly methodId?: number | undefined;
    }
  | { readonly kind: 'backup'; readonly backupCode: string };

export interface SecondFactorLogin {
  /** The bearer token of the new session. */
  readonly sessionKey: string;
  /** The number of backup codes left after one was used; 0 if the answer omits it. */
  readonly backupCodesRemaining?: number;
  readonly isLegacy: boolean;
}

/**
 * The receiver of a text message: a method's number, a given number, or the account's own number if both are missing.
 */
export interface SmsTarget {
  readonly methodId?: number | undefined;
  /** E.164. */
  readonly phone?: string;
  readonly secret?: string;
}

export interface TotpSetup {
  /** Base32. */
  readonly secret: string;
  /** `otpauth://…`, the content of the QR code for an authenticator app. */
  readonly uri: string;
}

export type NewSecondFactorMethod =
  | { readonly type: 'totp'; readonly code: string; readonly secret: string; readonly label?: string }
  | {
      readonly type: 'sms';
      readonly code: string;
      readonly secret: string;
      readonly phone: string;
      readonly label?: string;
    };

/** Present only with the first method, and shown once. */
export interface ConfirmedSecondFactorMethod {
  readonly backupCodes?: readonly string[];
}

export interface RemovedSecondFactorMethod {
  /** Absent after the last method was removed, which turns 2FA off. */
  readonly remaining?: number;
}

/** The lifetime of a challenge (docs/service/two-factor.md#lifetimes). */
export const challengeMs = 10 * 60_000;
/** How long methods can be added after an authorization (docs/service/two-factor.md#lifetimes). */
export const authorizationMs = 30 * 60_000;
const longestLabel = 30;

/**
 * Returns until when methods can be added (ms since 1970), while the service reports that they can be. A
 * known end that has passed does not apply to a newer authorization from another window or the console.
 */
export function authorizationEnd(known: number | undefined, nowMs: number): number | undefined {
  return known !== undefined && known > nowMs ? known : undefined;
}

/** A way to verify the user's identity. */
export type FactorChoice =
  | {
      readonly kind: 'method';
      readonly method: SecondFactorMethod;
      /** When the method unlocks (ms since 1970). */
      readonly lockedUntilMs?: number | undefined;
      readonly unavailable?: Text;
    }
  /** The phone of an account with the older form of 2FA, which has no methods. */
  | { readonly kind: 'legacySms'; readonly unavailable?: Text }
  | { readonly kind: 'email'; readonly unavailable?: Text }
  | { readonly kind: 'backup'; readonly remaining?: number | undefined };

interface Person {
  readonly tfaStatus?: string;
  readonly emailVerified?: boolean;
  readonly isAdmin?: boolean;
}

/** Returns the number of methods, with those that could not be read. */
export function countMethods({ methods, skipped }: Pick<SecondFactorStatus, 'methods' | 'skipped'>): number {
  return methods.length + skipped;
}

/**
 * Returns `tfa_status`. If the user's record leaves it out, an account that has 2FA without a method has its older form
 * (docs/service/two-factor.md#status).
 */
export function secondFactorStatusOf(
  { tfaStatus }: Pick<Person, 'tfaStatus'>,
  status: Pick<SecondFactorStatus, 'enabled' | 'methods' | 'skipped'>,
): string {
  const ofMethods = countMethods(status) > 0 ? 'enabled' : 'legacy';
  return tfaStatus ?? (status.enabled ? ofMethods : 'disabled');
}

/**
 * Returns the factors that an account can use, the primary method first. Codes are sent only to accounts with a
 * verified e-mail address. Administrators are exempt for SMS, unless the code authorizes a method
 * (docs/service/two-factor.md#prerequisites).
 */
export function factorChoices(
  status: Pick<SecondFactorStatus, 'enabled' | 'methods' | 'skipped' | 'backupCodesRemaining'>,
  person: Person,
  options: { readonly nowMs: number; readonly forAuthorization?: boolean | undefined },
): readonly FactorChoice[] {
  const unverified = person.emailVerified === false;
  const noSms = unverified && (options.forAuthorization === true || person.isAdmin !== true);
  const needsEmail = text('Needs a verified e-mail address');
  const methods = [...status.methods].sort(
    (a, b) => Number(b.isPrimary) - Number(a.isPrimary) || a.id - b.id,
  );
  const isLegacy = secondFactorStatusOf(person, status) === 'legacy';
  const choices: FactorChoice[] = methods.map((method) => {
    const lockedUntilMs = (method.lockedUntil ?? 0) * 1000;
    return {
      kind: 'method',
      method,
      lockedUntilMs: lockedUntilMs > options.nowMs ? lockedUntilMs : undefined,
      ...(method.type === 'sms' && noSms ? { unavailable: needsEmail } : {}),
    };
  });
  if (isLegacy && countMethods(status) === 0) {
    choices.push({ kind: 'legacySms', ...(noSms ? { unavailable: needsEmail } : {}) });
  }
  choices.push({ kind: 'email', ...(unverified ? { unavailable: needsEmail } : {}) });
  if (countMethods(status) > 0 && status.backupCodesRemaining !== 0) {
    choices.push({ kind: 'backup', remaining: status.backupCodesRemaining });
  }
  return choices;
}

/** Returns what is wrong with the six-digit code typed so far. Spaces are ignored. */
export function codeProblem(value: string): Text | undefined {
  const digits = normalCode(value);
  if (/\D/.test(digits)) {
    return text('Enter six digits.');
  }
  return digits.length === 6 ? undefined : text('Enter six digits; {0} so far.', digits.length);
}

export function normalCode(value: string): string {
  return value.replace(/[\s-]/g, '');
}

/**
 * Returns the problem with a backup code that is not of the form `XXXX-XXXX-XXXX`
 * (docs/service/two-factor.md#backup-codes).
 */
export function backupCodeProblem(value: string): Text | undefined {
  const letters = value.replace(/[\s-]/g, '');
  if (/[^A-Za-z0-9]/.test(letters)) {
    return text('Use only letters and digits, as in XXXX-XXXX-XXXX.');
  }
  return letters.length === 12
    ? undefined
    : text('Enter twelve letters and digits, as in XXXX-XXXX-XXXX; {0} so far.', letters.length);
}

/** Converts a backup code to upper case with hyphens. */
export function normalBackupCode(value: string): string {
  const letters = value.replace(/[\s-]/g, '').toUpperCase();
  return [letters.slice(0, 4), letters.slice(4, 8), letters.slice(8)].join('-');
}

/** Returns what is wrong with a number that should be E.164. Spaces, hyphens, dots and brackets are ignored. */
export function phoneProblem(value: string): Text | undefined {
  const phone = normalPhone(value);
  if (!phone.startsWith('+')) {
    return text('Start with + and the country code, for example +14155550100.');
  }
  return /^\+[1-9]\d{6,14}$/.test(phone)
    ? undefined
    : text('A phone number has 7 to 15 digits after the +, and no letters.');
}

export function normalPhone(value: string): string {
  return value.replace(/[\s().-]/g, '');
}

export function labelProblem(value: string): Text | undefined {
  return value.trim().length > longestLabel ? text('At most {0} characters.', longestLabel) : undefined;
}

/** Formats a time such as `9:05`, rounded up, so that it never reaches zero too early. */
export function clockText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
