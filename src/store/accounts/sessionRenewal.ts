import * as z from 'zod';
import type { Client } from '../../api/client';
import { ForbiddenError, UnauthorizedError } from '../../api/errors';
import type { Recover } from '../../api/serviceHttp';
import type { AccountRef } from '../../model/accounts/account';
import { channel } from '../../shared/channel';
import { NotSignedInError } from '../../shared/notSignedIn';
import { orCancelled } from '../../util/cancellation';
import { repeat, type Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import type { WindowHub } from '../windows/windowHub';
import { SecondFactorNeededError, type SecondFactorGate } from './secondFactor';
import { bearerOf, type Session } from './sessions';

interface RenewalDeps {
  readonly gate: SecondFactorGate;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns a client for this account that sends this bearer only. */
  clientWith(ref: AccountRef, bearer: string): Client;
  sessionOf(accountKey: string): Session | undefined;
  /** Replaces the session, immediately here and then in the other windows. */
  save(accountKey: string, change: Omit<Session, 'apiKey'>): void;
  /** Returns the account that this window works with. */
  active(): AccountRef | undefined;
}

export interface StartOptions {
  /** For administrators: asks for a session with admin rights. */
  readonly admin?: boolean | undefined;
}

/** For the second factor: the session key lives beside the key. */
export interface SessionAccess {
  session(accountKey: string): Session | undefined;
  updateSession(accountKey: string, change: Omit<Session, 'apiKey'>): Promise<void>;
  /** Asks the person for the second factor of the active account; false when the key itself is refused. */
  enterSecondFactor(options?: StartOptions): Promise<boolean>;
}

interface RenewalOptions extends StartOptions {
  /** Informs the other windows, because one of them may be the window in use. */
  readonly shouldNotify?: boolean;
  /** Another window is waiting; it may not have received a session that this one holds. */
  readonly isNotified?: boolean;
  /**
   * The user started it, so the question appears unless the service reports that the account has no second factor.
   */
  readonly isWanted?: boolean;
}

/** One question that all waiting calls of a window share. */
interface Renewal {
  readonly result: Promise<boolean>;
  /** True once the account is known to require a second factor. */
  isNeeded: boolean;
  /** A call of this window is waiting, so the other windows are informed. */
  shouldNotify: boolean;
  /** Another window is waiting, and its session may not have arrived here yet. */
  isNotified: boolean;
  notifying?: Disposable;
}

type SessionOfFactor = Session & { readonly sessionKey: string };

const needs = channel('secondFactor.needed', z.object({ accountKey: z.string() }));
/**
 * Delays in ms before the other windows are informed again; each is twice the one before, up to `longest`.
 */
const notifyAgainMs = { first: 1000, longest: 8000 };

const refusedAnyway = text(
  'The service refuses this although the code was accepted. Use an API key with more permissions, or an admin session where one is required.',
);

/**
 * Gets a session for an account whose key alone is refused: one question serves all waiting calls of all
 * windows, which then continue. The question never appears for a key that works alone.
 */
export class SessionRenewal implements Disposable {
  private readonly running = new Map<string, Renewal>();
  private readonly owned = new DisposableStore();
  /** A session changed or another account became active; all waiting calls check again. */
  private readonly changed = this.owned.add(new Emitter<undefined>());
  /** The newest session key of each account. */
  private readonly known = new Map<string, string | undefined>();

  constructor(private readonly deps: RenewalDeps) {
    // The polling window may be in the background; the window in use asks on its behalf.
    this.owned.add(
      needs.on(deps.hub, ({ accountKey }) => {
        const ref = deps.active();
        if (accountKey === ref?.key) {
          this.renewal(ref, { isNotified: true }).catch((error: unknown) => {
            deps.log.info(`The second factor was not entered: ${String(error)}`);
          });
        }
      }),
    );
  }

  /**
   * Returns true if the refused call may succeed with the current bearer. Throws if the user declined a code
   * or the account is not active.
   */
  async recover(ref: AccountRef, refused: Parameters<Recover>[0]): Promise<boolean> {
    if (this.isLeft(ref)) {
      // The call was under way when the account changed; no question may appear for an inactive account.
      throw new NotSignedInError();
    }
    if (this.isReplaced(ref, refused.bearer)) {
      return true;
    }
    const isSession = this.deps.sessionOf(ref.key)?.sessionKey === refused.bearer;
    if (refused.isAgain && isSession && (await this.isAccepted(ref, refused.bearer))) {
      throw new ForbiddenError({ text: refusedAnyway });
    }
    // Another call may already have renewed the session.
    return (
      this.isReplaced(ref, refused.bearer) ||
      orCancelled(this.renewal(ref, { shouldNotify: true }), refused.signal)
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

  /** Returns true for a valid session: another one would not help the call. */
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

  /** Starts the question at the user's request, even if an earlier one was declined. */
  start(ref: AccountRef, options: StartOptions = {}): Promise<boolean> {
    const wish = this.deps.gate.want(ref.key);
    return this.renewal(ref, { ...options, isWanted: true }).finally(() => wish.dispose());
  }

  /** Notes that a session was read or stored; all calls that wait for one check again. */
  noteSession(accountKey: string): void {
    const sessionKey = this.deps.sessionOf(accountKey)?.sessionKey;
    if (sessionKey !== this.known.get(accountKey)) {
      this.known.set(accountKey, sessionKey);
      // A code was entered after all, so an earlier "no" no longer counts.
      this.deps.gate.forgive(accountKey);
    }
    this.changed.fire(undefined);
  }

  /** Notes that another account may be active. */
  noteActive(): void {
    this.changed.fire(undefined);
  }

  dispose(): void {
    for (const { notifying } of this.running.values()) {
      notifying?.dispose();
    }
    this.owned.dispose();
  }

  private renewal(ref: AccountRef, options: RenewalOptions = {}): Promise<boolean> {
    const renewal = this.running.get(ref.key) ?? this.begin(ref, options);
    renewal.shouldNotify ||= options.shouldNotify === true;
    renewal.isNotified ||= options.isNotified === true;
    this.notifyIfNeeded(ref.key, renewal);
    return renewal.result;
  }

  private begin(ref: AccountRef, options: RenewalOptions): Renewal {
    const renewal: Renewal = {
      result: this.renew(ref, options).finally(() => {
        renewal.notifying?.dispose();
        this.running.delete(ref.key);
      }),
      isNeeded: false,
      shouldNotify: false,
      isNotified: false,
    };
    this.running.set(ref.key, renewal);
    return renewal;
  }

  private notifyIfNeeded(accountKey: string, renewal: Renewal): void {
    if (renewal.isNeeded && renewal.shouldNotify) {
      // Repeats until answered: the window in use may have opened since, or held an older session.
      renewal.notifying ??= repeat(this.deps.clock, notifyAgainMs, () => {
        needs.send(this.deps.hub, { accountKey });
      });
    }
  }

  private async renew(ref: AccountRef, options: RenewalOptions): Promise<boolean> {
    const { isNotified, isWanted, admin } = options;
    const session = this.deps.sessionOf(ref.key);
    if (!session) {
      return false;
    }
    if (isNotified && session.sessionKey !== undefined && (await this.isAccepted(ref, session.sessionKey))) {
      return true;
    }
    const client = this.deps.clientWith(ref, session.apiKey);
    let user;
    try {
      user = await client.users.current();
    } catch (error) {
      if (error instanceof UnauthorizedError || error instanceof ForbiddenError) {
        return false;
      }
      // The key was not judged, so the caller keeps its own error.
      throw error;
    }
    const hadSession = session.sessionKey !== undefined;
    // If the service does not state the status, an earlier session shows that it required a second factor.
    const isUsed = user.tfaStatus === undefined && (hadSession || isWanted === true);
    if (user.tfaStatus !== 'enabled' && user.tfaStatus !== 'legacy' && !isUsed) {
      if (!hadSession) {
        return false;
      }
      // The second factor was removed in the meantime: the key works alone again.
      this.deps.save(ref.key, {});
      return true;
    }
    return this.untilRenewed(ref, session, { account: ref, user, client, admin });
  }

  private async untilRenewed(
    ref: AccountRef,
    session: Session,
    subject: Parameters<SecondFactorGate['ask']>[0],
  ): Promise<true> {
    const renewal = this.running.get(ref.key);
    let before = session;
    for (;;) {
      if (this.isLeft(ref)) {
        throw new NotSignedInError();
      }
      // A session may have arrived from another window while the account was read.
      const came = this.newerThan(before, ref) ?? (await this.askOrWait(ref, before, subject, renewal));
      if (came === 'entered' || !renewal?.isNotified || (await this.isStillAccepted(ref, came))) {
        return true;
      }
      // A late session is one that the other window has already found expired.
      before = came;
    }
  }

  private newerThan(before: Session, { key }: AccountRef): SessionOfFactor | undefined {
    const now = this.deps.sessionOf(key);
    return now && isNewer(now, before) ? now : undefined;
  }

  private async isStillAccepted(ref: AccountRef, { sessionKey }: SessionOfFactor): Promise<boolean> {
    // If this can't be verified, the waiting calls will find out.
    return this.isAccepted(ref, sessionKey).catch(() => true);
  }

  /**
   * Waits for whichever comes first: a code entered here, a session from another window, or a change of
   * account.
   */
  private async askOrWait(
    ref: AccountRef,
    before: Session,
    subject: Parameters<SecondFactorGate['ask']>[0],
    renewal: Renewal | undefined,
  ): Promise<SessionOfFactor | 'entered'> {
    if (renewal) {
      renewal.isNeeded = true;
      this.notifyIfNeeded(ref.key, renewal);
    }
    const stop = new AbortController();
    const arrival = new Promise<SessionOfFactor | 'left'>((resolve) => {
      const subscription = this.changed.event(() => {
        const newer = this.newerThan(before, ref);
        if (!this.deps.sessionOf(ref.key) || this.isLeft(ref)) {
          resolve('left');
        } else if (newer) {
          resolve(newer);
        }
      });
      stop.signal.addEventListener('abort', () => {
        subscription.dispose();
      });
    });
    try {
      const asked = this.deps.gate.ask(subject, stop.signal).then((login) => ({ login }));
      const outcome = await Promise.race([asked, arrival]);
      if (outcome === 'left') {
        // The waiting calls belong to an account that is gone or inactive; its key is not to blame.
        throw new NotSignedInError();
      }
      if (!('login' in outcome)) {
        return outcome;
      }
      if (!outcome.login) {
        throw new SecondFactorNeededError({ isShown: this.deps.gate.isJustDeclined(ref.key) });
      }
      this.deps.save(ref.key, { sessionKey: outcome.login.sessionKey });
      return 'entered';
    } finally {
      stop.abort();
    }
  }
}

function isNewer(session: Session, before: Session): session is SessionOfFactor {
  return session.sessionKey !== undefined && session.sessionKey !== before.sessionKey;
}
