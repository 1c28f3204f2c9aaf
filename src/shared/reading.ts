import * as z from 'zod';
import { DisposableStore, type Disposable } from '../util/disposable';
import { Emitter, type Event } from '../util/emitter';
import { channel, type Channel, type Talk } from './channel';
import { followAccount } from './followAccount';
import { NotSignedInError } from './notSignedIn';

/** What is known of something that the service is asked for. */
export type Loaded<T> =
  | { readonly kind: 'idle' }
  | { readonly kind: 'loading' }
  | {
      readonly kind: 'ready';
      readonly value: T;
      /** Milliseconds since 1970. */
      readonly fetchedAt: number;
      /** Beside data: the data is the last good one. */
      readonly error?: unknown;
      /** Records that could not be understood: what is missing from the value may be one of them. */
      readonly skipped?: number;
    }
  | { readonly kind: 'failed'; readonly error: unknown };

export interface RefreshOptions {
  /** Nobody waits for it: what the user asks for goes before it, and takes its place. */
  readonly isUnasked?: boolean;
}

/** What a read hands on to its request. */
export interface ReadOptions extends RefreshOptions {
  readonly signal: AbortSignal;
}

/** Something of the active account that is read when it is asked for, and kept while stale. */
export interface Reading<T> {
  readonly state: Loaded<T>;
  readonly onDidChange: Event<Loaded<T>>;
  /** Reads again after what is under way: what was changed before the call is in the result. Rejects as the read does. */
  refresh(how?: RefreshOptions): Promise<void>;
}

/** Whose reading it is. */
export interface ActiveAccount<A> {
  readonly active: A | undefined;
  readonly onDidChange: (listener: () => void) => Disposable;
  /** The service of this account works again after reads had failed in some window. */
  readonly onDidRecover?: Event<string> | undefined;
}

/** How windows tell each other that a reading has changed; its content never leaves the window. */
export interface ReadingTalk<T> {
  readonly hub: Talk;
  readonly topic: string;
  readonly isSame: (one: T, other: T) => boolean;
}

export interface ReadingDeps<A, T> {
  readonly accounts: ActiveAccount<A>;
  readonly clock: { now(): number };
  readonly read: (
    account: A,
    options: ReadOptions,
  ) => Promise<{ readonly items: T; readonly skipped?: number | undefined }>;
  /** Without it, a change here is seen in another window only when that one reads again. */
  readonly talk?: ReadingTalk<T> | undefined;
}

interface Wanted {
  tellOthers: boolean;
  isUnasked: boolean;
  readonly abort: AbortController;
}

/**
 * Reads something of the active account, once at a time. The last good value stays, with the error beside it; another
 * account begins with none.
 */
