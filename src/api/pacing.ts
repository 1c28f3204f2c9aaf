import { wait, type Clock } from '../util/clock';
import type { LimitTable, RouteLimit } from './limits';

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onWait?: ((waitMs: number) => void) | undefined;
}

/** Added to each interval, because the service measures arrivals, which the network shifts. */
const marginMs = 50;
/** No learned interval and no single wait is longer, whatever an answer says. */
const longestWaitMs = 120_000;

interface RouteState {
  /** When the next call may leave. */
  nextAt: number;
  /** The slots given to recent calls; only kept where the route counts calls per period. */
  slots: number[];
  /** From a `detail` body; replaces the documented interval. */
  learnedMs?: number;
}

/** Keeps the calls of one account apart as far as the service wants, route by route. */
export class Pacer {
  private readonly routes = new Map<string, RouteState>();

  constructor(
    private readonly clock: Clock,
    private readonly limits: LimitTable,
  ) {}

  /** Waits until a call of this route may leave and takes the slot. Rejects with `CancelledError`. */
  async acquire(route: string, options: WaitOptions = {}): Promise<void> {
    const state = this.state(route);
    const limit = this.limits[route] ?? {};
    const now = this.clock.elapsed();
    const before = state.nextAt;
    const at = Math.max(now, state.nextAt, earliestInPeriod(state.slots, limit));
    const intervalMs = this.intervalMs(route);
    const after = intervalMs === 0 ? at : at + intervalMs + marginMs;
    state.nextAt = after;
    if (limit.perPeriod) {
      state.slots.push(at);
      state.slots = state.slots.slice(-limit.perPeriod.calls);
    }
    if (at <= now) {
      return;
    }
    options.onWait?.(at - now);
    try {
      await wait(this.clock, at - now, options.signal);
    } catch (error) {
      // The slot goes back unless somebody has queued behind it.
      if (state.nextAt === after) {
        state.nextAt = before;
        state.slots = state.slots.filter((slot) => slot !== at);
      }
      throw error;
    }
  }

  /** The service named the least interval of this route. */
  learn(route: string, intervalMs: number): void {
    this.state(route).learnedMs = Math.min(Math.max(intervalMs, 0), longestWaitMs);
  }

  /** No call of this route leaves for this long. */
  holdBack(route: string, waitMs: number): void {
    const state = this.state(route);
    state.nextAt = Math.max(state.nextAt, this.clock.elapsed() + Math.min(waitMs, longestWaitMs));
  }

  /** What is known or learned; 0 where nothing is. */
  intervalMs(route: string): number {
    return this.routes.get(route)?.learnedMs ?? this.limits[route]?.intervalMs ?? 0;
  }

  private state(route: string): RouteState {
    const known = this.routes.get(route);
    if (known) {
      return known;
    }
    const made: RouteState = { nextAt: 0, slots: [] };
    this.routes.set(route, made);
    return made;
  }
}

function earliestInPeriod(slots: readonly number[], limit: RouteLimit): number {
  const period = limit.perPeriod;
  const oldest = period === undefined ? undefined : slots[slots.length - period.calls];
  return period === undefined || oldest === undefined ? 0 : oldest + period.periodMs + marginMs;
}
