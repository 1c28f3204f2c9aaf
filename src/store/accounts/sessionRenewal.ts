import { UnauthorizedError } from '../../api/errors';
import type { Client } from '../../api/client';
import type { AccountRef } from '../../model/accounts/account';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { CancelledError } from '../../util/errors';
import type { Log } from '../../util/log';
import { NotSignedInError } from './accountErrors';
import type { WindowHub } from '../ports';
import { SecondFactorNeededError, type SecondFactorGate } from './secondFactor';
import { bearerOf, type Session } from './sessions';

interface RenewalDeps {
  readonly gate: SecondFactorGate;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
  /** A client for this account that speaks with the key alone. */
  keyClient(ref: AccountRef, session: Session): Client;
  sessionOf(accountKey: string): Session | undefined;
  /** Replaces the session, here at once and then in the other windows. */
  save(accountKey: string, change: Omit<Session, 'apiKey'>): void;
  /** The account that this window works with. */
  active(): AccountRef | undefined;
}

export interface StartOptions {
  /** Of administrators: a session with their rights. */
  readonly admin?: boolean;
}

interface RenewalOptions extends StartOptions {
  /** The other windows hear of it, for one of them may be the one in use. */
  readonly shouldTell?: boolean;
}

const neededTopic = 'secondFactor.needed';

/**
 * Gets a session for an account whose key alone is refused: one question for all calls and all windows
 * that wait, after which they go on by themselves. A key that works alone is never asked.
 */
export class SessionRenewal implements Disposable {
  private readonly running = new Map<string, Promise<boolean>>();
  private readonly arrived = new Emitter<string>();
  /** The newest session key of each account. */
  private readonly known = new Map<string, string | undefined>();
  private readonly owned = new DisposableStore();

  constructor(private readonly deps: RenewalDeps) {
    // The window that polls may be one that nobody looks at; the one in use asks for it.
    this.owned.add(
      deps.hub.on(neededTopic, (data) => {
        const ref = deps.active();
        if (ref && typeof data === 'object' && data !== null && 'accountKey' in data) {
          if (data.accountKey === ref.key) {
            this.renewal(ref).catch((error: unknown) => {
              deps.log.info(`The second factor was not entered: ${String(error)}`);
            });
          }
        }
      }),
    );
  }

  /** True when the refused call has a chance with the bearer of now. Throws when a code was declined or the account is not in use. */
  async recover(
    ref: AccountRef,
    refused: { readonly bearer: string; readonly signal?: AbortSignal },
  ): Promise<boolean> {
    const active = this.deps.active();
    if (active && active.key !== ref.key) {
      // A call that was under way when the account was changed; nobody thinks of that account now.
      throw new NotSignedInError();
    }
    const session = this.deps.sessionOf(ref.key);
    if (!session) {
      return false;
    }
    if (bearerOf(session, this.deps.clock.now()) !== refused.bearer) {
      return true;
    }
    return untilAborted(this.renewal(ref, { shouldTell: true }), refused.signal);
  }

  /** The person asks for it, whatever they said before. */
  start(ref: AccountRef, options: StartOptions = {}): Promise<boolean> {
    this.deps.gate.allow(ref.key);
    return this.renewal(ref, options);
  }

  /** A session was read or stored; whoever waits for one looks again. */
  noteSession(accountKey: string): void {
    const sessionKey = this.deps.sessionOf(accountKey)?.sessionKey;
    if (sessionKey !== this.known.get(accountKey)) {
      this.known.set(accountKey, sessionKey);
      // Somebody entered a code after all, so an earlier "no" does not stand for the next time.
      this.deps.gate.allow(accountKey);
    }
    this.arrived.fire(accountKey);
  }

  dispose(): void {
    this.owned.dispose();
    this.arrived.dispose();
  }

  private renewal(ref: AccountRef, options: RenewalOptions = {}): Promise<boolean> {
    let renewal = this.running.get(ref.key);
    if (!renewal) {
      renewal = this.renew(ref, options).finally(() => this.running.delete(ref.key));
      this.running.set(ref.key, renewal);
    }
    return renewal;
  }

  private async renew(ref: AccountRef, { shouldTell, admin }: RenewalOptions): Promise<boolean> {
    const session = this.deps.sessionOf(ref.key);
    if (!session) {
      return false;
    }
    const client = this.deps.keyClient(ref, session);
    let user;
    try {
      user = await client.users.current();
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) {
        this.deps.log.warn(`The key could not be checked: ${String(error)}`);
      }
      return false;
    }
    if (user.tfaStatus !== 'enabled' && user.tfaStatus !== 'legacy') {
      if (session.sessionKey === undefined) {
        return false;
      }
      // The second factor was taken off meanwhile: the key works alone again.
      this.deps.save(ref.key, {});
      return true;
    }
    if (shouldTell) {
      this.deps.hub.broadcast(neededTopic, { accountKey: ref.key });
    }
    return this.askOrWait(ref, session, { account: ref, user, client, ...(admin ? { admin } : {}) });
  }

  /** Whichever comes first: a code entered here, a session from another window, or the end of the account. */
  private async askOrWait(
    ref: AccountRef,
    before: Session,
    subject: Parameters<SecondFactorGate['ask']>[0],
  ): Promise<boolean> {
    const stop = new AbortController();
    const arrival = new Promise<'arrived' | 'signedOut'>((resolve) => {
      const subscription = this.arrived.event((key) => {
        const session = this.deps.sessionOf(key);
        const sessionKey = session?.sessionKey;
        if (key === ref.key && !session) {
          resolve('signedOut');
        } else if (key === ref.key && sessionKey !== undefined && sessionKey !== before.sessionKey) {
          resolve('arrived');
        }
      });
      stop.signal.addEventListener('abort', () => {
        subscription.dispose();
      });
    });
    try {
      const login = await Promise.race([this.deps.gate.ask(subject, stop.signal), arrival]);
      if (login === undefined) {
        throw new SecondFactorNeededError();
      }
      if (login === 'signedOut') {
        // Whoever waited worked for an account that is gone; its key is not to blame.
        throw new NotSignedInError();
      }
      if (login !== 'arrived') {
        this.deps.save(ref.key, { sessionKey: login.sessionKey });
      }
      return true;
    } finally {
      stop.abort();
    }
  }
}

/** The renewal goes on for the others; this caller alone stops waiting. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) {
    return promise;
  }
  return new Promise((resolve, reject) => {
    const stop = () => {
      reject(new CancelledError());
    };
    if (signal.aborted) {
      stop();
    }
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop);
    });
  });
}
