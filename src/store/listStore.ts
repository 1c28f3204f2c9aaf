import type { Clock } from '../util/clock';
import { DisposableStore, type Disposable } from '../util/disposable';
import { Emitter } from '../util/emitter';
import { NotSignedInError } from './accounts/accountErrors';
import type { Account, Accounts, ListStore, Loaded, WindowHub } from './ports';

export interface ListStoreDeps<T> {
  /** Tells this list from the others between the windows. */
  readonly name: string;
  readonly accounts: Accounts;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly read: (
    account: Account,
    signal: AbortSignal,
  ) => Promise<{ readonly items: readonly T[]; readonly skipped: number }>;
  /** Differs whenever an item does; the whole item where it is left out, which takes long for thousands. */
  readonly versionOf?: ((item: T) => string) | undefined;
}

export function createListStore<T>(deps: ListStoreDeps<T>): ListStore<T> & Disposable {
  return new AccountList(deps);
}

/**
 * A list of the active account. The last good one stays, with the error beside it; a list that changed
 * is read again in the other windows that show it. Its content never leaves the window.
 */
class AccountList<T> implements ListStore<T>, Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<Loaded<readonly T[]>>());
  private current: Loaded<readonly T[]> = { kind: 'idle' };
  private accountKey: string | undefined;
  private abort = new AbortController();
  private inFlight: Promise<void> | undefined;
  /** Begins when the one under way has ended. */
  private next: { tellOthers: boolean; readonly done: Promise<void> } | undefined;

  constructor(private readonly deps: ListStoreDeps<T>) {
    this.accountKey = deps.accounts.active?.key;
    this.owned.add(
      deps.accounts.onDidChange(() => {
        this.followAccount();
      }),
    );
    this.owned.add(
      deps.hub.on(this.topic, (data) => {
        if (data === this.accountKey && this.current.kind === 'ready') {
          void this.reread(false).catch(() => undefined);
        }
      }),
    );
  }

  get state(): Loaded<readonly T[]> {
    return this.current;
  }

  get onDidChange() {
    return this.changed.event;
  }

  /** Reads anew, after what is under way: what was changed before the call is in the result. */
  refresh(): Promise<void> {
    return this.reread(true);
  }

  dispose(): void {
    this.abort.abort();
    this.owned.dispose();
  }

  private get topic(): string {
    return `list.${this.deps.name}`;
  }

  private followAccount(): void {
    const key = this.deps.accounts.active?.key;
    if (key !== this.accountKey) {
      this.accountKey = key;
      this.abort.abort();
      this.abort = new AbortController();
      this.inFlight = undefined;
      this.next = undefined;
      this.become({ kind: 'idle' });
    }
  }

  /** Whoever asks while a read waits for the one under way shares it: the service spaces them out. */
  private reread(tellOthers: boolean): Promise<void> {
    if (this.next) {
      this.next.tellOthers ||= tellOthers;
      return this.next.done;
    }
    const { signal } = this.abort;
    const under = this.inFlight;
    const wanted = { tellOthers };
    const own: Promise<void> = (under?.catch(() => undefined) ?? Promise.resolve())
      .then(() => {
        if (this.next?.done === own) {
          this.next = undefined;
        }
        return this.read(signal, wanted.tellOthers);
      })
      .finally(() => {
        if (this.inFlight === own) {
          this.inFlight = undefined;
        }
      });
    if (under) {
      this.next = Object.assign(wanted, { done: own });
    }
    this.inFlight = own;
    return own;
  }

  private async read(signal: AbortSignal, tellOthers: boolean): Promise<void> {
    const account = this.deps.accounts.active;
    if (!account) {
      throw new NotSignedInError();
    }
    if (this.current.kind === 'idle' || this.current.kind === 'failed') {
      this.become({ kind: 'loading' });
    }
    try {
      const { items: value, skipped } = await this.deps.read(account, signal);
      if (this.isOver(signal)) {
        return;
      }
      const before = this.current;
      this.become(readyList(value, skipped, this.deps.clock.now()));
      const hasChanged =
        before.kind === 'ready' &&
        ((before.skipped ?? 0) !== skipped || !isSame(before.value, value, this.deps.versionOf));
      if (tellOthers && hasChanged) {
        this.deps.hub.broadcast(this.topic, account.key);
      }
    } catch (error) {
      if (!this.isOver(signal)) {
        this.become(this.current.kind === 'ready' ? { ...this.current, error } : { kind: 'failed', error });
      }
      throw error;
    }
  }

  private isOver(signal: AbortSignal): boolean {
    return signal.aborted;
  }

  private become(state: Loaded<readonly T[]>): void {
    this.current = state;
    this.changed.fire(state);
  }
}

/** The state of a list that was read; `skipped` stands in it only where there is something to say. */
export function readyList<T>(value: T, skipped: number, fetchedAt: number): Loaded<T> {
  return { kind: 'ready', value, fetchedAt, ...(skipped > 0 ? { skipped } : {}) };
}

function isSame<T>(
  one: readonly T[],
  other: readonly T[],
  versionOf: (item: T) => string = (item) => JSON.stringify(item),
): boolean {
  const versions = other.map(versionOf);
  return one.length === versions.length && one.every((item, index) => versionOf(item) === versions[index]);
}
