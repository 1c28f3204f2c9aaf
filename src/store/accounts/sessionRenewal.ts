import { ForbiddenError, UnauthorizedError } from '../../api/errors';
import type { Client } from '../../api/client';
import type { Recover } from '../../api/serviceHttp';
import type { AccountRef } from '../../model/accounts/account';
import type { Clock } from '../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { CancelledError } from '../../util/errors';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import { NotSignedInError } from './accountErrors';
import type { WindowHub } from '../ports';
import { SecondFactorNeededError, type SecondFactorGate } from './secondFactor';
import { bearerOf, type Session } from './sessions';

interface RenewalDeps {
  readonly gate: SecondFactorGate;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
  /** A client for this account that speaks with this bearer alone. */
  clientWith(ref: AccountRef, bearer: string): Client;
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
  /** Another window waits; it may not know yet of a session that this one has. */
  readonly isTold?: boolean;
}

/** One question for all calls of a window that wait. */
interface Renewal {
  readonly result: Promise<boolean>;
  /** The account does want a second factor. */
  isNeeded: boolean;
  /** A call of this window waits, so that the others are told. */
  shouldTell: boolean;
  telling?: Disposable;
}

const neededTopic = 'secondFactor.needed';
/** The other windows are told again after so long, each time twice as long. */
const tellAgainMs = 1000;
const longestSilenceMs = 60_000;

const refusedAnyway = text(
  'The service refuses this although the code was accepted. The API key may not be allowed to do it. Use another key, or an admin session where it takes one.',
);

/**
 * Gets a session for an account whose key alone is refused: one question for all calls and all windows
 * that wait, after which they go on by themselves. A key that works alone is never asked.
 */
export class SessionRenewal implements Disposable {
  private readonly running = new Map<string, Renewal>();
  /** A session came or went, or another account is in use: whoever waits looks again. */
  private readonly changed = new Emitter<undefined>();
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
            this.renewal(ref, { isTold: true }).catch((error: unknown) => {
              deps.log.info(`The second factor was not entered: ${String(error)}`);
            });
          }
        }
      }),
    );
  }

  /** True when the refused call has a chance with the bearer of now. Throws when a code was declined or the account is not in use. */
  async recover(ref: AccountRef, refused: Parameters<Recover>[0]): Promise<boolean> {
    if (this.isLeft(ref)) {
      // A call that was under way when the account was changed; nobody thinks of that account now.
      throw new NotSignedInError();
    }
    if (this.isReplaced(ref, refused.bearer)) {
      return true;
    }
    const isSession = this.deps.sessionOf(ref.key)?.sessionKey === refused.bearer;
    if (refused.isAgain && isSession && (await this.isAccepted(ref, refused.bearer))) {
      throw new ForbiddenError({ text: refusedAnyway });
    }
    // Another call may have been quicker.
    return (
      this.isReplaced(ref, refused.bearer) ||
      untilAborted(this.renewal(ref, { shouldTell: true }), refused.signal)
    );
  }

  private isLeft({ key }: AccountRef): boolean {
    const active = this.deps.active();
    return active !== undefined && active.key !== key;
  }

  private isReplaced(ref: AccountRef, bearer: string): boolean {
    const session = this.deps.sessionOf(ref.key);
    return session !== undefined && bearerOf(session, this.deps.clock.now()) !== bearer;
  }

  /** True for a session that lives: no other one would get further. */
  private async isAccepted(ref: AccountRef, bearer: string): Promise<boolean> {
    try {
      await this.deps.clientWith(ref, bearer).users.current();
      return true;
    } catch (error) {
      if (error instanceof UnauthorizedError) {
        return false;
      }
      throw error;
    }
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
    this.changed.fire(undefined);
  }

  /** Another account may be in use. */
  noteActive(): void {
    this.changed.fire(undefined);
  }

  dispose(): void {
    for (const { telling } of this.running.values()) {
      telling?.dispose();
    }
    this.owned.dispose();
    this.changed.dispose();
  }

  private renewal(ref: AccountRef, options: RenewalOptions = {}): Promise<boolean> {
    const renewal = this.running.get(ref.key) ?? this.begin(ref, options);
    renewal.shouldTell ||= options.shouldTell === true;
    this.tellIfNeeded(ref.key, renewal);
    return renewal.result;
  }

  private begin(ref: AccountRef, options: RenewalOptions): Renewal {
    const renewal: Renewal = {
      result: this.renew(ref, options).finally(() => {
        renewal.telling?.dispose();
        this.running.delete(ref.key);
      }),
      isNeeded: false,
      shouldTell: false,
    };
    this.running.set(ref.key, renewal);
    return renewal;
  }

  private tellIfNeeded(accountKey: string, renewal: Renewal): void {
    if (renewal.isNeeded && renewal.shouldTell) {
      renewal.telling ??= this.tellOthers(accountKey);
    }
  }

  private async renew(ref: AccountRef, options: RenewalOptions): Promise<boolean> {
    const { isTold, admin } = options;
    const session = this.deps.sessionOf(ref.key);
    if (!session) {
      return false;
    }
    if (isTold && session.sessionKey !== undefined && (await this.isAccepted(ref, session.sessionKey))) {
      return true;
    }
    const client = this.deps.clientWith(ref, session.apiKey);
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
    const now = this.deps.sessionOf(ref.key);
    if (now && isNewer(now, session)) {
      // It came from another window while the account was being asked for.
      return true;
    }
    const renewal = this.running.get(ref.key);
    if (renewal) {
      renewal.isNeeded = true;
      this.tellIfNeeded(ref.key, renewal);
    }
    return this.askOrWait(ref, session, { account: ref, user, client, ...(admin ? { admin } : {}) });
  }

  /** Says so until it is answered: the window in use may have been opened since, or have known an older session. */
  private tellOthers(accountKey: string, nextMs = tellAgainMs): Disposable {
    const { hub, clock } = this.deps;
    const next = new MutableDisposable<Disposable>();
    hub.broadcast(neededTopic, { accountKey });
    next.value = clock.schedule(() => {
      next.value = this.tellOthers(accountKey, Math.min(2 * nextMs, longestSilenceMs));
    }, nextMs);
    return next;
  }

  /** Whichever comes first: a code entered here, a session from another window, or the account is left. */
  private async askOrWait(
    ref: AccountRef,
    before: Session,
    subject: Parameters<SecondFactorGate['ask']>[0],
  ): Promise<boolean> {
    const stop = new AbortController();
    const arrival = new Promise<'arrived' | 'left'>((resolve) => {
      const subscription = this.changed.event(() => {
        const session = this.deps.sessionOf(ref.key);
        if (!session || this.isLeft(ref)) {
          resolve('left');
        } else if (isNewer(session, before)) {
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
      if (login === 'left') {
        // Whoever waited worked for an account that is gone or not in use; its key is not to blame.
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

function isNewer(session: Session, before: Session): boolean {
  return session.sessionKey !== undefined && session.sessionKey !== before.sessionKey;
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
