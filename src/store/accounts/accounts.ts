import * as z from 'zod';
import { parseBaseUrl } from '../../api/baseUrl';
import type { Client } from '../../api/client';
import type { ClientHooks } from '../../api/serviceHttp';
import type { AccountRef, User } from '../../model/accounts/account';
import { channel } from '../../shared/channel';
import { NotSignedInError } from '../../shared/notSignedIn';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { Emitter, type Event } from '../../util/emitter';
import { inTurn } from '../../util/inTurn';
import { AccountClients, AccountOpener, type AccountsDeps } from './accountClients';
import { KeyNotRemovedError } from './accountErrors';
import {
  AccountFiles,
  accountKeyFor,
  nameAfterSignIn,
  nameOfUser,
  accountRefOf,
  type SavedAccount,
} from './accountFiles';
import { accountStill } from './sameAccount';
import type { SecondFactorGate } from './secondFactor';
import { SessionRenewal, type SessionAccess, type StartOptions } from './sessionRenewal';
import { Sessions, type Session } from './sessions';
import { SessionsInUse } from './sessionsInUse';
import { UserReads } from './userReads';

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
  /** It named the active account. */
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

export function createAccounts(
  deps: AccountsDeps,
): Accounts & OtherAccounts & AccountChanges & SessionAccess & Disposable {
  return new StoredAccounts(deps);
}

const changes = channel('accounts', z.object({}));
/** How long after a failed read from disk the accounts are read again (ms). */
const readAgainMs = 15_000;

class StoredAccounts implements Accounts, OtherAccounts, AccountChanges, SessionAccess, Disposable {
  private readonly files: AccountFiles;
  private readonly sessions: Sessions;
  private readonly owned = new DisposableStore();
  private readonly again = this.owned.add(new MutableDisposable<Disposable>());
  private readonly changed: Emitter<AccountsState>;
  private readonly renewal: SessionRenewal | undefined;
  private readonly clients: AccountClients;
  private readonly inUse: SessionsInUse;
  private readonly opener: AccountOpener;
  private current: AccountsState = { kind: 'loading' };
  /** A sign-out during a sign-in ends signed out. */
  private readonly serially = inTurn();
  private loaded: Promise<void> | undefined;
  private readonly users: UserReads;

  constructor(private readonly deps: AccountsDeps) {
    this.files = new AccountFiles(deps.storageDir, deps.log);
    this.sessions = new Sessions(deps.secrets);
    this.inUse = new SessionsInUse({
      kept: this.sessions,
      onSecret: (value) => deps.onSecret?.(value),
      // A question for a code of this account may no longer be needed.
      onChange: (accountKey) => this.renewal?.noteSession(accountKey),
    });
    this.renewal = deps.secondFactor && this.owned.add(this.makeRenewal(deps.secondFactor));
    this.clients = new AccountClients({
      ...deps,
      sessionOf: (accountKey) => this.inUse.get(accountKey),
      hooksOf: (ref) => this.hooksOf(ref),
    });
    this.opener = new AccountOpener(this.files, this.inUse, this.clients);
    this.changed = this.owned.add(
      new Emitter((error) => deps.log.error('A listener of the accounts failed', error)),
    );
    const reload = () => {
      if (this.loaded) {
        void this.reload();
      }
    };
    this.owned.add(changes.on(deps.hub, reload));
    this.users = this.owned.add(
      new UserReads({
        ...deps,
        files: this.files,
        active: () => this.active,
        isInSession: (accountKey) => this.inUse.get(accountKey)?.sessionKey !== undefined,
        show: (account) => this.become({ kind: 'signedIn', account }),
        serially: this.serially,
      }),
    );
    this.owned.add(
      this.sessions.onDidChange((key) => {
        if (key === this.refOfState()?.key) {
          reload();
        }
      }),
    );
  }

  get state(): AccountsState {
    return this.current;
  }

  get active(): Account | undefined {
    return this.current.kind === 'signedIn' ? this.current.account : undefined;
  }

  get onDidChange() {
    return this.changed.event;
  }

  get onDidRecover() {
    return this.deps.onDidRecover;
  }

  load(): Promise<void> {
    this.loaded = (this.current.kind === 'unreadable' ? undefined : this.loaded) ?? this.reload();
    return this.loaded;
  }

  async known(): Promise<readonly AccountRef[]> {
    return (await this.files.list()).map(({ ref }) => ref);
  }

  damaged(): Promise<DamagedAccountFiles> {
    return this.files.damaged();
  }

  async signIn(
    input: { readonly serviceUrl: string; readonly apiKey: string; readonly isDemo?: boolean },
    signal?: AbortSignal,
  ): Promise<Account> {
    const serviceUrl = parseBaseUrl(input.serviceUrl).href.replace(/(?<!\/)\/+$/, '');
    const session: Session = { apiKey: input.apiKey };
    const isDemo = input.isDemo ?? false;
    const user = await this.clients.userOf({ serviceUrl, isDemo }, input.apiKey, signal);
    const key = accountKeyFor(serviceUrl, user.id, isDemo);
    return this.serially(async () => {
      const name = nameAfterSignIn(await this.files.get(key), user);
      const ref: AccountRef = { key, serviceUrl, userId: user.id, name, isDemo };
      this.inUse.use(ref.key, session);
      await this.files.put({ ref, user });
      const isKept = await this.inUse.keep(ref.key, session);
      if (!isKept) {
        this.deps.log.warn('The editor did not keep the API key; it works until this window closes');
      }
      await this.files.setActiveKey(ref.key);
      const account = this.opener.make({ ref, user }, isKept);
      this.become({ kind: 'signedIn', account });
      changes.send(this.deps.hub, {});
      this.loaded ??= Promise.resolve();
      return account;
    });
  }

