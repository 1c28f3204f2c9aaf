import { parseBaseUrl } from '../../api/baseUrl';
import type { ForbiddenError } from '../../api/errors';
import type { AccountRef, User } from '../../model/accounts/account';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import { keyError, KeyNotRemovedError, NotSignedInError } from './accountErrors';
import { AccountFiles, accountKeyFor, nameAfterSignIn, nameOf, type SavedAccount } from './accountFiles';
import type {
  Account,
  AccountChanges,
  Accounts,
  AccountsState,
  KeyReplacement,
  SecretPort,
  WindowHub,
} from '../ports';
import type { ClientFactory } from './clientFactory';
import type { SecondFactorGate } from './secondFactor';
import { SessionRenewal, type StartOptions } from './sessionRenewal';
import { bearerOf, isSameSession, Sessions, type Session } from './sessions';

export { NotSignedInError } from './accountErrors';

export interface AccountsDeps {
  readonly createClient: ClientFactory;
  readonly secrets: SecretPort;
  readonly storageDir: string;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
  /** Told each key before it is used, so that no log can hold it. */
  readonly onSecret?: (value: string) => void;
  /** Asks for codes; without it a refused key stays refused. */
  readonly secondFactor?: SecondFactorGate;
  /** Told each call that a valid key was not allowed to make. */
  readonly onForbidden?: (accountKey: string, error: ForbiddenError) => void;
}

export function createAccounts(deps: AccountsDeps): Accounts & AccountChanges & SessionAccess & Disposable {
  return new StoredAccounts(deps);
}

/** For the second factor: the session key lives beside the key. */
export interface SessionAccess {
  session(accountKey: string): Session | undefined;
  updateSession(accountKey: string, change: Omit<Session, 'apiKey'>): Promise<void>;
  /** Asks the person for the second factor of the active account; false when the key itself is refused. */
  enterSecondFactor(options?: StartOptions): Promise<boolean>;
}

const topic = 'accounts';
const userTopic = 'accounts.user';

class StoredAccounts implements Accounts, AccountChanges, SessionAccess, Disposable {
  private readonly files: AccountFiles;
  private readonly sessions: Sessions;
  private readonly owned = new DisposableStore();
  private readonly changed: Emitter<AccountsState>;
  private readonly renewal: SessionRenewal | undefined;
  private readonly inUse = new Map<string, Session>();
  /** What the key ring holds instead of a session that it did not take; unknown until it is read next. */
  private readonly outdated = new Map<string, Session | 'unknown'>();
  private current: AccountsState = { kind: 'loading' };
  private queue: Promise<unknown> = Promise.resolve();
  private loaded: Promise<void> | undefined;
  private userRead: Promise<User> | undefined;

