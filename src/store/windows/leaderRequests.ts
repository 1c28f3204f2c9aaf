import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { channel, type Channel } from '../../shared/channel';
import type { Clock } from '../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { CancelledError } from '../../util/errors';
import { reviveError, sharedError, shareError } from './sharedError';
import type { WindowHub } from './windowHub';

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onWait?: ((waitMs: number) => void) | undefined;
}

export interface LeaderRequestsDeps<T> {
  readonly hub: WindowHub;
  readonly clock: Clock;
  /** Identifies these requests to the other windows. */
  readonly topic: string;
  readonly what: z.ZodType<T>;
  /** Carries out a request in this window. */
  readonly doHere: (what: T, options: RequestOptions) => Promise<void>;
  /** A leader that has not accepted a request after this time counts as stuck. */
  readonly acceptedMs: number;
  /** A leader that has not finished it after this time counts as stuck as well. */
  readonly doneMs: number;
}

interface OpenRequest<T> {
  readonly what: T;
  readonly options: RequestOptions;
  readonly timer: MutableDisposable<Disposable>;
  readonly follow: (work: Promise<void>) => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** After a leader failed to answer, it is not waited for during this time. */
const deafMs = 60_000;

const named = z.object({ id: z.string() });
const taken = named.extend({ waitMs: z.number().optional() });
const done = named.extend({ error: sharedError.optional() });

/**
 * Requests that any window may make and the leading window carries out, so that they run in one place and in one
 * order.
 */
export class LeaderRequests<T> implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly open = new Map<string, OpenRequest<T>>();
  /** Requests that this window carries out for others. */
  private readonly atWork = new Map<string, AbortController>();
  private readonly asks: Channel<{ id: string; what: T }>;
  private readonly acceptances: Channel<z.infer<typeof taken>>;
  private readonly ends: Channel<z.infer<typeof done>>;
  private readonly drops: Channel<{ id: string }>;
  /** Until then (`Clock.elapsed`) the leader counts as stuck. */
  private deafUntil = 0;

  constructor(private readonly deps: LeaderRequestsDeps<T>) {
    const { hub, topic } = deps;
    this.asks = channel(`${topic}.ask`, named.extend({ what: deps.what }));
    this.acceptances = channel(`${topic}.taken`, taken);
    this.ends = channel(`${topic}.done`, done);
    this.drops = channel(`${topic}.drop`, named);
    this.owned.add(
      this.asks.on(hub, ({ id, what }) => {
        if (deps.hub.isLeader && !this.atWork.has(id)) {
          this.answer(id, what);
        }
      }),
    );
    this.owned.add(
      this.acceptances.on(hub, ({ id, waitMs }) => {
        const one = this.open.get(id);
        this.deafUntil = 0;
        // Without a timer this window is already carrying it out itself.
        if (one?.timer.value) {
          this.expect(one, deps.doneMs);
          if (waitMs !== undefined) {
            one.options.onWait?.(waitMs);
          }
        }
      }),
    );
    this.owned.add(
      this.ends.on(hub, ({ id, error }) => {
        const one = this.open.get(id);
        if (error) {
          one?.reject(reviveError(error));
        } else {
          one?.resolve();
        }
      }),
    );
    this.owned.add(this.drops.on(hub, ({ id }) => this.atWork.get(id)?.abort()));
    this.owned.add(
      deps.hub.onDidChangeLeader((leads) => {
        this.deafUntil = 0;
        for (const [id, one] of this.open) {
          if (leads) {
            one.follow(deps.doHere(one.what, one.options));
          } else {
            this.asks.send(this.deps.hub, { id, what: one.what });
            this.expect(one, deps.acceptedMs);
          }
        }
      }),
    );
  }

  ask(what: T, options: RequestOptions = {}): Promise<void> {
    const { hub, clock, doHere, acceptedMs } = this.deps;
    if (hub.isLeader || clock.elapsed() < this.deafUntil) {
      return doHere(what, options);
    }
    const { signal } = options;
    if (signal?.aborted) {
      return Promise.reject(new CancelledError());
    }
    const id = randomBytes(8).toString('hex');
    return new Promise<void>((resolve, reject) => {
      const timer = new MutableDisposable<Disposable>();
      const settle = (action: () => void) => {
        timer.dispose();
        signal?.removeEventListener('abort', onAbort);
        this.open.delete(id);
        action();
      };
      const onAbort = () => {
        this.drops.send(this.deps.hub, { id });
        one.reject(new CancelledError());
      };
      const one: OpenRequest<T> = {
        what,
        options,
        timer,
        resolve: () => {
          settle(resolve);
        },
        reject: (error) => {
          settle(() => {
            reject(error instanceof Error ? error : new Error(String(error)));
          });
        },
        follow: (work) => {
          timer.value = undefined;
          work.then(one.resolve, one.reject);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.open.set(id, one);
      this.expect(one, acceptedMs);
      this.asks.send(this.deps.hub, { id, what });
    });
  }

  dispose(): void {
    this.owned.dispose();
    for (const controller of this.atWork.values()) {
      controller.abort();
    }
    for (const one of this.open.values()) {
      one.reject(new CancelledError());
    }
  }

  private expect(one: OpenRequest<T>, withinMs: number): void {
    const { clock } = this.deps;
    one.timer.value = clock.schedule(() => {
      this.deafUntil = clock.elapsed() + deafMs;
      one.follow(this.deps.doHere(one.what, one.options));
    }, withinMs);
  }

  private answer(id: string, what: T): void {
    const controller = new AbortController();
    this.atWork.set(id, controller);
    this.acceptances.send(this.deps.hub, { id });
    const onWait = (waitMs: number) => {
      this.acceptances.send(this.deps.hub, { id, waitMs });
    };
    const end = (error?: unknown) => {
      this.atWork.delete(id);
      // The requester has dropped it, or asks the next leader.
      if (!controller.signal.aborted) {
        this.ends.send(this.deps.hub, { id, ...(error === undefined ? {} : { error: shareError(error) }) });
      }
    };
    this.deps.doHere(what, { signal: controller.signal, onWait }).then(() => end(), end);
  }
}
