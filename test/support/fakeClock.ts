import type { Clock } from '../../src/util/clock';
import { toDisposable } from '../../src/util/disposable';
import { until } from './until';

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  /** Milliseconds that passed, whatever the time of day. */
  private passed = 0;
  private timers: { at: number; run: () => void }[] = [];

  /** `rest` lets everything come to rest that does not wait for this clock. */
  constructor(
    private startMs = Date.UTC(2026, 0, 15, 12),
    private readonly rest: () => Promise<void> = settle,
  ) {}

  now(): number {
    return this.startMs + this.passed;
  }

  elapsed(): number {
    return this.passed;
  }

  schedule(run: () => void, delayMs: number) {
    const timer = { at: this.passed + Math.max(0, delayMs), run };
    this.timers.push(timer);
    return toDisposable(() => {
      this.timers = this.timers.filter((other) => other !== timer);
    });
  }

  /** Changes the time of day as a sleeping computer or a set clock does: timers keep their distance. */
  jump(ms: number): void {
    this.startMs += ms;
  }

  /** How many timers wait; zero proves that nothing polls. */
  get pending(): number {
    return this.timers.length;
  }

  /** Milliseconds until the next timer is due. */
  get untilNext(): number | undefined {
    if (this.timers.length === 0) {
      return undefined;
    }
    return Math.max(0, Math.min(...this.timers.map(({ at }) => at)) - this.passed);
  }

  /** Moves time, running due timers in order and letting promises settle between them. */
  async advance(ms: number): Promise<void> {
    const end = this.passed + ms;
    await this.rest();
    for (;;) {
      const next = this.timers.filter((t) => t.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) {
        break;
      }
      this.timers = this.timers.filter((other) => other !== next);
      this.passed = Math.max(this.passed, next.at);
      next.run();
      await this.rest();
    }
    this.passed = end;
    await this.rest();
  }

  /** Moves time on, a step at a time, until a promise is settled. */
  async through<T>(promise: Promise<T>, stepMs = 1000): Promise<T> {
    let isSettled = false;
    const mark = () => {
      isSettled = true;
    };
    promise.then(mark, mark);
    await until(
      'it came to an end',
      async () => {
        await this.advance(stepMs);
        return isSettled;
      },
      { everyMs: 1 },
    );
    return promise;
  }
}

/** Runs something while this process's own clock is some milliseconds ahead, for code that takes no clock. */
export async function ahead(ms: number, run: () => Promise<void>): Promise<void> {
  const now = performance.now.bind(performance);
  performance.now = () => now() + ms;
  try {
    await run();
  } finally {
    performance.now = now;
  }
}

/**
 * Lets everything run that waits for nothing but this computer: what is resolved, callbacks of real sockets, and what
 * is being read from the disk or written to it, however long a busy disk takes.
 */
export async function settle(): Promise<void> {
  for (let quiet = 0; quiet < 5; quiet = isDiskBusy() ? 0 : quiet + 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function isDiskBusy(): boolean {
  return process.getActiveResourcesInfo().some((kind) => kind.startsWith('FSReq') || kind === 'CloseReq');
}
