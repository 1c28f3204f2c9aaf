import * as z from 'zod';
import { ForbiddenError, UnauthorizedError } from '../../api/errors';
import type { Client } from '../../api/client';
import type { Recover } from '../../api/serviceHttp';
import type { AccountRef } from '../../model/accounts/account';
import { orCancelled } from '../../util/cancellation';
import { repeat, type Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import { channel } from '../../shared/channel';
import { NotSignedInError } from '../../shared/notSignedIn';
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
  /** The other windows hear of it, for one of them may be the one in use. */
  readonly shouldTell?: boolean;
  /** Another window waits; it may not know yet of a session that this one has. */
  readonly isTold?: boolean;
  /** The person asks for it, so it is put wherever the service does not say that there is none. */
  readonly isWanted?: boolean;
}

/** One question for all calls of a window that wait. */
interface Renewal {
  readonly result: Promise<boolean>;
  /** The account does want a second factor. */
  isNeeded: boolean;
  /** A call of this window waits, so that the others are told. */
  shouldTell: boolean;
  /** Another window waits, whose session may be one that has not come to this one yet. */
  isTold: boolean;
  telling?: Disposable;
}

type SessionOfFactor = Session & { readonly sessionKey: string };

const needs = channel('secondFactor.needed', z.object({ accountKey: z.string() }));
/** The other windows are told again after so long, then each time after twice as long, up to the limit. */
const tellAgainMs = { first: 1000, longest: 8000 };

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
      needs.on(deps.hub, ({ accountKey }) => {
        const ref = deps.active();
        if (accountKey === ref?.key) {
          this.renewal(ref, { isTold: true }).catch((error: unknown) => {
            deps.log.info(`The second factor was not entered: ${String(error)}`);
          });
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
      orCancelled(this.renewal(ref, { shouldTell: true }), refused.signal)
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
    const wish = this.deps.gate.want(ref.key);
    return this.renewal(ref, { ...options, isWanted: true }).finally(() => wish.dispose());
  }

  /** A session was read or stored; whoever waits for one looks again. */
  noteSession(accountKey: string): void {
    const sessionKey = this.deps.sessionOf(accountKey)?.sessionKey;
    if (sessionKey !== this.known.get(accountKey)) {
      this.known.set(accountKey, sessionKey);
      // Somebody entered a code after all, so an earlier "no" does not stand for the next time.
      this.deps.gate.forgive(accountKey);
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
    renewal.isTold ||= options.isTold === true;
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
      isTold: false,
    };
    this.running.set(ref.key, renewal);
    return renewal;
  }

  private tellIfNeeded(accountKey: string, renewal: Renewal): void {
    if (renewal.isNeeded && renewal.shouldTell) {
      // Until it is answered: the window in use may have been opened since, or have known an older session.
      renewal.telling ??= repeat(this.deps.clock, tellAgainMs, () => {
        needs.send(this.deps.hub, { accountKey });
      });
    }
  }

  private async renew(ref: AccountRef, options: RenewalOptions): Promise<boolean> {
    const { isTold, isWanted, admin } = options;
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
      if (error instanceof UnauthorizedError || error instanceof ForbiddenError) {
        return false;
      }
      // Nothing is known of the key, so it is not to blame.
      throw error;
    }
    const hadSession = session.sessionKey !== undefined;
    // A service that does not say has asked for one before, where there was a session.
    const isUsed = user.tfaStatus === undefined && (hadSession || isWanted === true);
    if (user.tfaStatus !== 'enabled' && user.tfaStatus !== 'legacy' && !isUsed) {
      if (!hadSession) {
        return false;
      }
      // The second factor was taken off meanwhile: the key works alone again.
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
      // It may have come from another window while the account was being asked for.
      const came = this.newerThan(before, ref) ?? (await this.askOrWait(ref, before, subject, renewal));
      if (came === 'entered' || !renewal?.isTold || (await this.isStillAccepted(ref, came))) {
        return true;
      }
      // What came late is what the other window has already found to have ended.
      before = came;
    }
  }

  private newerThan(before: Session, { key }: AccountRef): SessionOfFactor | undefined {
    const now = this.deps.sessionOf(key);
    return now && isNewer(now, before) ? now : undefined;
  }

  private async isStillAccepted(ref: AccountRef, { sessionKey }: SessionOfFactor): Promise<boolean> {
    // Where it cannot be said, whoever waits finds out.
    return this.isAccepted(ref, sessionKey).catch(() => true);
  }

  /** Whichever comes first: a code entered here, a session from another window, or the account is left. */
  private async askOrWait(
    ref: AccountRef,
    before: Session,
    subject: Parameters<SecondFactorGate['ask']>[0],
    renewal: Renewal | undefined,
  ): Promise<SessionOfFactor | 'entered'> {
    if (renewal) {
      renewal.isNeeded = true;
      this.tellIfNeeded(ref.key, renewal);
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
        // Whoever waited worked for an account that is gone or not in use; its key is not to blame.
        throw new NotSignedInError();
      }
      if (!('login' in outcome)) {
        return outcome;
      }
      if (!outcome.login) {
        throw new SecondFactorNeededError({ isTold: this.deps.gate.isJustDeclined(ref.key) });
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
