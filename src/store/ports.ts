import type { Loaded, Reading } from '../shared/reading';
import type { Client } from '../api/client';
import type { AccountRef, SshKey, User } from '../model/accounts/account';
import type { Instance } from '../model/instances/instance';
import type { InstanceFacts, OwnRequest } from '../model/instances/instanceState';
import type { Offer, RentalType } from '../model/offers/offer';
import type { OfferSearch } from '../model/offers/filters';
import type { Micros } from '../model/money';
import type { RentConfig } from '../model/rentals/rent';
import type { FailureReason } from '../model/rentals/startWatch';
import type { Template } from '../model/templates/template';
import type { Volume } from '../model/volume';
import type { Disposable } from '../util/disposable';
import type { Event } from '../util/emitter';
import type { Text } from '../util/text';

/** The part of `vscode.SecretStorage` that the session store needs. */
export interface SecretPort {
  /** Returns the keys of all entries. */
  keys(): Promise<readonly string[]>;
  get(key: string): Promise<string | undefined>;
  store(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
  onDidChange(listener: (key: string) => void): Disposable;
}

/** An account that is signed in here, with the client that acts for it. */
export interface Account extends AccountRef {
  readonly client: Client;
  /** The user as last read; refreshed with the fleet at most every 5 minutes, and on request. */
  readonly user: User;
  /** False if the editor could not store the key: it works until this window closes. */
  readonly isKept: boolean;
}

/** What sends requests for the instances of an account, and notes them. */
export type ActingAccount = Pick<Account, 'key' | 'client'>;

export type AccountsState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'signedOut' }
  /** The account or its key can't be read now: the disk refuses, the key ring is locked, or the editor lost the key. */
  | { readonly kind: 'unreadable'; readonly account: AccountRef | undefined; readonly error: unknown }
  | { readonly kind: 'signedIn'; readonly account: Account };

/** The result of replacing the key of an account. */
export type KeyReplacement =
  | { readonly kind: 'replaced'; readonly account: Account }
  /** The key works but belongs to another user; nothing was changed. */
  | { readonly kind: 'otherUser'; readonly name: string };

/** The paths of files that could not be understood; they are kept. */
export interface DamagedAccountFiles {
  /** Each held the account with this key. */
  readonly accounts: ReadonlyMap<string, string>;
  /** It told which account is active. */
  readonly active: string | undefined;
}

/** The signed-in accounts, the same in all windows. */
export interface Accounts {
  readonly state: AccountsState;
  readonly active: Account | undefined;
  readonly onDidChange: Event<AccountsState>;
  /** Fires with the key of an account when its service works again after failed reads in any window. */
  readonly onDidRecover?: Event<string> | undefined;
  /** Reads the stored accounts when they are first needed, and again if the key could not be read. */
  load(): Promise<void>;
  known(): Promise<readonly AccountRef[]>;
  /** Rejects if the disk refuses. */
  damaged(): Promise<DamagedAccountFiles>;
  /** Checks the key with users/current, stores it, reads it back, and activates it in all windows. */
  signIn(
    input: { readonly serviceUrl: string; readonly apiKey: string; readonly isDemo?: boolean },
    signal?: AbortSignal,
  ): Promise<Account>;
  switchTo(accountKey: string): Promise<void>;
  signOut(accountKey: string): Promise<void>;
  /** Reads the user again, after reads that are under way, so that the result includes earlier changes. */
  refreshUser(): Promise<User>;
}

/** Signed-in accounts other than the active one, if their keys can be read. */
export interface OtherAccounts {
  others(): Promise<readonly Account[]>;
}

/** Changes to a signed-in account, for all windows. */
export interface AccountChanges {
  /** Checks another key with users/current and uses it if it belongs to the same user. */
  replaceKey(accountKey: string, apiKey: string, signal?: AbortSignal): Promise<KeyReplacement>;
  /** Sets the name of the account on this computer; an empty name restores the service's. */
  rename(accountKey: string, name: string): Promise<void>;
}

export interface FleetSnapshot {
  readonly instances: readonly Instance[];
  /** The number of instances that the service counted but did not send. */
  readonly missing?: number;
  readonly skipped: number;
  /** Instances that the last list lacks; they stay in the list until they are proved to have ended. */
  readonly unconfirmed?: readonly number[];
}