export class AccountReading<A extends { readonly key: string }, T> implements Reading<T>, Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<Loaded<T>>());
  readonly onDidChange = this.changed.event;
  private current: Loaded<T> = { kind: 'idle' };
  private accountKey: string | undefined;
  private abort = new AbortController();
  private inFlight: Promise<void> | undefined;
  private underWay: Wanted | undefined;
  /** Begins when the one under way has ended. */
  private next: (Wanted & { readonly done: Promise<void> }) | undefined;

  constructor(private readonly deps: ReadingDeps<A, T>) {
    const { accounts, talk } = deps;
    this.owned.add(
      followAccount(accounts, (account) => {
        this.beginAgain(account?.key);
      }),
    );
    if (accounts.onDidRecover) {
      this.owned.add(
        accounts.onDidRecover((key) => {
          if (key === this.accountKey && this.hasFailed) {
            // The error is in the state.
            void this.reread(false, true).catch(() => undefined);
          }
        }),
      );
    }
    if (talk) {
      this.owned.add(
        changesOf(talk).on(talk.hub, (accountKey) => {
          if (accountKey === this.accountKey && this.current.kind === 'ready') {
            // The error is in the state.
            void this.reread(false, true).catch(() => undefined);
          }
        }),
      );
    }
  }

  get state(): Loaded<T> {
    return this.current;
  }

  /** The last good one, also while it is read again. */
  get value(): T | undefined {
    return this.current.kind === 'ready' ? this.current.value : undefined;
  }

  refresh({ isUnasked = false }: RefreshOptions = {}): Promise<void> {
    return this.reread(true, isUnasked);
  }

  dispose(): void {
    this.abort.abort();
    this.owned.dispose();
  }

  private get hasFailed(): boolean {
    const { current } = this;
    return current.kind === 'failed' || (current.kind === 'ready' && current.error !== undefined);
  }

  private beginAgain(accountKey: string | undefined): void {
    this.accountKey = accountKey;
    this.abort.abort();
    this.abort = new AbortController();
    this.inFlight = undefined;
    this.underWay = undefined;
    this.next = undefined;
    this.become({ kind: 'idle' });
  }

  /** Whoever asks while a read waits for the one under way shares it: the service spaces them out. */
  private reread(tellOthers: boolean, isUnasked: boolean): Promise<void> {
    if (!isUnasked && this.underWay?.isUnasked === true) {
      this.underWay.abort.abort();
    }
    if (this.next) {
      this.next.tellOthers ||= tellOthers;
      this.next.isUnasked &&= isUnasked;
      return this.next.done;
    }
    const wanted: Wanted = { tellOthers, isUnasked, abort: new AbortController() };
    const { signal } = this.abort;
    const under = this.inFlight;
    const own: Promise<void> = (under?.catch(() => undefined) ?? Promise.resolve())
      .then(() => {
        if (this.next?.done === own) {
          this.next = undefined;
        }
        this.underWay = wanted;
        return this.read(signal, wanted);
      })
      .finally(() => {
        if (this.inFlight === own) {
          this.inFlight = undefined;
          this.underWay = undefined;
        }
      });
    if (under) {
      this.next = Object.assign(wanted, { done: own });
    } else {
      this.underWay = wanted;
    }
    this.inFlight = own;
    if (!under && this.deps.accounts.active) {
      this.showLoading();
    }
    return own;
  }

  private showLoading(): void {
    if (this.current.kind === 'idle' || this.current.kind === 'failed') {
      this.become({ kind: 'loading' });
    }
  }

  private async read(ofAccount: AbortSignal, wanted: Wanted): Promise<void> {
    const { accounts, clock, talk } = this.deps;
    const account = accounts.active;
    if (!account) {
      throw new NotSignedInError();
    }
    const signal = AbortSignal.any([ofAccount, wanted.abort.signal]);
    if (signal.aborted) {
      return;
    }
    const { isUnasked } = wanted;
    this.showLoading();
    try {
      const { items: value, skipped = 0 } = await this.deps.read(account, { signal, isUnasked });
      if (this.isOver(signal)) {
        return;
      }
      const before = this.current;
      this.become({ kind: 'ready', value, fetchedAt: clock.now(), ...(skipped > 0 ? { skipped } : {}) });
      const hasChanged =
        before.kind === 'ready' &&
        ((before.skipped ?? 0) !== skipped || talk?.isSame(before.value, value) === false);
      if (talk && wanted.tellOthers && hasChanged) {
        changesOf(talk).send(talk.hub, account.key);
      }
    } catch (error) {
      // The trouble of an account that was left is not the user's any more.
      if (!this.isOver(signal)) {
        this.become(this.current.kind === 'ready' ? { ...this.current, error } : { kind: 'failed', error });
        throw error;
      }
    }
  }

  private isOver(signal: AbortSignal): boolean {
    return signal.aborted;
  }

  private become(state: Loaded<T>): void {
    this.current = state;
    this.changed.fire(state);
  }
}

/** Says whose reading has changed. */
function changesOf({ topic }: Pick<ReadingTalk<unknown>, 'topic'>): Channel<string> {
  return channel(topic, z.string());
}

/** Whether two lists hold the same; `versionOf` differs whenever an item does. The whole item takes long for thousands. */
export function isSameList<T>(
  one: readonly T[],
  other: readonly T[],
  versionOf: (item: T) => string = (item) => JSON.stringify(item),
): boolean {
  const versions = other.map(versionOf);
  return one.length === versions.length && one.every((item, index) => versionOf(item) === versions[index]);
}
