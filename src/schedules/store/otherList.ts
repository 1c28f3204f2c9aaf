import { withoutSecrets } from '../../model/instances/withoutSecrets';
import type { Loaded } from '../../shared/reading';
import type { Account } from '../../store/accounts/accounts';
import { missingIn } from '../../store/instances/fleetList';
import type { FleetSnapshot } from '../../store/instances/fleetStore';
import { longestGapMs } from '../../store/instances/idleWatch';
import type { Clock } from '../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';

export interface OtherListDeps {
  readonly account: Account;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns how long a list lasts (ms); `undefined` if nothing needs one. */
  readonly lastsMs: () => number | undefined;
  /** When the account was listed last, by `Clock.elapsed`. */
  readonly listedAt: number;
  /** Called when reads failed for so long that idle time is unknown. */
  readonly onUnread: () => void;
}

/** A list that could not be read is read again after this time at the latest (ms). */
const retryMs = 3_600_000;

/** The instances of an inactive account, read only as often as something needs them. */
export class OtherList implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly polled = this.owned.add(new Emitter<FleetSnapshot>());
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private readonly over = new AbortController();
  private reading: Promise<void> | undefined;
  private readAt: number;
  /** When the last read began, and whether it failed. */
  private begunAt: number;
  private hasFailed = false;
  private current: Loaded<FleetSnapshot> = { kind: 'idle' };

  readonly onDidPoll = this.polled.event;

  constructor(private readonly deps: OtherListDeps) {
    this.readAt = deps.clock.elapsed();
    this.begunAt = deps.listedAt;
  }

  get state(): Loaded<FleetSnapshot> {
    return this.current;
  }

  /** Aborts once the account is no longer followed. */
  get signal(): AbortSignal {
    return this.over.signal;
  }

  /** Reads the list if it is too old, and plans the next read. */
  readIfOld(): void {
    if (this.reading !== undefined || this.owned.isDisposed) {
      return;
    }
    const { clock, lastsMs } = this.deps;
    const lasts = lastsMs();
    if (lasts === undefined) {
      this.timer.value = undefined;
      return;
    }
    const remainingMs = this.begunAt + (this.hasFailed ? Math.min(lasts, retryMs) : lasts) - clock.elapsed();
    if (remainingMs <= 0) {
      void this.refresh();
    } else {
      this.timer.value = clock.schedule(() => this.readIfOld(), remainingMs);
    }
  }

  /** Reads the list. Never rejects; callers share a read that is under way. */
  refresh(): Promise<void> {
    if (this.reading === undefined) {
      this.timer.value = undefined;
      this.begunAt = this.deps.clock.elapsed();
      this.reading = this.read().finally(() => {
        this.reading = undefined;
        this.readIfOld();
      });
    }
    return this.reading;
  }

  dispose(): void {
    this.over.abort();
    this.owned.dispose();
  }

  private async read(): Promise<void> {
    const { account, clock, log, onUnread } = this.deps;
    const { signal } = this.over;
    try {
      const list = await account.client.instances.list({ isUnasked: true, signal });
      if (signal.aborted) {
        return;
      }
      this.readAt = clock.elapsed();
      this.hasFailed = false;
      const { items, skipped } = list;
      const value = { instances: items.map(withoutSecrets), skipped, ...missingIn(list) };
      this.current = { kind: 'ready', value, fetchedAt: clock.now() };
      this.polled.fire(value);
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      this.hasFailed = true;
      log.info(`The instances of another account could not be read: ${String(error)}`);
      if (clock.elapsed() - this.readAt >= longestGapMs) {
        onUnread();
      }
    }
  }
}
