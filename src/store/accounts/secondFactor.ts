import * as z from 'zod';
import type { Client } from '../../api/client';
import type { AccountRef, User } from '../../model/accounts/account';
import type { SecondFactorLogin } from '../../model/accounts/secondFactor';
import { channel } from '../../shared/channel';
import type { WindowFocus } from '../../shared/oneWindow';
import { repeat, type Clock } from '../../util/clock';
import { DisposableStore, toDisposable, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { UserError } from '../../util/errors';
import { silentLog, type Log } from '../../util/log';
import { text } from '../../util/text';
import type { WindowHub } from '../windows/windowHub';

/** The account that needs a second factor; `client` sends the API key alone. */
export interface SecondFactorSubject {
  readonly account: AccountRef;
  readonly user: User;
  readonly client: Client;
  /** True when an administrator asked for an admin session. */
  readonly admin?: boolean | undefined;
}

/** Asks the user, immediately once `wanted` has fired; `undefined` if the user declines. */
export type SecondFactorPrompt = (
  subject: SecondFactorSubject,
  signal: AbortSignal,
  wanted: AbortSignal,
) => Promise<SecondFactorLogin | undefined>;

/** The account requires a second factor, and the user has not entered one. */
export class SecondFactorNeededError extends UserError {
  constructor(options: { readonly isShown?: boolean } = {}) {
    super(text('This account requires two-factor authentication (2FA). Enter a code to continue.'), {
      nextStep: 'secondFactor',
      ...options,
    });
  }
}

const ofAccount = z.object({ accountKey: z.string() });
const questions = channel('secondFactor.asking', ofAccount);
const refusals = channel('secondFactor.declined', ofAccount);
const starts = channel('secondFactor.started', ofAccount.extend({ isWanted: z.boolean() }));

/** How often a window announces that its question is open. */
const announceMs = 1000;
/** A window that has been silent for this long has ended. */
const goneMs = 5000;
/** A start in another window counts for this long (ms), since that window may have ended without a message. */
const startedMs = 60_000;
/** One user action makes several calls; after a "no" to the first, the others fail without a message. */
const sameActionMs = 5000;

/** A question that is open in this window. */
interface OpenQuestion {
  readonly over: AbortController;
  /** Fires when the user starts the sign-in. */
  readonly wanted: AbortController;
  /** Announces the open question to the other windows. */
  readonly announcing: Disposable;
}

/**
 * Asks for the second factor in the window in use, unless another window is already asking. After a "no" it
 * asks again only when the user starts it, or after a session arrived by another way. A claim of `OneWindow` would be
 * for good: this question moves on when its window closes, and comes again with each session that ends.
 */
export class SecondFactorGate implements Disposable {
  private prompt: SecondFactorPrompt | undefined;
  /** When the user declined, by account (`Clock.elapsed`). */
  private readonly declined = new Map<string, number>();
  /** Accounts for which the user started it here, by what ends that. */
  private readonly wishes = new Map<string, Disposable>();
  /** When the user started it in another window, by account (`Clock.elapsed`). */
  private readonly startedElsewhere = new Map<string, number>();
  /** When an asking window last sent a message, by account (`Clock.elapsed`). */
  private readonly askedElsewhere = new Map<string, number>();
  private readonly open = new Map<string, OpenQuestion>();
  /** The calls of this window that wait for an answer, by account. */
  private readonly waiting = new Set<{ readonly accountKey: string }>();
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<undefined>());

  constructor(
    private readonly hub: WindowHub,
    private readonly focus: WindowFocus,
    private readonly clock: Clock,
    private readonly log: Log = silentLog,
  ) {
    this.owned.add(focus.onDidChange(() => this.changed.fire(undefined)));
    this.owned.add(
      questions.on(hub, ({ accountKey }) => {
        this.askedElsewhere.set(accountKey, this.clock.elapsed());
      }),
    );
    this.owned.add(
      starts.on(hub, ({ accountKey, isWanted }) => {
        if (isWanted) {
          this.startedElsewhere.set(accountKey, this.clock.elapsed());
        } else {
          this.startedElsewhere.delete(accountKey);
        }
        this.changed.fire(undefined);
      }),
    );
    this.owned.add(refusals.on(hub, ({ accountKey }) => this.decline(accountKey)));
  }

  /** Registers the feature that asks the user. */
  setPrompt(prompt: SecondFactorPrompt): Disposable {
    this.prompt = prompt;
    this.changed.fire(undefined);
    return toDisposable(() => {
      this.prompt = undefined;
    });
  }

  /**
   * Marks that the user started it: until answered or disposed, the question appears here and immediately, and in no
   * other window, which may learn sooner that a code is needed.
   */
  want(accountKey: string): Disposable {
    this.forgive(accountKey);
    const wish = toDisposable(() => {
      if (this.wishes.get(accountKey) === wish) {
        this.endWish(accountKey);
      }
    });
    this.wishes.set(accountKey, wish);
    starts.send(this.hub, { accountKey, isWanted: true });
    this.open.get(accountKey)?.wanted.abort();
    this.changed.fire(undefined);
    return wish;
  }

  private endWish(accountKey: string): void {
    if (this.wishes.delete(accountKey)) {
      starts.send(this.hub, { accountKey, isWanted: false });
    }
  }

  /** Forgets an earlier "no". */
  forgive(accountKey: string): void {
    this.declined.delete(accountKey);
  }

  /** Returns true for further calls of the user action that was just declined. */
  isJustDeclined(accountKey: string): boolean {
    return this.clock.elapsed() - (this.declined.get(accountKey) ?? -Infinity) < sameActionMs;
  }

  /** Waits until this window may ask, then asks; `undefined` if the user declined here or elsewhere. */
  async ask(subject: SecondFactorSubject, signal: AbortSignal): Promise<SecondFactorLogin | undefined> {
    const wait = { accountKey: subject.account.key };
    this.waiting.add(wait);
    try {
      return await this.askInTurn(subject, signal);
    } finally {
      this.waiting.delete(wait);
    }
  }

  /** Returns true while calls of an account wait for the user, and not for the service. */
  isAwaited(accountKey: string): boolean {
    return (
      [...this.waiting].some((one) => one.accountKey === accountKey) || this.isAskedElsewhere(accountKey)
    );
  }

  private async askInTurn(
    subject: SecondFactorSubject,
    signal: AbortSignal,
  ): Promise<SecondFactorLogin | undefined> {
    const { key } = subject.account;
    while (!signal.aborted && !this.declined.has(key)) {
      const isAskedElsewhere = this.isAskedElsewhere(key);
      const isHere = this.wishes.has(key) || (this.focus.isFocused && !isAskedElsewhere);
      if (this.prompt && isHere && !this.open.has(key)) {
        return this.askHere(this.prompt, subject, signal);
      }
      this.log.debug('The second factor is asked for in another window, or once this one is in use');
      await this.nextChange(signal, isAskedElsewhere ? announceMs : undefined);
    }
    return undefined;
  }

  private isAskedElsewhere(accountKey: string): boolean {
    const isWithin = (at: number | undefined, ms: number) => this.clock.elapsed() - (at ?? -Infinity) <= ms;
    return (
      isWithin(this.askedElsewhere.get(accountKey), goneMs) ||
      isWithin(this.startedElsewhere.get(accountKey), startedMs)
    );
  }

  dispose(): void {
    this.open.forEach(({ announcing }) => announcing.dispose());
    this.wishes.forEach((wish) => wish.dispose());
    this.owned.dispose();
  }

  private decline(accountKey: string): void {
    this.declined.set(accountKey, this.clock.elapsed());
    this.open.get(accountKey)?.over.abort();
    this.changed.fire(undefined);
  }

  private async askHere(
    prompt: SecondFactorPrompt,
    subject: SecondFactorSubject,
    signal: AbortSignal,
  ): Promise<SecondFactorLogin | undefined> {
    const accountKey = subject.account.key;
    const over = new AbortController();
    const wanted = new AbortController();
    if (this.wishes.has(accountKey)) {
      wanted.abort();
    }
    const announcing = repeat(this.clock, { first: announceMs, longest: announceMs }, () => {
      questions.send(this.hub, { accountKey });
    });
    this.open.set(accountKey, { over, wanted, announcing });
    try {
      const login = await prompt(subject, AbortSignal.any([signal, over.signal]), wanted.signal);
      if (!login && !signal.aborted && !over.signal.aborted) {
        this.decline(accountKey);
        refusals.send(this.hub, { accountKey });
      }
      return login;
    } finally {
      announcing.dispose();
      this.open.delete(accountKey);
      this.endWish(accountKey);
      this.changed.fire(undefined);
    }
  }

  private nextChange(signal: AbortSignal, limitMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const store = new DisposableStore();
      const go = () => {
        store.dispose();
        resolve();
      };
      store.add(this.changed.event(go));
      if (limitMs !== undefined) {
        store.add(this.clock.schedule(go, limitMs));
      }
      signal.addEventListener('abort', go, { once: true });
      store.add(
        toDisposable(() => {
          signal.removeEventListener('abort', go);
        }),
      );
    });
  }
}