  async replaceKey(accountKey: string, apiKey: string, signal?: AbortSignal): Promise<KeyReplacement> {
    const { ref } = await this.opener.saved(accountKey);
    const user = await this.clients.userOf(ref, apiKey, signal);
    if (user.id !== ref.userId) {
      return { kind: 'otherUser', name: nameOfUser(user) };
    }
    return this.serially(async () => {
      // A user who signed out during the wait stays signed out.
      const saved: SavedAccount = { ref: (await this.opener.saved(accountKey)).ref, user };
      const session: Session = { apiKey };
      this.inUse.use(accountKey, session);
      await this.files.put(saved);
      const isKept = await this.inUse.keep(accountKey, session);
      const account = this.opener.make(saved, isKept);
      if (this.refOfState()?.key === accountKey) {
        this.become({ kind: 'signedIn', account });
      }
      changes.send(this.deps.hub, {});
      return { kind: 'replaced', account };
    });
  }

  async rename(accountKey: string, name: string): Promise<void> {
    await this.serially(async () => {
      const { ref, user } = await this.opener.saved(accountKey);
      const plain = name.trim();
      await this.files.put({ ref: { ...ref, name: plain === '' ? nameOfUser(user) : plain }, user });
      await this.readState();
      changes.send(this.deps.hub, {});
    });
  }

  async switchTo(accountKey: string): Promise<void> {
    await this.serially(async () => {
      const saved = await this.opener.saved(accountKey);
      await this.files.setActiveKey(accountKey);
      this.become(await this.opener.open(saved));
      changes.send(this.deps.hub, {});
    });
  }

  async signOut(accountKey: string): Promise<void> {
    await this.serially(async () => {
      // Remove the files first, so that windows that are notified of the removed key find the account gone.
      await this.files.remove(accountKey);
      this.inUse.forget(accountKey);
      const isRemoved = await this.sessions.remove(accountKey);
      if ((await this.files.activeKey()) === accountKey) {
        const next = (await this.files.list()).find(({ ref }) => !ref.isDemo);
        await this.files.setActiveKey(next?.ref.key);
      }
      await this.readState();
      changes.send(this.deps.hub, {});
      if (!isRemoved) {
        throw new KeyNotRemovedError();
      }
    });
  }

  others(): Promise<readonly Account[]> {
    return this.opener.openOthers(this.refOfState()?.key);
  }

  refreshUser(): Promise<User> {
    return this.users.read();
  }

  session(accountKey: string): Session | undefined {
    return this.inUse.get(accountKey);
  }

  async updateSession(accountKey: string, change: Omit<Session, 'apiKey'>): Promise<void> {
    const before = this.inUse.get(accountKey);
    if (!before) {
      throw new NotSignedInError();
    }
    const session: Session = { apiKey: before.apiKey, ...change };
    // Use the session at once, because a slow key ring must not delay the user.
    this.inUse.use(accountKey, session);
    await this.serially(async () => {
      if (this.inUse.get(accountKey) === session) {
        await this.inUse.keep(accountKey, session);
        changes.send(this.deps.hub, {});
      }
    });
  }

  async enterSecondFactor(options: StartOptions = {}): Promise<boolean> {
    const account = this.active;
    if (!account) {
      throw new NotSignedInError();
    }
    return (await this.renewal?.start(accountRefOf(account), options)) ?? false;
  }

  dispose(): void {
    this.owned.dispose();
  }

  /** Reads the accounts, and again later if the disk refuses. A known state is kept until then. Never rejects. */
  private reload(): Promise<void> {
    return this.serially(async () => {
      try {
        await this.readState();
        this.again.value = undefined;
      } catch (error) {
        const { clock, log } = this.deps;
        // Once, however often it is read again.
        if (this.again.value === undefined) {
          log.error('The accounts could not be read', error);
        }
        if (this.current.kind === 'loading' || this.current.kind === 'unreadable') {
          this.become({ kind: 'unreadable', account: this.refOfState(), error });
        }
        this.again.value = clock.schedule(() => void this.reload(), readAgainMs);
      }
    });
  }

  private async readState(): Promise<void> {
    const key = await this.files.activeKey();
    // Read the accounts once for both uses, so that an account removed in between leaves no session behind.
    const known = await this.files.list();
    this.inUse.keepOnly(new Set(known.map(({ ref }) => ref.key)));
    const saved = known.find(({ ref }) => ref.key === key);
    this.become(saved ? await this.opener.open(saved) : { kind: 'signedOut' });
  }

  private hooksOf(ref: AccountRef): ClientHooks {
    const { renewal } = this;
    return {
      ...this.deps.hooksOf?.(ref.key),
      // Without a gate for codes, a refused key stays refused.
      recover: renewal && ((refused) => renewal.recover(ref, refused)),
      // A request for one account is neither sent without the user's knowledge nor counted toward another.
      beforeWrite: () => void accountStill(this, ref.key),
    };
  }

  private makeRenewal(gate: SecondFactorGate): SessionRenewal {
    const { hub, clock, log } = this.deps;
    return new SessionRenewal({
      gate,
      hub,
      clock,
      log,
      clientWith: (ref, bearer) => this.clients.withKey(ref, bearer),
      sessionOf: (accountKey) => this.inUse.get(accountKey),
      save: (accountKey, change) => {
        this.updateSession(accountKey, change).catch((error: unknown) => {
          log.error('The session could not be kept', error);
        });
      },
      active: () => this.active && accountRefOf(this.active),
    });
  }

  private refOfState(): AccountRef | undefined {
    return this.current.kind === 'signedIn' || this.current.kind === 'unreadable'
      ? this.current.account
      : undefined;
  }

  private become(state: AccountsState): void {
    this.current = state;
    this.renewal?.noteActive();
    this.changed.fire(state);
  }
}
