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
  /** Whether anything depends on it; without that it is not read. */
  readonly isWanted: () => boolean;
  /** It could not be read for so long that nothing is known of what was idle meanwhile. */
  readonly onUnread: () => void;
}

/** As seldom as the list of the active account while nobody looks. */
const readEveryMs = 5 * 60_000;

/** The instances of an account that is not the active one, for what waits until one of them is idle. */
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

  /** Reads it now and then from here on, as long as it is wanted. */
  look(): void {
    if (this.timer.value === undefined && this.reading === undefined && this.isWanted) {
      void this.refresh();
    }
  }

  /** Never rejects; whoever asks while it is read shares it. */
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
