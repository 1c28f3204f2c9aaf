import { putOffMs } from '../model/instances/pollPlan';
import type { Clock } from '../util/clock';
import { MutableDisposable, type Disposable } from '../util/disposable';
import { CancelledError } from '../util/errors';
import type { Repeat } from './http';
import { allReads, type LimitTable, type RouteLimit } from './limits';

/** Who waits for a call: 0 the user, 1 a view of the window in front, 2 the background. */
export type Rank = 0 | 1 | 2;

export interface PacedCall {
  readonly route: string;
  readonly repeat: Repeat;
  readonly rank: Rank;
}

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onWait?: ((waitMs: number) => void) | undefined;
}

/** Whether one route fails, or the service as a whole. */
export type Reach = 'route' | 'service';

/** Keeps the calls of an account as far apart as the service wants. */
export interface Pacing {
  /**
   * Settles when the call may leave. Rejects with `CancelledError`, and for a read
   * in the background with the known failure of the service.
   */
  acquire(call: PacedCall, options?: WaitOptions): Promise<void>;
  /**
   * The service refused a call of this route: none is sent for `waitMs`;
   * `intervalMs` is the interval that the service named.
   */
  refused(route: string, waitMs: number, intervalMs: number | undefined): void;
  /** A read gave up; until another one works, reads in the background are made ever more rarely. */
  failed(route: string, error: unknown, reach: Reach): void;
  /** The service answered. */
  worked(route: string): void;
  /** Whether the last read of this route gave up. */
  isFailing(route: string): boolean;
  /** The documented or learned interval; 0 if unknown. */
  intervalMs(route: string): number;
}

/** Added to each interval, because the service measures arrivals, which the network shifts. */
const marginMs = 50;
/** No learned interval and no single wait is longer, for any answer. */
export const longestWaitMs = 120_000;
/** A read that tests whether the service works again has ended by then. */
const probeMs = 30_000;

interface Slots {
  /** When the next call may leave. */
  nextAt: number;
  /** The slots given to recent calls; only kept where calls per period are counted. */
  recent: number[];
}

interface RouteState extends Slots {
  /** From a `detail` body; replaces the documented interval. */
  learnedMs?: number;
}

interface Failing {
  readonly error: unknown;
  readonly failures: number;
  readonly since: number;
  probedAt: number;
}

interface Waiting {
  readonly call: PacedCall;
  readonly send: () => void;
  readonly giveUp: (error: unknown) => void;
}

/**
 * Keeps the calls of one account apart, route by route and all reads together.
 * Calls of the user are sent first; writes wait for calls of their own route alone.
 */
export class Pacer implements Pacing, Disposable {
  private readonly routes = new Map<string, RouteState>();
  private readonly failing = new Map<string, Failing>();
  /** In the order in which they leave. */
  private waiting: readonly Waiting[] = [];
  private readonly timer = new MutableDisposable<Disposable>();

  constructor(
    private readonly clock: Clock,
    private readonly limits: LimitTable,
  ) {}