  constructor(private readonly deps: AccountsDeps) {
    this.files = new AccountFiles(deps.storageDir, deps.log);
    this.sessions = new Sessions(deps.secrets);
    this.renewal = deps.secondFactor && this.owned.add(this.makeRenewal(deps.secondFactor));
    this.changed = this.owned.add(
      new Emitter((error) => {
        deps.log.error('A listener of the accounts failed', error);
      }),
    );
    const reload = () => {
      if (this.loaded) {
        void this.reload().catch((error: unknown) => {
          deps.log.error('The accounts could not be read again', error);
        });
      }
    };
    this.owned.add(deps.hub.on(topic, reload));
    this.owned.add(
      deps.hub.on(userTopic, () => {
        void this.takeUserFromDisk();
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

  load(): Promise<void> {
    this.loaded ??= this.reload();
    return this.loaded;
  }

  async known(): Promise<readonly AccountRef[]> {
    return (await this.files.list()).map(({ ref }) => ref);
  }

  async signIn(
    input: { readonly serviceUrl: string; readonly apiKey: string; readonly isDemo?: boolean },
    signal?: AbortSignal,
  ): Promise<Account> {
    const serviceUrl = parseBaseUrl(input.serviceUrl).href.replace(/\/+$/, '');
    const session: Session = { apiKey: input.apiKey };
    const isDemo = input.isDemo ?? false;
    const user = await this.userOf({ serviceUrl, isDemo }, input.apiKey, signal);
    const key = accountKeyFor(serviceUrl, user.id, isDemo);
    return this.serially(async () => {
      const name = nameAfterSignIn(await this.files.get(key), user);
      const ref: AccountRef = { key, serviceUrl, userId: user.id, name, isDemo };
      this.remember(ref.key, session);
      await this.files.put({ ref, user });
      const isKept = await this.keep(ref.key, session);
      if (!isKept) {
        this.deps.log.warn('The editor did not keep the API key; it works until this window closes');
      }
      await this.files.setActiveKey(ref.key);
      const account = this.makeAccount({ ref, user }, isKept);
      this.become({ kind: 'signedIn', account });
      this.deps.hub.broadcast(topic, {});
      this.loaded ??= Promise.resolve();
      return account;
    });
  }

  async replaceKey(accountKey: string, apiKey: string, signal?: AbortSignal): Promise<KeyReplacement> {
    const { ref } = await this.saved(accountKey);
    const user = await this.userOf(ref, apiKey, signal);
    if (user.id !== ref.userId) {
      return { kind: 'otherUser', name: nameOf(user) };
    }
    return this.serially(async () => {
      // Who signed out meanwhile stays signed out.
      const saved: SavedAccount = { ref: (await this.saved(accountKey)).ref, user };
      const session: Session = { apiKey };
      this.remember(accountKey, session);
      await this.files.put(saved);
      const isKept = await this.keep(accountKey, session);
      const active = this.activeIf(accountKey);
      // The client stays: it has learnt the pace of the service.
      const account = active ? { ...active, user, isKept } : this.makeAccount(saved, isKept);
      if (this.refOfState()?.key === accountKey) {
        this.become({ kind: 'signedIn', account });
      }
      this.deps.hub.broadcast(topic, {});
      return { kind: 'replaced', account };
    });
  }

  async rename(accountKey: string, name: string): Promise<void> {
    await this.serially(async () => {
      const { ref, user } = await this.saved(accountKey);
      const plain = name.trim();
      await this.files.put({ ref: { ...ref, name: plain === '' ? nameOf(user) : plain }, user });
      await this.readState();
      this.deps.hub.broadcast(topic, {});
    });
  }

  async switchTo(accountKey: string): Promise<void> {
    await this.serially(async () => {
      const saved = await this.saved(accountKey);
      await this.files.setActiveKey(accountKey);
      this.become(await this.open(saved));
      this.deps.hub.broadcast(topic, {});
    });
  }

  async signOut(accountKey: string): Promise<void> {
    await this.serially(async () => {
      // First, so that windows which hear of the removed key find that the account is gone.
      await this.files.remove(accountKey);
      this.forget(accountKey);
      const isRemoved = await this.sessions.remove(accountKey);
      if ((await this.files.activeKey()) === accountKey) {
        const next = (await this.files.list()).find(({ ref }) => !ref.isDemo);
        await this.files.setActiveKey(next?.ref.key);
      }
      await this.readState();
      this.deps.hub.broadcast(topic, {});
      if (!isRemoved) {
        throw new KeyNotRemovedError();
      }
    });
  }

  refreshUser(signal?: AbortSignal): Promise<User> {
    this.userRead ??= this.readUser(signal).finally(() => {
      this.userRead = undefined;
    });
    return this.userRead;
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
    // In use at once: a key ring that takes its time keeps nobody waiting.
    this.remember(accountKey, session);
    await this.serially(async () => {
      if (this.inUse.get(accountKey) === session) {
        await this.keep(accountKey, session);
        this.deps.hub.broadcast(topic, {});
      }
    });
  }

  async enterSecondFactor(options: StartOptions = {}): Promise<boolean> {
    const account = this.active;
    if (!account) {
      throw new NotSignedInError();
    }
    return (await this.renewal?.start(refOf(account), options)) ?? false;
  }

  dispose(): void {
    this.owned.dispose();
  }

  private async readUser(signal: AbortSignal | undefined): Promise<User> {
    const account = this.active;
    if (!account) {
      throw new NotSignedInError();
    }
    const user = await account.client.users.current(signal ? { signal } : {});
    const active = this.activeIf(account.key);
    if (active) {
      const next: Account = { ...active, user };
      this.become({ kind: 'signedIn', account: next });
      // Nobody waits for the disk; the others read it once it is there.
      void this.serially(async () => {
        if (this.activeIf(account.key)) {
          await this.files.put({ ref: refOf(next), user });
          this.deps.hub.broadcast(userTopic, {});
        }
      }).catch((error: unknown) => {
        this.deps.log.error('The account could not be written down', error);
      });
    }
    return user;
  }

  private async takeUserFromDisk(): Promise<void> {
    const key = this.active?.key;
    const saved = key === undefined ? undefined : await this.files.get(key).catch(() => undefined);
    const active = saved && this.activeIf(saved.ref.key);
    if (active) {
      this.become({ kind: 'signedIn', account: { ...active, user: saved.user } });
    }
  }

  private reload(): Promise<void> {
    return this.serially(() => this.readState());
  }

  /** Who signed out in another window must not go on here with what was read before. */
  private async forgetRemoved(): Promise<void> {
    const known = new Set((await this.files.list()).map(({ ref }) => ref.key));
    for (const key of this.inUse.keys()) {
      if (!known.has(key)) {
        this.forget(key);
      }
    }
  }

  /** Whoever asks for a code of this account stops, too. */
  private forget(accountKey: string): void {
    this.inUse.delete(accountKey);
    this.outdated.delete(accountKey);
    this.renewal?.noteSession(accountKey);
  }

  /** False where the key ring does not hold it; what it holds instead must not come back then. */
  private async keep(accountKey: string, session: Session): Promise<boolean> {
    const held = await this.sessions.write(accountKey, session);
    const isKept = held.kind === 'present' && isSameSession(held.session, session);
    if (isKept) {
      this.outdated.delete(accountKey);
    } else {
      this.outdated.set(accountKey, held.kind === 'present' ? held.session : 'unknown');
    }
    return isKept;
  }

  private async readState(): Promise<void> {
    await this.forgetRemoved();
    const key = await this.files.activeKey();
    const saved = key === undefined ? undefined : await this.files.get(key);
    const next: AccountsState = saved ? await this.open(saved) : { kind: 'signedOut' };
    const active = this.active;
    const isSame =
      next.kind === 'signedIn' &&
      active?.key === next.account.key &&
      active.serviceUrl === next.account.serviceUrl &&
      active.isKept === next.account.isKept;
    // The client stays: it has learnt the pace of the service.
    this.become(
      isSame
        ? { kind: 'signedIn', account: { ...active, name: next.account.name, user: next.account.user } }
        : next,
    );
  }

  private async open(saved: SavedAccount): Promise<AccountsState> {
    const { key } = saved.ref;
    const content = await this.sessions.read(key);
    if (content.kind === 'present' && !this.isOutdated(key, content.session)) {
      this.remember(key, content.session);
      return { kind: 'signedIn', account: this.makeAccount(saved, true) };
    }
    // A key ring that locks itself, or that lost a write, does not sign anybody out who is working.
    if (content.kind === 'present' || this.inUse.has(key)) {
      return { kind: 'signedIn', account: this.makeAccount(saved, false) };
    }
    return { kind: 'unreadable', account: saved.ref, error: keyError(content) };
  }

  /** True where the session in use is newer, because the key ring did not take it. */
  private isOutdated(accountKey: string, held: Session): boolean {
    const outdated = this.outdated.get(accountKey);
    const inUse = this.inUse.get(accountKey);
    if (outdated === undefined || !inUse || isSameSession(held, inUse)) {
      this.outdated.delete(accountKey);
      return false;
    }
    if (outdated === 'unknown' || isSameSession(held, outdated)) {
      this.outdated.set(accountKey, held);
      return true;
    }
    this.outdated.delete(accountKey);
    return false;
  }

  private remember(accountKey: string, session: Session): void {
    this.deps.onSecret?.(session.apiKey);
    if (session.sessionKey !== undefined) {
      this.deps.onSecret?.(session.sessionKey);
    }
    this.inUse.set(accountKey, session);
    this.renewal?.noteSession(accountKey);
  }

  private makeRenewal(gate: SecondFactorGate): SessionRenewal {
    const { hub, clock, log, createClient } = this.deps;
    return new SessionRenewal({
      gate,
      hub,
      clock,
      log,
      keyClient: ({ serviceUrl, isDemo }, { apiKey }) =>
        createClient({ serviceUrl, isDemo, bearer: () => Promise.resolve(apiKey) }),
      sessionOf: (accountKey) => this.inUse.get(accountKey),
      save: (accountKey, change) => {
        this.updateSession(accountKey, change).catch((error: unknown) => {
          log.error('The session could not be kept', error);
        });
      },
      active: () => this.active && refOf(this.active),
    });
  }

  private makeAccount({ ref, user }: SavedAccount, isKept: boolean): Account {
    const client = this.deps.createClient({
      serviceUrl: ref.serviceUrl,
      isDemo: ref.isDemo,
      bearer: () => {
        const session = this.inUse.get(ref.key);
        return session
          ? Promise.resolve(bearerOf(session, this.deps.clock.now()))
          : Promise.reject(new NotSignedInError());
      },
      ...(this.renewal
        ? { recover: (refused) => this.renewal?.recover(ref, refused) ?? Promise.resolve(false) }
        : {}),
      onForbidden: (error) => {
        this.deps.onForbidden?.(ref.key, error);
      },
    });
    return { ...ref, client, user, isKept };
  }

  private async saved(accountKey: string): Promise<SavedAccount> {
    const saved = await this.files.get(accountKey);
    if (!saved) {
      throw new NotSignedInError();
    }
    return saved;
  }

  /** Whose key it is; nothing is kept. */
  private async userOf(
    { serviceUrl, isDemo }: Pick<AccountRef, 'serviceUrl' | 'isDemo'>,
    apiKey: string,
    signal: AbortSignal | undefined,
  ): Promise<User> {
    this.deps.onSecret?.(apiKey);
    const client = this.deps.createClient({ serviceUrl, isDemo, bearer: () => Promise.resolve(apiKey) });
    const user = await client.users.current(signal ? { signal } : {});
    signal?.throwIfAborted();
    return user;
  }

  private refOfState(): AccountRef | undefined {
    return this.current.kind === 'signedIn' || this.current.kind === 'unreadable'
      ? this.current.account
      : undefined;
  }

  /** Who is signed in after a wait, where that is still the same account. */
  private activeIf(key: string): Account | undefined {
    return this.active?.key === key ? this.active : undefined;
  }

  private become(state: AccountsState): void {
    this.current = state;
    this.changed.fire(state);
  }

  /** Changes follow one another, so that a sign-out during a sign-in ends signed out. */
  private serially<T>(action: () => Promise<T>): Promise<T> {
    const result = this.queue.then(action);
    this.queue = result.catch(() => undefined);
    return result;
  }
}

function refOf({ key, serviceUrl, userId, name, isDemo }: AccountRef): AccountRef {
  return { key, serviceUrl, userId, name, isDemo };
}
