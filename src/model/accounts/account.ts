import type { Micros } from '../money';

/** The owner of the key. */
export interface User {
  readonly id: number;
  /** The id of the key that was entered, even while a session is in use. */
  readonly keyId?: number;
  readonly email?: string;
  readonly name?: string;
  readonly balance?: Micros;
  /** Prepaid money that the account can spend (docs/service/users.md#record). */
  readonly credit?: Micros;
  readonly sshKey?: string;
  readonly tfaStatus?: string;
  /** `undefined` if the record does not state it. */
  readonly emailVerified?: boolean;
  readonly isAdmin?: boolean;
}

/** Returns what the account can spend: its credit, or its balance if only that is stated (docs/service/users.md#record). */
export function spendable({ credit, balance }: Pick<User, 'credit' | 'balance'>): Micros | undefined {
  return credit ?? balance;
}

export interface SshKey {
  readonly id: number;
  readonly name?: string;
  readonly publicKey: string;
  /** ISO text or Unix seconds, as the service sent it. */
  readonly createdAt?: string | number;
}

/** The account and service that a window works with. */
export interface AccountRef {
  /** A stable identifier, derived from the service address and the user id. */
  readonly key: string;
  readonly serviceUrl: string;
  readonly userId: number;
  readonly name: string;
  readonly isDemo: boolean;
}