  async acquire(call: PacedCall, { signal, onWait }: WaitOptions = {}): Promise<void> {
    if (signal?.aborted) {
      throw new CancelledError();
    }
    this.refuseWhileFailing(call);
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        end();
        reject(new CancelledError());
        this.sendDue();
      };
      const end = () => {
        signal?.removeEventListener('abort', onAbort);
        this.waiting = this.waiting.filter((other) => other !== own);
      };
      const own: Waiting = {
        call,
        send: () => {
          end();
          resolve();
        },
        giveUp: (error) => {
          end();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.waiting = [...this.waiting, own].sort((one, other) => one.call.rank - other.call.rank);
      this.sendDue();
      if (this.waiting.includes(own)) {
        onWait?.(this.waitOf(own));
      }
    });
  }

  /** Another window made this call. */
  note({ route, repeat }: Pick<PacedCall, 'route' | 'repeat'>): void {
    this.count(route, repeat, this.clock.elapsed());
    this.sendDue();
  }

  refused(route: string, waitMs: number, intervalMs: number | undefined): void {
    const state = this.state(route);
    if (intervalMs !== undefined) {
      state.learnedMs = Math.min(Math.max(intervalMs, 0), longestWaitMs);
    }
    state.nextAt = Math.max(state.nextAt, this.clock.elapsed() + Math.min(waitMs, longestWaitMs));
    this.sendDue();
  }

  failed(route: string, error: unknown, reach: Reach): void {
    const place = reach === 'service' ? allReads : route;
    const before = this.failing.get(place);
    const now = this.clock.elapsed();
    const isSamePause = before !== undefined && now < before.since + putOffMs(before.failures);
    this.failing.set(
      place,
      isSamePause
        ? { ...before, error }
        : { error, failures: (before?.failures ?? 0) + 1, since: now, probedAt: -Infinity },
    );
    for (const { call, giveUp } of this.waiting) {
      if (isPutOff(call) && (reach === 'service' || call.route === route)) {
        giveUp(error);
      }
    }
    this.sendDue();
  }

  worked(route: string): void {
    this.failing.delete(route);
    this.failing.delete(allReads);
  }

  isFailing(route: string): boolean {
    return this.failing.has(route) || this.failing.has(allReads);
  }

  intervalMs(route: string): number {
    return this.routes.get(route)?.learnedMs ?? this.limits[route]?.intervalMs ?? 0;
  }

  dispose(): void {
    this.timer.dispose();
  }

  /** While the service fails, one read after each pause finds out whether it works again. */
  private refuseWhileFailing(call: PacedCall): void {
    const now = this.clock.elapsed();
    const known = [call.route, allReads].flatMap((place) => this.failing.get(place) ?? []);
    if (!isPutOff(call)) {
      return;
    }
    for (const { error, since, failures, probedAt } of known) {
      if (now < since + putOffMs(failures) || now < probedAt + probeMs) {
        throw error;
      }
    }
    for (const failing of known) {
      failing.probedAt = now;
    }
  }

  /** Sends the calls that may leave now, and schedules the next ones. */
  private sendDue(): void {
    const now = this.clock.elapsed();
    const held = new Set<string>();
    let next = Infinity;
    for (const { call, send } of this.waiting) {
      const at = held.has(call.route) ? Infinity : this.earliest(call);
      if (at <= now) {
        this.count(call.route, call.repeat, now);
        send();
      } else {
        // Those behind it on the same route wait as well.
        held.add(call.route);
        next = Math.min(next, at);
      }
    }
    this.timer.value = next === Infinity ? undefined : this.clock.schedule(() => this.sendDue(), next - now);
  }

  private earliest({ route, repeat }: PacedCall): number {
    const own = earliestOf(this.state(route), this.limits[route]);
    return repeat === 'read' ? Math.max(own, earliestOf(this.state(allReads), this.limits[allReads])) : own;
  }

  private count(route: string, repeat: Repeat, at: number): void {
    useSlot(this.state(route), at, this.intervalMs(route), this.limits[route]);
    if (repeat === 'read') {
      useSlot(this.state(allReads), at, 0, this.limits[allReads]);
    }
  }

  /** Returns how long it waits, unless a later call is sent before it. */
  private waitOf(own: Waiting): number {
    const { route } = own.call;
    const { nextAt, recent } = this.state(route);
    const slots: Slots = { nextAt, recent: [...recent] };
    const limit = this.limits[route];
    const now = this.clock.elapsed();
    for (const { call } of this.waiting.slice(0, this.waiting.indexOf(own))) {
      if (call.route === route) {
        useSlot(slots, Math.max(now, earliestOf(slots, limit)), this.intervalMs(route), limit);
      }
    }
    const all = own.call.repeat === 'read' ? earliestOf(this.state(allReads), this.limits[allReads]) : 0;
    return Math.max(earliestOf(slots, limit), all) - now;
  }

  private state(route: string): RouteState {
    const known = this.routes.get(route);
    if (known) {
      return known;
    }
    const made: RouteState = { nextAt: 0, recent: [] };
    this.routes.set(route, made);
    return made;
  }
}

/** Reads in the background are not made while they are known to fail. */
function isPutOff({ repeat, rank }: PacedCall): boolean {
  return repeat === 'read' && rank > 0;
}

function useSlot(slots: Slots, at: number, intervalMs: number, limit: RouteLimit = {}): void {
  slots.nextAt = Math.max(slots.nextAt, intervalMs === 0 ? at : at + intervalMs + marginMs);
  if (limit.perPeriod) {
    slots.recent = [...slots.recent, at].slice(-limit.perPeriod.calls);
  }
}

function earliestOf({ nextAt, recent }: Slots, { perPeriod: period }: RouteLimit = {}): number {
  const oldest = period === undefined ? undefined : recent[recent.length - period.calls];
  return period === undefined || oldest === undefined
    ? nextAt
    : Math.max(nextAt, oldest + period.periodMs + marginMs);
}
