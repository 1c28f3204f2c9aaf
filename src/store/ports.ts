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

/** `vscode.SecretStorage`, as far as the session store needs it. */
export interface SecretPort {
  get(key: string): Promise<string | undefined>;
  store(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
  onDidChange(listener: (key: string) => void): Disposable;
}

/** An account that is signed in here, with the client that speaks for it. */
export interface Account extends AccountRef {
  readonly client: Client;
  /** As last read; refreshed with the fleet every 5 minutes at most, and by hand. */
  readonly user: User;
  /** False where the editor could not keep the key: it works until this window closes. */
  readonly isKept: boolean;
}

export type AccountsState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'signedOut' }
  /** A key was saved but cannot be read now (locked key ring, lost by the editor). */
  | { readonly kind: 'unreadable'; readonly account: AccountRef | undefined; readonly error: unknown }
  | { readonly kind: 'signedIn'; readonly account: Account };

/** What became of another key for an account. */
export type KeyReplacement =
  | { readonly kind: 'replaced'; readonly account: Account }
  /** The key works, but belongs to somebody else; nothing was changed. */
  | { readonly kind: 'otherUser'; readonly name: string };

/** Who is signed in, the same in all windows. */
export interface Accounts {
  readonly state: AccountsState;
  readonly active: Account | undefined;
  readonly onDidChange: Event<AccountsState>;
  /** The service of the account with this key works again after reads had failed in some window. */
  readonly onDidRecover?: Event<string> | undefined;
  /** Reads what is stored when the product is first needed, and again where the key could not be read. */
  load(): Promise<void>;
  known(): Promise<readonly AccountRef[]>;
  /** Checks the key with users/current, stores it, reads it back, makes it active in all windows. */
  signIn(
    input: { readonly serviceUrl: string; readonly apiKey: string; readonly isDemo?: boolean },
    signal?: AbortSignal,
  ): Promise<Account>;
  switchTo(accountKey: string): Promise<void>;
  signOut(accountKey: string): Promise<void>;
  /** Reads anew, after what is under way: what was changed before the call is in the result. */
  refreshUser(): Promise<User>;
}

/** Accounts that are signed in beside the active one, as far as their keys can be read. */
export interface OtherAccounts {
  others(): Promise<readonly Account[]>;
}

/** Changes of an account that is signed in, for all windows. */
export interface AccountChanges {
  /** Checks another key with users/current and uses it where it is of the same user. */
  replaceKey(accountKey: string, apiKey: string, signal?: AbortSignal): Promise<KeyReplacement>;
  /** What the account is called on this computer; empty for the name that the service gives. */
  rename(accountKey: string, name: string): Promise<void>;
}

export interface FleetSnapshot {
  readonly instances: readonly Instance[];
  /** The service counted more than it sent. */
  readonly missing?: number;
  readonly skipped: number;
  /** Instances that the last list lacks; they stay among the others until they are proved to have ended. */
  readonly unconfirmed?: readonly number[];
}

/** The instances of the active account: one poller and one cache for all windows. */
export interface Fleet {
  readonly state: Loaded<FleetSnapshot>;
  readonly onDidChange: Event<Loaded<FleetSnapshot>>;
  find(instanceId: number): Instance | undefined;
  /** Whether readings agree that it is gone; one list without it is a hint. */
  hasEnded(instanceId: number): boolean;
  /** What is known beside the record: our last request, and whether it ever ran. */
  facts(instanceId: number): InstanceFacts;
  /** Tells all windows what is or was asked of an instance, now unless it brings its time along. */
  note(instanceId: number, request: Omit<OwnRequest, 'at'> & { readonly at?: number }): void;
  /** Takes a note back, for a request that was refused or given up. */
  forget(instanceId: number): void;
  /** Asks the polling window for a fresh list now; shared by whoever asks meanwhile. */
  refresh(): Promise<void>;
  /** What this window looks at; decides how often the list is asked for. */
  setInterest(interest: { readonly viewVisible: boolean; readonly windowFocused: boolean }): void;
}

export type TemplateList = Reading<readonly Template[]>;
export type SshKeyList = Reading<readonly SshKey[]>;
export type VolumeList = Reading<readonly Volume[]>;

/** A rental from before the request leaves until its machine is ready or given up; survives restarts. */
export interface Rental {
  /** Eight lower-case hexadecimal digits; in the label as ` [gr-xxxxxxxx]`. */
  readonly marker: string;
  readonly accountKey: string;
  /** The window that sent it; while that one lives, it alone finds out what happened. */
  readonly windowId: string;
  /** Milliseconds since 1970. */
  readonly requestedAt: number;
  readonly offer: Offer;
  /** Without secrets: values of environment variables are empty, script and login are left out. */
  readonly config: RentConfig;
  /** The instances there were before, where that is known. */
  readonly idsBefore?: readonly number[];
  /** When its instance was proved to be gone. */
  readonly goneAt?: number | undefined;
  /** What it kept in the secret store is removed. */
  readonly isTidied?: boolean;
  /** How many replacements of it were begun. */
  readonly replacements?: number;
  /** When the replacement began that is under way; milliseconds since 1970. */
  readonly replacingSince?: number | undefined;
  /** The window that replaces it. */
  readonly replacingWindow?: string | undefined;
  /** When it is replaced without asking, as the user set it; milliseconds since 1970. */
  readonly replaceAt?: number | undefined;
  /** What it failed with, without what differs from host to host; kept once it is replaced. */
  readonly failure?: string;
  /** The marker of the rental that it took the place of. */
  readonly replaces?: string;
  readonly search?: OfferSearch;
  readonly rentalType: RentalType;
  /** A replacement never costs more than this an hour. */
  readonly priceLimit: Micros;
  /**
   * What its own instance may cost an hour: the price that was confirmed, or the limit of a replacement. Gone once the
   * first price of the instance was held against it.
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
        /** Absent in what an older version wrote; then it may have data. */
        readonly hadData?: boolean;
        /** The host's last words. */
        readonly message?: string;
      }
    | { readonly kind: 'ended'; readonly instanceId?: number };
}

/** One window's part in the talk between windows; exactly one window leads. */
export interface WindowHub extends Disposable {
  /** Names this window to the others. */
  readonly windowId: string;
  /** The other windows that the leader hears; empty in the others. */
  readonly peers: ReadonlySet<string>;
  readonly onDidChangePeers: Event<ReadonlySet<string>>;
  readonly isLeader: boolean;
  readonly onDidChangeLeader: Event<boolean>;
  /** Sends to every other window. Never carries a secret. */
  broadcast(topic: string, data: unknown): void;
  /** Hears the other windows, not itself. */
  on(topic: string, listener: (data: unknown) => void): Disposable;
  /** True in exactly one window for a key, for ever; survives restarts. */
  claim(key: string): Promise<boolean>;
}
