import { systemClock, type Clock } from '../util/clock';
import { toDisposable, type Disposable } from '../util/disposable';

interface Timer {
  /** In milliseconds of `elapsed`: setting the clock of the computer delays no machine. */
  readonly at: number;
  readonly run: () => void;
}

/**
 * The simulator's time: the time of `base` plus what was skipped. Skipping runs the timers on the way in
 * their order, each at its own time, so that a skipped day has the same effects as a real one. `speed`
 * divides the waits of a booting machine and nothing else: money and dates keep to the true rate.
 */
export class SimClock implements Clock {
  private timers: Timer[] = [];
  private alarm: Disposable | undefined;
  /** While timers run, the time is that of the current timer. */
  private frozenAt: number | undefined;

  constructor(
    private readonly base: Clock = systemClock,
    private skippedMs = 0,
    private currentSpeed = 1,
  ) {}

  now(): number {
    const now = this.base.now() + this.skippedMs;
    return this.frozenAt === undefined ? now : now - (this.base.elapsed() + this.skippedMs - this.frozenAt);
  }

  elapsed(): number {
    return this.frozenAt ?? this.base.elapsed() + this.skippedMs;
  }

  nowSeconds(): number {
    return this.now() / 1000;
  }

  get offsetMs(): number {
    return this.skippedMs;
  }

  get speed(): number {
    return this.currentSpeed;
  }

  set speed(value: number) {
    this.currentSpeed = value > 0 && Number.isFinite(value) ? value : 1;
  }

  /** A wait of the machine's kind, in real milliseconds. */
  shortened(ms: number): number {
    return ms / this.currentSpeed;
  }

  schedule(run: () => void, delayMs: number): Disposable {
    const timer: Timer = { at: this.elapsed() + Math.max(0, delayMs), run };
    this.timers.push(timer);
    this.arm();
    return toDisposable(() => {
      this.timers = this.timers.filter((other) => other !== timer);
      this.arm();
    });
  }

  /** Skips time; timers that were due on the way have run when this returns. */
  advance(ms: number): void {
    this.runUntil(this.elapsed() + Math.max(0, ms));
    this.skippedMs += Math.max(0, ms);
    this.arm();
  }

  dispose(): void {
    this.timers = [];
    this.alarm?.dispose();
    this.alarm = undefined;
  }

  private runUntil(end: number): void {
    if (this.frozenAt !== undefined) {
      return;
    }
    try {
      for (;;) {
        const next = this.timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) {
          return;
        }
        this.timers = this.timers.filter((other) => other !== next);
        this.frozenAt = next.at;
        next.run();
      }
    } finally {
      this.frozenAt = undefined;
    }
  }

  private arm(): void {
    this.alarm?.dispose();
    this.alarm = undefined;
    const first = this.timers.reduce((least, timer) => Math.min(least, timer.at), Infinity);
    if (first === Infinity || this.frozenAt !== undefined) {
      return;
    }
    // The platform's timers hold at most 2^31 ms; a longer wait is armed again on the way.
    const delay = Math.min(Math.max(0, first - this.elapsed()), 2 ** 31 - 1);
    this.alarm = this.base.schedule(() => {
      this.runUntil(this.elapsed());
      this.arm();
    }, delay);
  }
}
