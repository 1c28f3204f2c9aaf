import type { Client } from '../../api/client';
import type { ForbiddenError } from '../../api/errors';
import type { Pacing } from '../../api/pacing';
import type { AccountRef, User } from '../../model/accounts/account';
import type { Clock } from '../../util/clock';
import { NotSignedInError } from '../../shared/notSignedIn';
import type { ClientFactory } from './clientFactory';
import type { SessionRenewal } from './sessionRenewal';
import { bearerOf, type Session } from './sessions';

export interface AccountClientsDeps {
  readonly createClient: ClientFactory;
  readonly clock: Clock;
  readonly sessionOf: (accountKey: string) => Session | undefined;
  /** Recovers refused keys. Without it, a refused key stays refused. */
  readonly renewal: Pick<SessionRenewal, 'recover'> | undefined;
  readonly onSecret?: (value: string) => void;
  readonly onForbidden?: (accountKey: string, error: ForbiddenError) => void;
  /** Runs before each read; throws if the key is known to lack the permission. */
  readonly beforeRead?: (accountKey: string, route: string) => void;
  /**
   * Runs right before each write that the user requested. Throws unless the account is active: a request for one
   * account is neither sent without the user's knowledge nor counted toward another.
   */
  readonly beforeWrite: (accountKey: string) => void;
  /** The shared pace of an account. Without it, each client keeps its own. */
  readonly pacing?: { of(accountKey: string): Pacing };
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
    const { createClient, clock, sessionOf, renewal, onForbidden, beforeRead, beforeWrite, pacing } =
      this.deps;
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
      recover: renewal && ((refused) => renewal.recover(ref, refused)),
      pacing: pacing?.of(ref.key),
      onForbidden: (error) => {
        onForbidden?.(ref.key, error);
      },
      beforeRead: (route) => {
        beforeRead?.(ref.key, route);
      },
      beforeWrite: () => beforeWrite(ref.key),
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
