import { MutableDisposable, toDisposable, type Disposable } from './disposable';
import { CancelledError } from './errors';

/** Time as an object, so that tests can move it. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number;
  /** Milliseconds since some moment of this process; setting the computer's clock does not change it. */
  elapsed(): number;
  /** Calls `run` once after `delayMs`; disposing cancels it. */
  schedule(run: () => void, delayMs: number): Disposable;
}

/** The time of this computer, running `pace` times as fast since `sinceMs` (Unix milliseconds). */
export class PacedClock implements Clock {
  constructor(
    private readonly pace: number,
    private readonly sinceMs: number,
  ) {}

  readonly now = () =>
    this.pace === 1 ? Date.now() : Math.round(this.sinceMs + (Date.now() - this.sinceMs) * this.pace);

  readonly elapsed = () => performance.now() * this.pace;

  readonly schedule = (run: () => void, delayMs: number): Disposable => {
    const timer = setTimeout(run, delayMs / this.pace);
    return toDisposable(() => {
      clearTimeout(timer);
    });
  };
}

/**
 * Returns the clock for limits on work of this computer, such as an answer of its
 * key ring: a pace speeds up the product, not the computer.
 */
export function atTruePace(clock: Clock): Clock {
  return clock instanceof PacedClock ? new PacedClock(1, 0) : clock;
}

/** `GPU_RENTAL_PACE` as a number from 1 to 20; anything else is 1. */
export function readPace(value: string | undefined): number {
  const pace = Number(value);
  return pace >= 1 && pace <= 20 ? pace : 1;
}

/**
 * Tests in a real editor set `GPU_RENTAL_PACE` so that they do not wait for polls and pacing. Windows compare
 * times with each other, so `GPU_RENTAL_PACE_SINCE` gives all processes of a test the start of the faster time.
 */
export const systemClock: Clock = new PacedClock(
  readPace(process.env['GPU_RENTAL_PACE']),
  Number(process.env['GPU_RENTAL_PACE_SINCE']) || Date.now(),
);

/** Measures the time since now, including sleep of the computer, which only the time of day shows. */
export function stopwatch(clock: Clock): () => number {
  const [at, elapsed] = [clock.now(), clock.elapsed()];
  return () => Math.max(clock.now() - at, clock.elapsed() - elapsed);
}

/** Waits; rejects with `CancelledError` as soon as the signal fires. */
export function wait(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(new CancelledError());
      return;
    }
    const onAbort = () => {
      timer.dispose();
      reject(new CancelledError());
    };
    const timer = clock.schedule(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Runs it now and again until disposed; each pause (ms) is twice the one before, up to the longest. */
export function repeat(
  clock: Clock,
  { first, longest }: { readonly first: number; readonly longest: number },
  run: () => void,
): Disposable {
  const next = new MutableDisposable<Disposable>();
  const again = (pauseMs: number) => {
    run();
    next.value = clock.schedule(() => {
      again(Math.min(2 * pauseMs, longest));
    }, pauseMs);
  };
  again(first);
  return next;
}

/** Waits until `atMs` after `since`, a value of `elapsed`. */
export function waitSince(clock: Clock, since: number, atMs: number, signal?: AbortSignal): Promise<void> {
  return wait(clock, since + atMs - clock.elapsed(), signal);
}
