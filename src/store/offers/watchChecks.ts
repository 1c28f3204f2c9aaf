import * as z from 'zod';
import { micros, zero } from '../../model/money';
import { runningRateOfOffer } from '../../model/offers/localFilter';
import { toOfferSearch } from '../../model/offers/marketQuery';
import type { Offer } from '../../model/offers/offer';
import {
  matchesAfter,
  watchedSearch,
  type SearchWatch,
  type WatchMatch,
} from '../../model/offers/searchWatch';
import { perHour } from '../../model/quote';
import { machineName } from '../../model/rentals/rentFacts';
import { channel } from '../../shared/channel';
import { followAccount } from '../../shared/followAccount';
import type { Clock } from '../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { isCancelled, UserError } from '../../util/errors';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import type { Accounts } from '../accounts/accounts';
import type { DiskList } from '../disk/diskList';
import type { WindowHub } from '../windows/windowHub';
import type { SearchBudget } from './searchBudget';
import type { WatchFiles, WatchOnDisk, WatchState } from './watchFiles';

/** Time between two checks of one watch (ms). */
export const checkEveryMs = 3 * 60_000;
/** Minimum time between any two checks (ms). */
export const checksApartMs = 30_000;
/** A watch waits once this many searches ran in the last minute; the rest is left to the user. */
const watchShare = 4;
const longestBackOffMs = 30 * 60_000;
/** Timers stop while a computer sleeps, so the clock is checked this often (ms). */
const longestTimerMs = 30_000;

const foundShape = z.object({
  accountKey: z.string(),
  watchId: z.string(),
  name: z.string(),
  /** When these offers were first seen; identifies the find together with the watch. */
  since: z.number(),
  /** Cheapest first. */
  offers: z.array(z.object({ id: z.number(), machine: z.string(), perHour: micros })).readonly(),
});
/** Offers that match a watch and were first seen in the same check. */
export type WatchFound = Readonly<z.infer<typeof foundShape>>;

const finds = channel('watches.found', foundShape);
const wishes = channel('watches.wanted', z.object({ accountKey: z.string(), watchId: z.string() }));

export interface WatchChecksDeps {
  readonly accounts: Pick<Accounts, 'active' | 'onDidChange'>;
  readonly hub: WindowHub;
  readonly budget: Pick<SearchBudget, 'waitMs' | 'note'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly list: DiskList<WatchOnDisk, WatchFiles>;
}

