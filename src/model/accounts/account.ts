import type { Micros } from '../money';

/** Who the key belongs to. */
export interface User {
  readonly id: number;
  /** Of the key that was entered, also while a session is in use. */
  readonly keyId?: number;
  readonly email?: string;
  readonly name?: string;
  readonly balance?: Micros;
  /** Prepaid money that the account can spend (docs/service/users.md#record). */
  readonly credit?: Micros;
  readonly sshKey?: string;
  readonly tfaStatus?: string;
  /** `undefined` where the record does not say. */
  readonly emailVerified?: boolean;
  readonly isAdmin?: boolean;
}

export interface SshKey {
  readonly id: number;
  readonly name?: string;
  readonly publicKey: string;
  /** ISO text or Unix seconds as the service sent it. */
  readonly createdAt?: string | number;
}

/** The account and service that a window works with. */
export interface AccountRef {
  /** Stable: derived from the service address and the user id. */
  readonly key: string;
  readonly serviceUrl: string;
  readonly userId: number;
  readonly name: string;
  readonly isDemo: boolean;
}
