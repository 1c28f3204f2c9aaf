import * as z from 'zod';
import { documentedLimits, type LimitTable } from '../../api/limits';
import { longestWaitMs, Pacer, type PacedCall, type Pacing, type Rank } from '../../api/pacing';
import { channel } from '../../shared/channel';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { LeaderRequests, type RequestOptions } from './leaderRequests';
import { reviveError, sharedError, shareError } from './sharedError';
import type { WindowHub } from './windowHub';

export interface SharedPacingDeps {
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly limits?: LimitTable;
  /** Returns whether the user is in this window. */
  readonly isInFront: () => boolean;
}

/** A leader that does not answer in this time delays no read: this window then uses its own knowledge. */
const acceptedMs = 3_000;

const read = z.object({
  accountKey: z.string(),
  route: z.string(),
  rank: z.union([z.literal(0), z.literal(1), z.literal(2)]),
});
type Read = z.infer<typeof read>;

const news = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('left'), repeat: z.enum(['read', 'write']) }),
  z.object({ kind: z.literal('refused'), waitMs: z.number(), intervalMs: z.number().optional() }),
  z.object({ kind: z.literal('failed'), error: sharedError, reach: z.enum(['route', 'service']) }),
  z.object({ kind: z.literal('worked') }),
]);
type News = z.infer<typeof news>;
const messages = channel('pacing.news', z.object({ accountKey: z.string(), route: z.string(), news }));

/**
 * One pace per account over all windows. The leading window admits reads in one order; each window paces its writes
 * itself, so that a write never waits for another window. All windows share what one learns about the service.
 */
export class SharedPacing implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly pacers = new Map<string, Pacer>();
  private readonly requests: LeaderRequests<Read>;
  private readonly recovered = this.owned.add(new Emitter<string>());
  /** Fires with the key of the account. */
  readonly onDidRecover = this.recovered.event;

  constructor(private readonly deps: SharedPacingDeps) {
    this.requests = this.owned.add(
      new LeaderRequests({
        ...deps,
        topic: 'pacing.read',
        what: read,
        doHere: ({ accountKey, ...call }, options) =>
          this.letGo(accountKey, { ...call, repeat: 'read' }, options),
        acceptedMs,
        doneMs: longestWaitMs,
      }),
    );
    this.owned.add(
      messages.on(deps.hub, (received) => {
        this.apply(received.accountKey, received.route, received.news);
      }),
    );
  }

  of(accountKey: string): Pacing {
    const pacer = this.pacer(accountKey);
    return {
      acquire: (call, options = {}) => this.acquire(accountKey, call, options),
      refused: (route, waitMs, intervalMs) => {
        pacer.refused(route, waitMs, intervalMs);
        const learned = intervalMs === undefined ? {} : { intervalMs };
        this.sendNews(accountKey, route, { kind: 'refused', waitMs, ...learned });
      },
      failed: (route, error, reach) => {
        pacer.failed(route, error, reach);
        this.sendNews(accountKey, route, { kind: 'failed', error: shareError(error), reach });
      },
      worked: (route) => {
        if (pacer.isFailing(route)) {
          pacer.worked(route);
          this.recovered.fire(accountKey);
          this.sendNews(accountKey, route, { kind: 'worked' });
        }
      },
      isFailing: (route) => pacer.isFailing(route),
      intervalMs: (route) => pacer.intervalMs(route),
    };
  }

  dispose(): void {
    this.owned.dispose();
    for (const pacer of this.pacers.values()) {
      pacer.dispose();
    }
  }

  private acquire(accountKey: string, call: PacedCall, options: RequestOptions): Promise<void> {
    if (call.repeat === 'write') {
      return this.letGo(accountKey, call, options);
    }
    const { route } = call;
    const rank: Rank = call.rank === 0 || this.deps.isInFront() ? call.rank : 2;
    return this.requests.ask({ accountKey, route, rank }, options);
  }

  private async letGo(accountKey: string, call: PacedCall, options: RequestOptions): Promise<void> {
    await this.pacer(accountKey).acquire(call, options);
    this.sendNews(accountKey, call.route, { kind: 'left', repeat: call.repeat });
  }

  private apply(accountKey: string, route: string, what: News): void {
    const pacer = this.pacer(accountKey);
    switch (what.kind) {
      case 'left':
        pacer.note({ route, repeat: what.repeat });
        break;
      case 'refused':
        pacer.refused(route, what.waitMs, what.intervalMs);
        break;
      case 'failed':
        pacer.failed(route, reviveError(what.error), what.reach);
        break;
      case 'worked':
        pacer.worked(route);
        this.recovered.fire(accountKey);
        break;
    }
  }

  private sendNews(accountKey: string, route: string, what: News): void {
    messages.send(this.deps.hub, { accountKey, route, news: what });
  }

  private pacer(accountKey: string): Pacer {
    const known = this.pacers.get(accountKey);
    if (known) {
      return known;
    }
    const made = new Pacer(this.deps.clock, this.deps.limits ?? documentedLimits);
    this.pacers.set(accountKey, made);
    return made;
  }
}
