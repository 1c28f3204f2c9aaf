import type { KeyPermissions } from '../state';

/** Two-factor records of the simulator: plain JSON, so that they survive a restart. Times are Unix seconds. */

/** The lifetime of a challenge (docs/service/two-factor.md#lifetimes). */
export const challengeSeconds = 10 * 60;
/** The time during which `new_method_authorized` stays true (docs/service/two-factor.md#lifetimes). */
export const authorizationSeconds = 30 * 60;
/** The time until a locked method opens again (docs/service/two-factor.md#lifetimes). */
export const lockSeconds = 15 * 60;
/** Not documented; the fifth wrong code in a row locks. */
export const failuresUntilLock = 5;
/** Not documented; a session outlives an afternoon's work. */
export const sessionSeconds = 12 * 3600;
/** The number of codes in a new set (docs/service/two-factor.md#backup-codes). */
export const backupCodeCount = 10;
export const longestLabel = 30;

export type Factor = 'sms' | 'totp' | 'email';
export const factors: readonly Factor[] = ['sms', 'totp', 'email'];

/** Failed attempts in a row, and until when nothing is checked. */
export interface Attempts {
  fail_count: number;
  locked_until: number | null;
}

export interface SecondFactorMethod extends Attempts {
  id: number;
  user_id: number;
  method: 'sms' | 'totp';
  label: string;
  is_primary: boolean;
  created_at: number;
  last_used: number | null;
  /** The whole number; answers show its last four digits. */
  phone?: string;
  /** Never in an answer. */
  totpSecret?: string;
  /** The step of the last accepted TOTP code: each is good once. */
  lastStep?: number;
}

/** A code that is on its way to a person, or (`login`) a correct password with no code sent yet. */
export interface Challenge {
  secret: string;
  accountId: number;
  channel: 'login' | 'sms' | 'email';
  code?: string;
  phone?: string;
  methodId?: number;
  expiresAt: number;
  /** True for callers without a key; their sends are capped by telephone number. */
  loggedOut: boolean;
}

export interface SecondFactorAccount {
  accountId: number;
  /** A key alone is refused everywhere except on users/current and tfa/*. */
  demanded: boolean;
  /** Member of a team that manages the second factor for its people. */
  teamUser: boolean;
  /** Set on accounts whose second factor predates methods. */
  legacyPhone?: string;
  /** The number on the account, used when a request names none. */
  phone?: string;
  methods: SecondFactorMethod[];
  backupCodes: { code: string; used: boolean }[];
  /** Codes by e-mail, and by SMS on a legacy account. */
  emailAttempts: Attempts;
  /** Codes that should confirm a new method. */
  enrolAttempts: Attempts;
  backupAttempts: Attempts;
  /** 0 when never authorized. */
  authorizedUntil: number;
  pending?: { secret: string; factor: Factor; methodId?: number; expiresAt: number };
  /** Handed out by totp-setup and not yet confirmed. */
  issuedTotpSecrets: { secret: string; expiresAt: number }[];
  /** When text messages were sent in the last hour. */
  smsSentAt: number[];
}

export interface Session {
  token: string;
  /** Distinguishes it from keys and other sessions, like `key_id`. */
  keyId: number;
  accountId: number;
  kind: 'bearer' | 'cookie';
  /** Of the scoped key that the session began with. */
  permissions?: KeyPermissions;
  admin: boolean;
  expiresAt: number;
}

/** A message that a person would find on a telephone or in a mailbox. */
export interface Message {
  accountId: number;
  channel: 'sms' | 'email';
  to: string;
  code: string;
  text: string;
  sentAt: number;
}

export interface SecondFactorState {
  accounts: Record<string, SecondFactorAccount | undefined>;
  challenges: Challenge[];
  sessions: Session[];
  outbox: Message[];
  nextMethodId: number;
}

export function emptySecondFactorState(): SecondFactorState {
  return { accounts: {}, challenges: [], sessions: [], outbox: [], nextMethodId: 1 };
}

export const noAttempts = (): Attempts => ({ fail_count: 0, locked_until: null });

/** The record of an account; made when first asked for. */
export function secondFactorAccount(state: SecondFactorState, accountId: number): SecondFactorAccount {
  return (state.accounts[accountId] ??= {
    accountId,
    demanded: false,
    teamUser: false,
    methods: [],
    backupCodes: [],
    emailAttempts: noAttempts(),
    enrolAttempts: noAttempts(),
    backupAttempts: noAttempts(),
    authorizedUntil: 0,
    issuedTotpSecrets: [],
    smsSentAt: [],
  });
}

/** Returns the user's `tfa_status` (docs/service/two-factor.md#states). */
export function secondFactorStatus(
  account: SecondFactorAccount | undefined,
): 'enabled' | 'disabled' | 'legacy' {
  if (account && account.methods.length > 0) {
    return 'enabled';
  }
  return account?.legacyPhone === undefined ? 'disabled' : 'legacy';
}

export function backupCodesRemaining(account: SecondFactorAccount): number {
  return account.backupCodes.filter((code) => !code.used).length;
}
