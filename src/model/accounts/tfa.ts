/** Types of two-factor authentication (docs/service/two-factor.md#methods). Times are Unix seconds. */

export type TfaFactor = 'sms' | 'totp' | 'email';

export interface TfaMethod {
  readonly id: number;
  readonly type: 'sms' | 'totp';
  readonly label?: string;
  /** Masked by the service: the last four digits are visible. */
  readonly phone?: string;
  readonly isPrimary: boolean;
  readonly failCount?: number;
  /** In the future while no code is accepted. */
  readonly lockedUntil?: number;
  readonly createdAt?: number;
  readonly lastUsedAt?: number;
}

export interface TfaStatus {
  /** Does not tell `enabled` from `legacy`; the user's `tfaStatus` does. */
  readonly enabled: boolean;
  readonly methods: readonly TfaMethod[];
  readonly backupCodesRemaining?: number;
  /** Methods can be added now. */
  readonly newMethodAuthorized: boolean;
  /** Methods that could not be understood. */
  readonly skipped: number;
}

/** What proves who somebody is; `secret` is the newest `tfa_secret` and goes with SMS and e-mail. */
export type TfaProof =
  | {
      readonly kind: 'code';
      readonly factor: TfaFactor;
      readonly code: string;
      readonly secret?: string;
      readonly methodId?: number | undefined;
    }
  | { readonly kind: 'backup'; readonly backupCode: string };

export interface TfaLogin {
  /** The bearer from now on. */
  readonly sessionKey: string;
  /** After a backup code: how many are left. Present as 0 when the answer left it out. */
  readonly backupCodesRemaining?: number;
  readonly isLegacy: boolean;
}

/** Where a text message goes: a method's number, a number, or the account's own when both are left out. */
export interface SmsTarget {
  readonly methodId?: number | undefined;
  /** E.164. */
  readonly phone?: string;
  readonly secret?: string;
}

export interface TotpSetup {
  /** Base32. */
  readonly secret: string;
  /** `otpauth://…`, for the picture that an authenticator reads. */
  readonly uri: string;
}

export type NewTfaMethod =
  | { readonly type: 'totp'; readonly code: string; readonly secret: string; readonly label?: string }
  | {
      readonly type: 'sms';
      readonly code: string;
      readonly secret: string;
      readonly phone: string;
      readonly label?: string;
    };

/** Present with the first method alone, and shown once. */
export interface ConfirmedTfaMethod {
  readonly backupCodes?: readonly string[];
}

export interface RemovedTfaMethod {
  /** Absent when the last method is gone: the second factor is off. */
  readonly remaining?: number;
}
