import * as z from 'zod';
import type { Client } from '../../api/client';
import type { AccountRef, User } from '../../model/accounts/account';
import type { TfaLogin } from '../../model/accounts/tfa';
import { channel } from '../../shared/channel';
import type { WindowFocus } from '../../shared/oneWindow';
import { repeat, type Clock } from '../../util/clock';
import { DisposableStore, toDisposable, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { UserError } from '../../util/errors';
import { silentLog, type Log } from '../../util/log';
import { text } from '../../util/text';
import type { WindowHub } from '../ports';

/** Whose second factor is wanted; `client` speaks with the key alone. */
export interface SecondFactorSubject {
  readonly account: AccountRef;
  readonly user: User;
  readonly client: Client;
  /** An administrator asked for an admin session. */
  readonly admin?: boolean | undefined;
}

/** Asks the user, at once where `wanted` has fired; `undefined` when they do not want to. */
export type SecondFactorPrompt = (
  subject: SecondFactorSubject,
  signal: AbortSignal,
  wanted: AbortSignal,
) => Promise<TfaLogin | undefined>;

/** The account wants a second factor, and the user has not entered one. */
export class SecondFactorNeededError extends UserError {
  constructor(options: { readonly isTold?: boolean } = {}) {
    super(text('This account asks for a second factor. Enter a code to continue.'), {
      nextStep: 'secondFactor',
      ...options,
    });
  }
}

const ofAccount = z.object({ accountKey: z.string() });
const questions = channel('secondFactor.asking', ofAccount);
const refusals = channel('secondFactor.declined', ofAccount);

/** How often a window says that its question is open. */
const tellMs = 1000;
/** A window that has not said so for so long has ended. */
const goneMs = 5000;
/** An action makes several calls, of which none is told to have failed after a "no" to the first. */
const sameActionMs = 5000;

/** A question that is open in this window. */
interface OpenQuestion {
  readonly over: AbortController;
  /** Fires when the user starts it. */
  readonly wanted: AbortController;
  /** Tells the other windows that it is open. */
  readonly telling: Disposable;
}

/**
 * Asks in the window in use, unless another one asks already. After a "no" nothing is asked until the user starts it,
 * or until a session came by another way.
 */
export class SecondFactorGate implements Disposable {
  private prompt: SecondFactorPrompt | undefined;
  /** When the user said no, by account (`Clock.elapsed`). */
  private readonly declined = new Map<string, number>();
  private readonly wishes = new Set<string>();
  /** When a window that asks was last heard, by account (`Clock.elapsed`). */
  private readonly askedElsewhere = new Map<string, number>();
  private readonly open = new Map<string, OpenQuestion>();
  private readonly changed = new Emitter<undefined>();
  private readonly owned = new DisposableStore();

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
    this.owned.add(refusals.on(hub, ({ accountKey }) => this.decline(accountKey)));
  }

  /** The feature that talks to people puts itself in here. */
  setPrompt(prompt: SecondFactorPrompt): Disposable {
    this.prompt = prompt;
    this.changed.fire(undefined);
    return toDisposable(() => {
      this.prompt = undefined;
    });
  }

  /** The user starts it: until it is answered or this is disposed, it is asked for here and at once. */
  want(accountKey: string): Disposable {
    this.forgive(accountKey);
    this.wishes.add(accountKey);
    this.open.get(accountKey)?.wanted.abort();
    this.changed.fire(undefined);
    return toDisposable(() => this.wishes.delete(accountKey));
  }

  /** An earlier "no" does not count any more. */
  forgive(accountKey: string): void {
    this.declined.delete(accountKey);
  }

  /** True for what the same action of the user still waits for. */
  isJustDeclined(accountKey: string): boolean {
    return this.clock.elapsed() - (this.declined.get(accountKey) ?? -Infinity) < sameActionMs;
  }

  /** Waits until this window may ask, then asks; `undefined` when it was declined here or elsewhere. */
  async ask(subject: SecondFactorSubject, signal: AbortSignal): Promise<TfaLogin | undefined> {
    const { key } = subject.account;
    while (!signal.aborted && !this.declined.has(key)) {
      const isAskedElsewhere = this.clock.elapsed() - (this.askedElsewhere.get(key) ?? -Infinity) <= goneMs;
      const isHere = this.wishes.has(key) || (this.focus.isFocused && !isAskedElsewhere);
      if (this.prompt && isHere && !this.open.has(key)) {
        return this.askHere(this.prompt, subject, signal);
      }
      this.log.debug('The second factor is asked for in another window, or once this one is in use');
      await this.nextChange(signal, isAskedElsewhere ? tellMs : undefined);
    }
    return undefined;
  }

  dispose(): void {
    this.open.forEach(({ telling }) => telling.dispose());
    this.owned.dispose();
    this.changed.dispose();
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
  ): Promise<TfaLogin | undefined> {
    const accountKey = subject.account.key;
    const over = new AbortController();
    const wanted = new AbortController();
    if (this.wishes.has(accountKey)) {
      wanted.abort();
    }
    const telling = repeat(this.clock, { first: tellMs, longest: tellMs }, () => {
      questions.send(this.hub, { accountKey });
    });
    this.open.set(accountKey, { over, wanted, telling });
    try {
      const login = await prompt(subject, AbortSignal.any([signal, over.signal]), wanted.signal);
      if (!login && !signal.aborted && !over.signal.aborted) {
        this.decline(accountKey);
        refusals.send(this.hub, { accountKey });
      }
      return login;
    } finally {
      telling.dispose();
      this.open.delete(accountKey);
      this.wishes.delete(accountKey);
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
