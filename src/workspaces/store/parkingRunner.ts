import { followAccount } from '../../shared/followAccount';
import type { Accounts } from '../../store/accounts/accounts';
import type { Notices } from '../../store/windows/notices';
import { DisposableStore, toDisposable, type Disposable } from '../../util/disposable';
import {
  accountOf,
  decisionOf,
  isAtRest,
  longestParkingPauseMs,
  parkingAfter,
  type ParkedRow,
} from '../model/parking';
import { postNews } from './parkingNotice';
import { runParkingStep, type ParkingStepDeps, type SeenHere } from './parkingSteps';

export interface ParkingRunnerDeps extends ParkingStepDeps {
  readonly accounts: Pick<Accounts, 'active' | 'onDidChange'>;
  readonly notices: Pick<Notices, 'post'>;
}

/** Milliseconds before a step that failed on this computer is retried. */
const brokenMs = 30_000;

interface Followed {
  /** Ends the pause. */
  wake: () => void;
  /** Ends a step that a decision of the user makes pointless. */
  cut: () => void;
}

/** Works on parked sets in the leading window. Without an open set there is no timer. */
export class ParkingRunner implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly followed = new Map<string, Followed>();
  private readonly seen: SeenHere = { looks: new Map(), copies: new Map(), carries: new Map() };
  private stop = new AbortController();

  constructor(private readonly deps: ParkingRunnerDeps) {
    const { accounts, hub, parkings, fleet } = deps;
    const check = () => {
      this.check();
    };
    this.owned.add(parkings.onDidChange(check));
    this.owned.add(
      followAccount(accounts, () => {
        // What a step reads next would be of the other account.
        this.followed.forEach(({ cut }) => {
          cut();
        });
        this.wakeAll();
        return undefined;
      }),
    );
    this.owned.add(
      fleet.onDidChange(() => (parkings.open.length > 0 ? undefined : void parkings.findUnannounced())),
    );
    this.owned.add(
      hub.onDidChangeLeader(() => {
        this.stop.abort();
        this.stop = new AbortController();
        this.seen.looks.clear();
        this.seen.copies.clear();
        this.seen.carries.clear();
        this.wakeAll();
        check();
      }),
    );
    this.owned.add(toDisposable(() => this.stop.abort()));
    check();
  }

  dispose(): void {
    this.owned.dispose();
    this.wakeAll();
  }

  private check(): void {
    if (!this.deps.hub.isLeader || this.owned.isDisposed) {
      return;
    }
    for (const row of this.deps.parkings.open) {
      const { id } = row.set;
      const known = this.followed.get(id);
      if (!known) {
        this.followed.set(id, { wake: () => undefined, cut: () => undefined });
        void this.follow(id, this.stop.signal).finally(() => {
          this.followed.delete(id);
          this.check();
        });
      } else if (decisionOf(row)) {
        known.cut();
        known.wake();
      }
    }
  }

  private wakeAll(): void {
    this.followed.forEach(({ wake }) => {
      wake();
    });
  }

  /** Follows a set until it rests; never rejects. */
  private async follow(id: string, over: AbortSignal): Promise<void> {
    let isWoken = false;
    while (!over.aborted) {
      const waitMs: number | undefined = await this.step(id, isWoken, over).catch((error: unknown) => {
        this.deps.log.error(`The parked set ${id} could not be carried on`, error);
        return brokenMs;
      });
      if (waitMs === undefined) {
        return;
      }
      isWoken = waitMs > 0 && (await this.pause(id, waitMs, over));
    }
  }

  /** Returns the wait before the next step (ms); `undefined` if there is none. */
  private async step(id: string, isWoken: boolean, over: AbortSignal): Promise<number | undefined> {
    const { parkings, clock, accounts } = this.deps;
    const row = await parkings.reread(id);
    if (!row || isAtRest(row)) {
      return undefined;
    }
    const remainingMs = this.untilNextTry(row);
    if (remainingMs > 0 && !isWoken && !decisionOf(row)) {
      return remainingMs;
    }
    const cut = new AbortController();
    const followed = this.followed.get(id);
    if (followed) {
      followed.cut = () => {
        cut.abort();
      };
    }
    const { active } = accounts;
    const account = active?.key === accountOf(row) ? active : undefined;
    const { event, waitMs = 0 } = await runParkingStep(
      this.deps,
      account,
      row,
      AbortSignal.any([over, cut.signal]),
      this.seen,
    );
    if (over.aborted || !event) {
      return waitMs;
    }
    if (account && accounts.active?.key !== account.key) {
      // Its own account finds out again what it is worth.
      return 1;
    }
    const now = clock.now();
    const state = parkingAfter(row.set, row.state, event, now);
    await parkings.putState(state);
    postNews(this.deps, { set: row.set, state });
    return event.kind === 'failed' ? Math.max(1, this.untilNextTry({ set: row.set, state })) : waitMs;
  }

  private untilNextTry({ state: { trouble } }: ParkedRow): number {
    if (!trouble) {
      return 0;
    }
    const remainingMs = (trouble.nextTryAt ?? Infinity) - this.deps.clock.now();
    // A longer one comes from a clock that was set back.
    return trouble.nextTryAt === undefined || remainingMs <= longestParkingPauseMs
      ? Math.min(remainingMs, longestParkingPauseMs)
      : 0;
  }

  /** Waits; returns true if something was decided or changed before the time was up. */
  private pause(id: string, waitMs: number, over: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const followed = this.followed.get(id);
      const end = (isWoken: boolean) => {
        timer.dispose();
        over.removeEventListener('abort', onOver);
        if (followed) {
          followed.wake = () => undefined;
        }
        resolve(isWoken);
      };
      const onOver = () => {
        end(false);
      };
      const timer = this.deps.clock.schedule(() => {
        end(false);
      }, waitMs);
      over.addEventListener('abort', onOver);
      if (followed) {
        followed.wake = () => {
          end(true);
        };
      }
      if (over.aborted) {
        end(false);
      }
    });
  }
}
