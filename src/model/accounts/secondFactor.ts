import { text, type Text } from '../../util/text';
import type { TfaMethod, TfaStatus } from './tfa';

/** The lifetime of a challenge (docs/service/two-factor.md#lifetimes). */
export const challengeMs = 10 * 60_000;
/** How long methods can be added after an authorization (docs/service/two-factor.md#lifetimes). */
export const authorizationMs = 30 * 60_000;
const longestLabel = 30;

/**
 * Returns until when methods can be added (ms since 1970), while the service reports that they can be. A known end
 * that has passed says nothing about a newer authorization from another window or the console.
 */
export function authorizationEnd(known: number | undefined, nowMs: number): number | undefined {
  return known !== undefined && known > nowMs ? known : undefined;
}

/** A way to verify the user's identity. */
export type FactorChoice =
  | {
      readonly kind: 'method';
      readonly method: TfaMethod;
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
export function countMethods({ methods, skipped }: Pick<TfaStatus, 'methods' | 'skipped'>): number {
  return methods.length + skipped;
}

/**
 * Returns `tfa_status`. If the user's record leaves it out, an account that has 2FA without a method has its older form
 * (docs/service/two-factor.md#status).
 */
export function tfaStatusOf(
  { tfaStatus }: Pick<Person, 'tfaStatus'>,
  status: Pick<TfaStatus, 'enabled' | 'methods' | 'skipped'>,
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
  status: Pick<TfaStatus, 'enabled' | 'methods' | 'skipped' | 'backupCodesRemaining'>,
  person: Person,
  options: { readonly nowMs: number; readonly forAuthorization?: boolean | undefined },
): readonly FactorChoice[] {
  const unverified = person.emailVerified === false;
  const noSms = unverified && (options.forAuthorization === true || person.isAdmin !== true);
  const needsEmail = text('Needs a verified e-mail address');
  const methods = [...status.methods].sort(
    (a, b) => Number(b.isPrimary) - Number(a.isPrimary) || a.id - b.id,
  );
  const isLegacy = tfaStatusOf(person, status) === 'legacy';
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
