import { withoutSecrets } from '../../model/instances/withoutSecrets';
import type { Loaded } from '../../shared/reading';
import type { Clock } from '../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import type { Account, FleetSnapshot } from '../ports';
import { longestGapMs } from './idleWatch';

export interface OtherListDeps {
  readonly account: Account;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns whether anything needs the list; otherwise it is not read. */
  readonly isWanted: () => boolean;
  /** Called when reads failed for so long that idle time is unknown. */
  readonly onUnread: () => void;
}

/** The same interval as for the active account in the background (ms). */
const readEveryMs = 5 * 60_000;

/** The instances of an inactive account, for schedules that wait for idle time. */
export class OtherList implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly polled = this.owned.add(new Emitter<FleetSnapshot>());
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private readonly over = new AbortController();
  private reading: Promise<void> | undefined;
  private readAt: number;
  private current: Loaded<FleetSnapshot> = { kind: 'idle' };

  readonly onDidPoll = this.polled.event;

  constructor(private readonly deps: OtherListDeps) {
    this.readAt = deps.clock.elapsed();
  }

  get state(): Loaded<FleetSnapshot> {
    return this.current;
  }

  /** Starts reading the list at intervals, as long as it is wanted. */
  look(): void {
    if (this.timer.value === undefined && this.reading === undefined && this.isWanted) {
      void this.refresh();
    }
  }

  /** Reads the list. Never rejects; callers share a read that is under way. */
  refresh(): Promise<void> {
    this.reading ??= this.read().finally(() => {
      this.reading = undefined;
      this.timer.value = this.isWanted
        ? this.deps.clock.schedule(() => {
            this.timer.value = undefined;
            this.look();
          }, readEveryMs)
        : undefined;
    });
    return this.reading;
  }

  dispose(): void {
    this.over.abort();
    this.owned.dispose();
  }

  private get isWanted(): boolean {
    return !this.owned.isDisposed && this.deps.isWanted();
  }

  private async read(): Promise<void> {
    const { account, clock, log, onUnread } = this.deps;
    const { signal } = this.over;
    try {
      const { items, skipped } = await account.client.instances.list({ isUnasked: true, signal });
      if (signal.aborted) {
        return;
      }
      this.readAt = clock.elapsed();
      const value = { instances: items.map(withoutSecrets), skipped };
      this.current = { kind: 'ready', value, fetchedAt: clock.now() };
      this.polled.fire(value);
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      log.info(`The instances of another account could not be read: ${String(error)}`);
      if (clock.elapsed() - this.readAt >= longestGapMs) {
        onUnread();
      }
    }
  }
}