/** Runs the watched searches in turn, in the leading window. Without a watch there is no timer. */
export class WatchChecks implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private readonly changed = this.owned.add(new Emitter<void>());
  private readonly found = this.owned.add(new Emitter<WatchFound>());
  private readonly wanted = new Set<string>();
  private readonly failures = new Map<string, number>();
  private accountKey: string | undefined;
  private checking: { readonly id: string; readonly abort: AbortController } | undefined;
  private checkedAt = 0;

  /** Fires when a check begins or ends. */
  readonly onDidChange = this.changed.event;
  readonly onDidFind = this.found.event;

  constructor(private readonly deps: WatchChecksDeps) {
    const { accounts, hub, list } = deps;
    this.owned.add(hub.onDidChangeLeader(() => this.plan()));
    this.owned.add(list.onDidChange(() => this.plan()));
    this.owned.add(
      wishes.on(hub, ({ accountKey, watchId }) => {
        if (accountKey === this.accountKey) {
          this.expect(watchId);
        }
      }),
    );
    this.owned.add(
      finds.on(hub, (found) => {
        if (found.accountKey === this.accountKey) {
          this.found.fire(found);
        }
      }),
    );
    this.owned.add(
      followAccount(accounts, (account) => {
        this.beginAgain(account?.key);
      }),
    );
  }

  /** The watch that is being checked now. */
  get current(): string | undefined {
    return this.checking?.id;
  }

  /** Requests a check as soon as the limit allows; the leading window runs it after rereading the list. */
  want(id: string): void {
    this.expect(id);
    if (this.accountKey !== undefined) {
      wishes.send(this.deps.hub, { accountKey: this.accountKey, watchId: id });
    }
  }

  cancel(id: string): void {
    if (this.checking?.id === id) {
      this.checking.abort.abort();
    }
  }

  dispose(): void {
    this.checking?.abort.abort();
    this.owned.dispose();
  }

  /** Kept only in the leading window: another window would check again when it starts to lead. */
  private expect(id: string): void {
    if (this.deps.hub.isLeader) {
      this.wanted.add(id);
    }
  }

  private beginAgain(accountKey: string | undefined): void {
    this.checking?.abort.abort();
    this.checking = undefined;
    this.accountKey = accountKey;
    this.wanted.clear();
    this.failures.clear();
    this.plan();
  }

  /** Sets the timer for the watch that is due next; none if this window has nothing to do. */
  private plan(): void {
    this.timer.value = undefined;
    const { hub, clock, accounts } = this.deps;
    const next = [...this.deps.list.rows].sort((a, b) => this.dueAt(a) - this.dueAt(b))[0];
    if (!next || !hub.isLeader || !accounts.active || this.checking || this.owned.isDisposed) {
      return;
    }
    const now = clock.now();
    const waitMs = Math.max(
      0,
      this.dueAt(next) - now,
      this.checkedAt > now ? 0 : this.checkedAt + checksApartMs - now,
      this.deps.budget.waitMs(watchShare),
    );
    const wake = () => (waitMs > longestTimerMs ? this.plan() : void this.wake(next.watch.id));
    this.timer.value = clock.schedule(wake, Math.min(waitMs, longestTimerMs));
  }

  /** Checks again at the last moment, because the user may have started a search in between. */
  private async wake(id: string): Promise<void> {
    const row = this.deps.list.rows.find(({ watch }) => watch.id === id);
    if (row && this.deps.budget.waitMs(watchShare) === 0) {
      await this.check(row);
    }
    this.plan();
  }

  private dueAt({ watch, state }: WatchOnDisk): number {
    if (this.wanted.has(watch.id)) {
      return 0;
    }
    const failures = this.failures.get(watch.id) ?? (state.error ? 1 : 0);
    const last = (failures === 0 ? state.checkedAt : state.error?.at) ?? 0;
    // The clock was set back, so a time in the future means nothing.
    return last > this.deps.clock.now() ? 0 : last + Math.min(checkEveryMs * 2 ** failures, longestBackOffMs);
  }

  /** Runs a check; never rejects. */
  private async check({ watch, state }: WatchOnDisk): Promise<void> {
    const { accounts, clock, log } = this.deps;
    const { active } = accounts;
    if (!active) {
      return;
    }
    const own = { id: watch.id, abort: new AbortController() };
    this.checking = own;
    this.checkedAt = clock.now();
    this.wanted.delete(watch.id);
    this.changed.fire();
    try {
      const search = toOfferSearch(watchedSearch(watch));
      this.deps.budget.note();
      const { items } = await active.client.offers.search(search, {
        signal: own.abort.signal,
        isUnasked: true,
      });
      if (this.checking === own) {
        const checkedAt = clock.now();
        const { maxPerHour } = watch;
        const hasOtherLimit = state.maxPerHour !== undefined && state.maxPerHour !== maxPerHour;
        const { matches, offers } = matchesAfter(watch, state.matches, items, checkedAt, hasOtherLimit);
        this.failures.delete(watch.id);
        await this.keep(watch.id, { checkedAt, maxPerHour, matches });
        this.postFound(active.key, watch, matches, offers);
      }
    } catch (error) {
      if (this.checking === own && !isCancelled(error)) {
        const failures = this.failures.get(watch.id) ?? 0;
        this.failures.set(watch.id, failures + 1);
        if (failures === 0) {
          log.warn(`A watched search could not be checked: ${String(error)}`);
        }
        const reason =
          error instanceof UserError
            ? error.text
            : text('Something unexpected happened. See the log for details.');
        await this.keep(watch.id, { ...state, error: { at: clock.now(), text: reason } });
      }
    } finally {
      if (this.checking === own) {
        this.checking = undefined;
        this.changed.fire();
      }
    }
  }

  /** Stores the result. A watch that has been removed in between leaves nothing behind. */
  private async keep(id: string, state: WatchState): Promise<void> {
    const { list, log } = this.deps;
    const { files } = list;
    try {
      await files?.putState(id, state);
      if ((await files?.read(id)) === undefined) {
        await files?.remove(id);
      }
    } catch (error) {
      log.warn(`The state of a watched search could not be kept: ${String(error)}`);
    }
    list.replace((row) => (row.watch.id === id ? { ...row, state } : row));
  }

  private postFound(
    accountKey: string,
    watch: SearchWatch,
    matches: readonly WatchMatch[],
    offers: readonly Offer[],
  ): void {
    const since = new Map(matches.map(({ offerId, firstSeenAt }) => [offerId, firstSeenAt]));
    const query = watchedSearch(watch);
    const priced = offers.map((offer) => {
      const rate = runningRateOfOffer(offer, query);
      return {
        id: offer.id,
        machine: machineName(offer),
        perHour: rate === undefined ? zero : perHour(rate),
      };
    });
    for (const time of new Set(since.values())) {
      const own = priced.filter(({ id }) => since.get(id) === time).sort((a, b) => a.perHour - b.perHour);
      if (own.length > 0) {
        const { id: watchId, name } = watch;
        const found: WatchFound = { accountKey, watchId, name, since: time, offers: own };
        finds.send(this.deps.hub, found);
        this.found.fire(found);
      }
    }
  }
}