/** The instances of the active account: one poller and one cache for all windows. */
export interface Fleet {
  readonly state: Loaded<FleetSnapshot>;
  readonly onDidChange: Event<Loaded<FleetSnapshot>>;
  find(instanceId: number): Instance | undefined;
  /** Returns whether readings agree that an instance is gone; one list without it is only a hint. */
  hasEnded(instanceId: number): boolean;
  /** Returns facts beside the record: our last request, and whether the instance ever ran. */
  facts(instanceId: number): InstanceFacts;
  /**
   * Notes a request for an instance in all windows, at the current time unless it has one. With an account, nothing is
   * noted once another is active: its service may have given the number to another instance.
   */
  note(
    instanceId: number,
    request: Omit<OwnRequest, 'at'> & { readonly at?: number },
    accountKey?: string,
  ): void;
  /** Removes a note, for a request that was refused or given up. */
  forget(instanceId: number, accountKey?: string): void;
  /** Asks the polling window for a list that is read after this call; calls during a read share the next one. */
  refresh(): Promise<void>;
  /** Sets what this window shows, which decides how often the list is read. */
  setInterest(interest: { readonly viewVisible: boolean; readonly windowFocused: boolean }): void;
}

export type TemplateList = Reading<readonly Template[]>;
export type SshKeyList = Reading<readonly SshKey[]>;
export type VolumeList = Reading<readonly Volume[]>;

/** A rental, from before its request leaves until its machine is ready or given up; survives restarts. */
export interface Rental {
  /** Eight lower-case hexadecimal digits; part of the label as ` [gr-xxxxxxxx]`. */
  readonly marker: string;
  readonly accountKey: string;
  /** The sending window; while it is open, it alone determines the outcome. */
  readonly windowId: string;
  /** When the request left, or is about to; milliseconds since 1970. */
  readonly requestedAt: number;
  /** The confirmation that covered several machines, this one among them. */
  readonly order?: { readonly id: string; readonly wanted: number };
  readonly offer: Offer;
  /** Without secrets: values of environment variables are empty, script and login are left out. */
  readonly config: RentConfig;
  /** The instances before the rental, if known. */
  readonly idsBefore?: readonly number[];
  /** When its instance was proved to be gone. */
  readonly goneAt?: number | undefined;
  /** True once its entries in the secret store are removed. */
  readonly isTidied?: boolean;
  /** The number of replacements that were started. */
  readonly replacements?: number;
  /** When the current replacement began; milliseconds since 1970. */
  readonly replacingSince?: number | undefined;
  /** The window that replaces it. */
  readonly replacingWindow?: string | undefined;
  /** When the user lets it be replaced without asking; milliseconds since 1970. */
  readonly replaceAt?: number | undefined;
  /** The reason of the failure without host-specific parts; kept after the replacement. */
  readonly failure?: string;
  /** The marker of the rental that it replaces. */
  readonly replaces?: string;
  /** The real path of the workspace that it was rented for. */
  readonly workspace?: string;
  readonly search?: OfferSearch;
  readonly rentalType: RentalType;
  /** The most that a replacement may cost per hour. */
  readonly priceLimit: Micros;
  /**
   * The most that its own instance may cost per hour: the confirmed price, or the limit of a replacement. Removed
   * once the first price of the instance was compared with it.
   */
  readonly mostPerHour?: Micros | undefined;
  readonly phase:
    | { readonly kind: 'sent' }
    | { readonly kind: 'notKnown'; readonly since: number }
    | { readonly kind: 'notRented'; readonly at: number; readonly reason: Text }
    | { readonly kind: 'waiting'; readonly instanceId: number; readonly since: number }
    | { readonly kind: 'ready'; readonly instanceId: number; readonly at: number }
    | {
        readonly kind: 'failed';
        readonly instanceId: number;
        readonly at: number;
        readonly reason: FailureReason;
        /** Absent in records of older versions, which then may have had data. */
        readonly hadData?: boolean;
        /** The host's last status message. */
        readonly message?: string;
      }
    | { readonly kind: 'ended'; readonly instanceId?: number };
}

/** The connection of one window to the others; exactly one window leads. */
export interface WindowHub extends Disposable {
  /** Identifies this window to the others. */
  readonly windowId: string;
  /** The other windows connected to the leader; empty in the others. */
  readonly peers: ReadonlySet<string>;
  readonly onDidChangePeers: Event<ReadonlySet<string>>;
  readonly isLeader: boolean;
  readonly onDidChangeLeader: Event<boolean>;
  /** Sends to every other window; must never carry a secret. */
  broadcast(topic: string, data: unknown): void;
  /** Receives from the other windows, not from itself. */
  on(topic: string, listener: (data: unknown) => void): Disposable;
  /** Returns true in exactly one window for a key, forever; survives restarts. */
  claim(key: string): Promise<boolean>;
}
