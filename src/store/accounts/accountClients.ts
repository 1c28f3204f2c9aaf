import type { Client } from '../../api/client';
import type { ClientHooks } from '../../api/serviceHttp';
import type { AccountRef, User } from '../../model/accounts/account';
import { NotSignedInError } from '../../shared/notSignedIn';
import type { Clock } from '../../util/clock';
import type { Event } from '../../util/emitter';
import type { Log } from '../../util/log';
import type { WindowHub } from '../windows/windowHub';
import { keyError } from './accountErrors';
import type { AccountFiles, SavedAccount } from './accountFiles';
import type { Account, AccountsState } from './accounts';
import type { SecretPort } from './patientSecrets';
import type { SecondFactorGate } from './secondFactor';
import { bearerOf, type Session } from './sessions';
import type { SessionsInUse } from './sessionsInUse';

export interface AccountClientsDeps {
  readonly createClient: ClientFactory;
  readonly clock: Clock;
  readonly sessionOf: (accountKey: string) => Session | undefined;
  readonly onSecret?: (value: string) => void;
  readonly hooksOf: (ref: AccountRef) => ClientHooks;
}

/** Creates clients for accounts, with the session in use, and for keys whose account is not known yet. */
export class AccountClients {
  /** Clients by account and address; each has learned the pace of its service and holds connections. */
  private readonly made = new Map<string, Client>();

  constructor(private readonly deps: AccountClientsDeps) {}

  of(ref: AccountRef): Client {
    const id = `${ref.key} ${ref.serviceUrl}`;
    const client = this.made.get(id) ?? this.make(ref);
    this.made.set(id, client);
    return client;
  }

  private make(ref: AccountRef): Client {
    const { createClient, clock, sessionOf, hooksOf } = this.deps;
    return createClient({
      accountKey: ref.key,
      serviceUrl: ref.serviceUrl,
      isDemo: ref.isDemo,
      bearer: () => {
        const session = sessionOf(ref.key);
        return session
          ? Promise.resolve(bearerOf(session, clock.now()))
          : Promise.reject(new NotSignedInError());
      },
      hooks: hooksOf(ref),
    });
  }

  /** Returns the user that a key belongs to; stores nothing. */
  async userOf(
    { serviceUrl, isDemo }: Pick<AccountRef, 'serviceUrl' | 'isDemo'>,
    apiKey: string,
    signal: AbortSignal | undefined,
  ): Promise<User> {
    this.deps.onSecret?.(apiKey);
    const user = await this.withKey({ serviceUrl, isDemo }, apiKey).users.current({ signal });
    signal?.throwIfAborted();
    return user;
  }

  /** Returns a client that sends the API key alone, even while a session exists. */
  withKey({ serviceUrl, isDemo }: Pick<AccountRef, 'serviceUrl' | 'isDemo'>, apiKey: string): Client {
    return this.deps.createClient({ serviceUrl, isDemo, bearer: () => Promise.resolve(apiKey) });
  }
}

/** Builds accounts that can send requests from the disk and the key ring. */
export class AccountOpener {
  constructor(
    private readonly files: AccountFiles,
    private readonly inUse: SessionsInUse,
    private readonly clients: AccountClients,
  ) {}

  /** Returns the stored record of an account; throws when it was signed out. */
  async saved(accountKey: string): Promise<SavedAccount> {
    const saved = await this.files.get(accountKey);
    if (!saved) {
      throw new NotSignedInError();
    }
    return saved;
  }

  make({ ref, user }: SavedAccount, isKept: boolean): Account {
    return { ...ref, client: this.clients.of(ref), user, isKept };
  }

  async open(saved: SavedAccount): Promise<AccountsState> {
    const { key } = saved.ref;
    const { isKept, content } = await this.inUse.read(key);
    // A key ring that locks itself or loses a write must not sign out a user who is working.
    if (content.kind === 'present' || this.inUse.get(key)) {
      return { kind: 'signedIn', account: this.make(saved, isKept) };
    }
    return { kind: 'unreadable', account: saved.ref, error: keyError(content) };
  }

  /** Opens all accounts except one; skips those whose keys can't be read. */
  async openOthers(than: string | undefined): Promise<readonly Account[]> {
    const known = await this.files.list();
    const accounts = await Promise.all(
      known
        .filter(({ ref }) => ref.key !== than)
        .map(async (saved) => {
          const { isKept, content } = await this.inUse.read(saved.ref.key);
          return content.kind === 'present' ? [this.make(saved, isKept)] : [];
        }),
    );
    return accounts.flat();
  }
}

/** Creates the client of an account. `bearer` runs before each request, and its result is sent to `serviceUrl` only. */
export type ClientFactory = (input: {
  readonly serviceUrl: string;
  readonly isDemo: boolean;
  /** Absent while we find out which account a key belongs to. */
  readonly accountKey?: string;
  readonly bearer: () => Promise<string>;
  readonly hooks?: ClientHooks;
}) => Client;

/** The services and callbacks of `Accounts`. */
export interface AccountsDeps {
  readonly createClient: ClientFactory;
  readonly secrets: SecretPort;
  readonly storageDir: string;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
  /** Receives each key before it is used, so that no log shows it. */
  readonly onSecret?: (value: string) => void;
  /** Asks for codes. Without it, a refused key stays refused. */
  readonly secondFactor?: SecondFactorGate;
  /** The hooks of the clients of an account; `Accounts` adds its own. */
  readonly hooksOf?: (accountKey: string) => ClientHooks;
  /** Fires with the key of an account whose service answers again. */
  readonly onDidRecover?: Event<string>;
}
