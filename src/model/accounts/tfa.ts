/** Types of two-factor authentication (docs/service/two-factor.md#methods). Times are Unix seconds. */

export type TfaFactor = 'sms' | 'totp' | 'email';

export interface TfaMethod {
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

export interface TfaStatus {
  /** Also true for the older form; `tfaStatusOf` distinguishes the two. */
  readonly enabled: boolean;
  readonly methods: readonly TfaMethod[];
  readonly backupCodesRemaining?: number;
  /** True while methods can be added. */
  readonly newMethodAuthorized: boolean;
  /** The number of methods that could not be read. */
  readonly skipped: number;
}

/** Proof of the user's identity. `secret` is the latest `tfa_secret` and is sent with SMS and e-mail codes. */
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
  /** The bearer token of the new session. */
  readonly sessionKey: string;
  /** The number of backup codes left after one was used; 0 if the answer omits it. */
  readonly backupCodesRemaining?: number;
  readonly isLegacy: boolean;
}

/** Where a text message goes: a method's number, a given number, or the account's own number if both are missing. */
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

export type NewTfaMethod =
  | { readonly type: 'totp'; readonly code: string; readonly secret: string; readonly label?: string }
  | {
      readonly type: 'sms';
      readonly code: string;
      readonly secret: string;
      readonly phone: string;
      readonly label?: string;
    };

/** Present only with the first method, and shown once. */
export interface ConfirmedTfaMethod {
  readonly backupCodes?: readonly string[];
}

export interface RemovedTfaMethod {
  /** Absent after the last method was removed, which turns 2FA off. */
  readonly remaining?: number;
}
