import * as z from 'zod';
import { DisposableStore, type Disposable } from '../util/disposable';
import { Emitter, type Event } from '../util/emitter';
import { NextRead } from '../util/nextRead';
import { channel, type Channel, type Talk } from './channel';
import { followAccount } from './followAccount';
import { NotSignedInError } from './notSignedIn';

/** The state of data that is read from the service. */
export type Loaded<T> =
  | { readonly kind: 'idle' }
  | { readonly kind: 'loading' }
  | {
      readonly kind: 'ready';
      readonly value: T;
      /** Milliseconds since 1970. */
      readonly fetchedAt: number;
      /** Set if the last read failed; the data is then the last good one. */
      readonly error?: unknown;
      /** The number of records that could not be understood; an item missing from the value may be one of them. */
      readonly skipped?: number;
    }
  | { readonly kind: 'failed'; readonly error: unknown };

export interface RefreshOptions {
  /** The user does not wait for this read; reads that the user asked for go first and replace it. */
  readonly isUnasked?: boolean;
}

/** Options that a read passes to its request. */
export interface ReadOptions extends RefreshOptions {
  readonly signal: AbortSignal;
}

/** Waits for a read that is under way and has no data yet, because an empty list would claim that there is nothing. */
export function whileLoading({
  state,
  onDidChange,
}: Pick<Reading<unknown>, 'state' | 'onDidChange'>): Promise<void> {
  return new Promise((resolve) => {
    if (state.kind !== 'loading') {
      resolve();
      return;
    }
    const subscription = onDidChange(({ kind }) => {
      if (kind !== 'loading') {
        subscription.dispose();
        resolve();
      }
    });
  });
}

/** Data of the active account that is read on demand and kept while stale. */
export interface Reading<T> {
  readonly state: Loaded<T>;
  readonly onDidChange: Event<Loaded<T>>;
  /**
   * Reads again after the current read, so the result includes all changes made before the call. Rejects if the read
   * fails.
   */
  refresh(how?: RefreshOptions): Promise<void>;
}

/** The account whose data is read. */
export interface ActiveAccount<A> {
  readonly active: A | undefined;
  readonly onDidChange: (listener: () => void) => Disposable;
  /** Fires with the account's key when its service works again after failed reads in any window. */
  readonly onDidRecover?: Event<string> | undefined;
}

/** The messages by which windows announce a changed reading; its content never leaves the window. */
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
  /** Without it, other windows notice a change only at their next read. */
  readonly talk?: ReadingTalk<T> | undefined;
}

interface Wanted {
  readonly notifyOthers: boolean;
  readonly isUnasked: boolean;
}

/**
 * Reads data of the active account, one read at a time. After an error, the last good value stays beside the error;
 * another account starts without a value.
 */
export class AccountReading<A extends { readonly key: string }, T> implements Reading<T>, Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<Loaded<T>>());
  readonly onDidChange = this.changed.event;
  private current: Loaded<T> = { kind: 'idle' };
  private accountKey: string | undefined;
  private abort = new AbortController();
  private reads = this.newReads();
  /** Ends the last read that began, if it is one that the user does not wait for. */
  private unasked: AbortController | undefined;

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
          // A read that is under way has its own answer, and may be the one that shows it.
          if (key === this.accountKey && this.hasFailed && !this.reads.isReading) {
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

  /** The last good value, also during another read. */
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
    this.reads = this.newReads();
    this.become({ kind: 'idle' });
  }

  private newReads(): NextRead<void, Wanted> {
    const { signal } = this.abort;
    return new NextRead(
      (wanted) => this.read(signal, wanted),
      (one, other) => ({
        notifyOthers: one.notifyOthers || other.notifyOthers,
        isUnasked: one.isUnasked && other.isUnasked,
      }),
    );
  }

  /** Calls during a read share the next one, because the service limits the rate of reads. */
  private reread(notifyOthers: boolean, isUnasked: boolean): Promise<void> {
    if (!isUnasked) {
      this.unasked?.abort();
    }
    const done = this.reads.ask({ notifyOthers, isUnasked });
    if (this.deps.accounts.active) {
      this.showLoading();
    }
    return done;
  }

  private showLoading(): void {
    if (this.current.kind === 'idle' || this.current.kind === 'failed') {
      this.become({ kind: 'loading' });
    }
  }

  private async read(ofAccount: AbortSignal, { notifyOthers, isUnasked }: Wanted): Promise<void> {
    const { accounts, clock, talk } = this.deps;
    const abort = new AbortController();
    this.unasked = isUnasked ? abort : undefined;
    // Nothing is sent for a read that the user replaces right away.
    await Promise.resolve();
    const account = accounts.active;
    if (!account) {
      throw new NotSignedInError();
    }
    const signal = AbortSignal.any([ofAccount, abort.signal]);
    if (signal.aborted) {
      return;
    }
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
      if (talk && notifyOthers && hasChanged) {
        changesOf(talk).send(talk.hub, account.key);
      }
    } catch (error) {
      // A failure for an account that is no longer active does not concern the user.
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

/** Returns the channel that announces the account of a changed reading. */
function changesOf({ topic }: Pick<ReadingTalk<unknown>, 'topic'>): Channel<string> {
  return channel(topic, z.string());
}

/**
 * Returns true if two lists are equal. `versionOf` changes with each change of an item, because comparing thousands of
 * whole items is slow.
 */
export function isSameList<T>(
  one: readonly T[],
  other: readonly T[],
  versionOf: (item: T) => string = (item) => JSON.stringify(item),
): boolean {
  const versions = other.map(versionOf);
  return one.length === versions.length && one.every((item, index) => versionOf(item) === versions[index]);
}
