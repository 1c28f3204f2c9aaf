import type { Clock } from '../../util/clock';
import { MutableDisposable, type Disposable } from '../../util/disposable';

export interface GuardTimes {
  /** An answer counts only after the step was shown for this long (ms). */
  readonly settleMs: number;
  /** Accepts that are closer together than this come from a held key (ms). */
  readonly trainMs: number;
  /** An accept counts once no other has followed within this time (ms). */
  readonly aloneMs: number;
  /** The longest interval of a held key (ms); an accept within it may be the first repetition of the previous one. */
  readonly slowestMs: number;
}

export const guardTimes: GuardTimes = { settleMs: 600, trainMs: 700, aloneMs: 250, slowestMs: 2000 };

/**
 * For a question that appears by itself, possibly under a click or key meant for something else. A double click counts.
 */
export const unaskedTimes: GuardTimes = { settleMs: 500, trainMs: 200, aloneMs: 100, slowestMs: 0 };

/** Added to an interval that may be of a held key, because a busy editor receives keys late (ms). */
const latenessMs = 50;

/**
 * Distinguishes an Enter that the user pressed for this step from one that is held down or repeated from the step
 * before. The editor reports accepted steps but no keys, so only time can tell: a held key produces a train of accepts,
 * none of which counts, not even the last. No system repeats a key more slowly than its initial delay, so an accept
 * that may start a train waits for as long as the pause before it.
 */
export class AcceptGuard implements Disposable {
  private shownAt: number | undefined;
  private lastAcceptAt: number | undefined;
  /** The longest interval in the present train of accepts. */
  private trainPauseMs: number | undefined;
  private readonly waiting = new MutableDisposable<Disposable>();

  constructor(
    private readonly clock: Clock,
    private readonly times: GuardTimes = guardTimes,
  ) {}

  /** Call this when the guarded step appears. */
  shown(): void {
    this.shownAt = this.clock.elapsed();
    this.waiting.value = undefined;
  }

  /** Call this when the guarded step disappears; a waiting accept no longer counts. */
  hidden(): void {
    this.shownAt = undefined;
    this.waiting.value = undefined;
  }

  /** Notes an accept of another step, so that its repetitions are recognized. */
  note(): void {
    this.lastAcceptAt = this.clock.elapsed();
    this.trainPauseMs = undefined;
  }

  /** Handles an accept of the guarded step: runs the action if it was a single one, and returns false if it was not. */
  accept(action: () => void): boolean {
    const now = this.clock.elapsed();
    const pauseMs = this.lastAcceptAt === undefined ? Infinity : now - this.lastAcceptAt;
    const wasWaiting = this.waiting.value !== undefined;
    this.lastAcceptAt = now;
    this.waiting.value = undefined;
    const settled = this.shownAt !== undefined && now - this.shownAt >= this.times.settleMs;
    if (this.isOfTrain(pauseMs, wasWaiting) || !settled) {
      return false;
    }
    this.waiting.value = this.clock.schedule(() => {
      this.waiting.value = undefined;
      action();
    }, this.aloneMs(pauseMs));
    return true;
  }

  dispose(): void {
    this.hidden();
  }

  private isOfTrain(pauseMs: number, wasWaiting: boolean): boolean {
    const { trainMs } = this.times;
    const goesOn = this.trainPauseMs !== undefined && pauseMs <= this.trainPauseMs + latenessMs;
    const isOne = pauseMs < trainMs || wasWaiting || goesOn;
    this.trainPauseMs = isOne ? Math.max(pauseMs, goesOn ? (this.trainPauseMs ?? 0) : 0) : undefined;
    return isOne;
  }

  private aloneMs(pauseMs: number): number {
    const { aloneMs, slowestMs } = this.times;
    return pauseMs <= slowestMs ? Math.max(aloneMs, pauseMs + latenessMs) : aloneMs;
  }
}
