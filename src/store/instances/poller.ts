import { backOffMs } from '../../model/instances/pollPlan';
import type { Clock } from '../../util/clock';
import { MutableDisposable, type Disposable } from '../../util/disposable';

export interface PollerDeps {
  readonly clock: Clock;
  /** 0 to 1, to spread retries. */
  readonly random: () => number;
  /** Milliseconds between two reads; undefined for never. */
  readonly interval: () => number | undefined;
  /** Reads once; a rejection counts as a failure and delays the next read. */
  readonly read: (options: { readonly signal: AbortSignal; readonly isUnasked: boolean }) => Promise<void>;
}

/** Timers stop while a computer sleeps, so the clock is checked at least this often (ms). */
const longestTimerMs = 30_000;

/** Runs one read at a time, at an interval that may change at any moment. */
export class Poller implements Disposable {
  private readonly timer = new MutableDisposable<Disposable>();
  private abort = new AbortController();
  private inFlight: Promise<void> | undefined;
  private queued: Promise<void> | undefined;
  private attemptedAt = 0;
  private failures = 0;
  private pauseMs = 0;

  constructor(private readonly deps: PollerDeps) {}

  /** Drops all state and stops the current read, for another account. */
  reset(): void {
    this.abort.abort();
    this.abort = new AbortController();
    this.timer.value = undefined;
    this.inFlight = undefined;
    this.queued = undefined;
    this.attemptedAt = 0;
    this.failures = 0;
    this.pauseMs = 0;
  }

  /** Notes that another window read at this time (ms); the next read counts from it. */
  wasReadAt(time: number): void {
    this.attemptedAt = Math.max(this.attemptedAt, time);
  }

  /** Notes that the service works again: a failed read is retried immediately. */
  recovered(): void {
    if (this.failures > 0 && !this.inFlight) {
      this.countFailures(this.abort.signal, 0);
      this.attemptedAt = 0;
      this.plan();
    }
  }

  /** Sets the timer again; call it when the inputs of `interval` change. */
  plan(): void {
    this.timer.value = undefined;
    const interval = this.inFlight || this.abort.signal.aborted ? undefined : this.deps.interval();
    if (interval === undefined) {
      return;
    }
    const now = this.deps.clock.now();
    if (now < this.attemptedAt) {
      // The clock was set back, so a time in the future means nothing.
      this.attemptedAt = 0;
    }
    const dueAt = this.attemptedAt + Math.max(interval, this.pauseMs);
    const wake = () => {
      if (dueAt <= this.deps.clock.now()) {
        // The error is part of the state that every view shows.
        void this.poll(true).catch(() => undefined);
      } else {
        this.plan();
      }
    };
    this.timer.value = this.deps.clock.schedule(wake, Math.min(Math.max(dueAt - now, 0), longestTimerMs));
  }

  /** Starts a read after this moment; callers during a read share the next one. */
  readNow(): Promise<void> {
    if (!this.inFlight) {
      return this.poll(false);
    }
    const { signal } = this.abort;
    this.queued ??= this.inFlight
      .catch(() => undefined)
      .then(() => {
        this.queued = undefined;
        return signal.aborted ? undefined : this.poll(false);
      });
    return this.queued;
  }

  dispose(): void {
    this.abort.abort();
    this.timer.dispose();
  }

  private poll(isUnasked: boolean): Promise<void> {
    if (this.inFlight) {
      return this.inFlight;
    }
    this.timer.value = undefined;
    this.attemptedAt = this.deps.clock.now();
    const { signal } = this.abort;
    const own = this.deps
      .read({ signal, isUnasked })
      .then(
        () => {
          this.countFailures(signal, 0);
        },
        (error: unknown) => {
          // The attempt itself may have taken a minute.
          this.attemptedAt = this.deps.clock.now();
          this.countFailures(signal, this.failures + 1);
          throw error;
        },
      )
      .finally(() => {
        if (this.inFlight === own) {
          this.inFlight = undefined;
          this.plan();
        }
      });
    this.inFlight = own;
    return own;
  }

  private countFailures(signal: AbortSignal, failures: number): void {
    if (!signal.aborted) {
      this.failures = failures;
      this.pauseMs = backOffMs(failures, this.deps.random());
    }
  }
}
