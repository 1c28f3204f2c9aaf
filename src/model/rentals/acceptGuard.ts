import type { Clock } from '../../util/clock';
import { MutableDisposable, type Disposable } from '../../util/disposable';

export interface GuardTimes {
  /** The step takes no answer before it was shown for so long. */
  readonly settleMs: number;
  /** Accepts closer together than this belong to one key held down. */
  readonly trainMs: number;
  /** An accept counts once no other has followed it for so long. */
  readonly aloneMs: number;
  /** The longest pause of a key held down; an accept that follows another within it may be its first repetition. */
  readonly slowestMs: number;
}

export const guardTimes: GuardTimes = { settleMs: 600, trainMs: 700, aloneMs: 250, slowestMs: 2000 };

/** For a question that comes up by itself, perhaps under a click or a key meant for what stood there; a double click counts. */
export const unaskedTimes: GuardTimes = { settleMs: 500, trainMs: 200, aloneMs: 100, slowestMs: 0 };

/** Added to a pause that may be one of a key held down, since a busy editor hears keys late. */
const latenessMs = 50;

/**
 * Tells an Enter that somebody pressed for this step from one held down or repeated from the step
 * before. The editor reports accepted steps but no keys, so it goes by time: a held key repeats in a
 * train, of which no part counts, not even its last. No system repeats a key more slowly than it
 * begins to, so an accept that may be the first of a train waits for as long as it was in coming.
 */
export class AcceptGuard implements Disposable {
  private shownAt: number | undefined;
  private lastAcceptAt: number | undefined;
  /** The longest pause of the train that is heard now. */
  private trainPauseMs: number | undefined;
  private readonly waiting = new MutableDisposable<Disposable>();

  constructor(
    private readonly clock: Clock,
    private readonly times: GuardTimes = guardTimes,
  ) {}

  /** The guarded step is on the screen. */
  shown(): void {
    this.shownAt = this.clock.elapsed();
    this.waiting.value = undefined;
  }

  /** The guarded step is gone; an accept that waits no longer counts. */
  hidden(): void {
    this.shownAt = undefined;
    this.waiting.value = undefined;
  }

  /** An accept of another step, so that its repetitions are known. */
  note(): void {
    this.lastAcceptAt = this.clock.elapsed();
    this.trainPauseMs = undefined;
  }

  /** An accept of the guarded step; runs the action if it turns out to be a single one. */
  accept(action: () => void): void {
    const now = this.clock.elapsed();
    const pauseMs = this.lastAcceptAt === undefined ? Infinity : now - this.lastAcceptAt;
    const wasWaiting = this.waiting.value !== undefined;
    this.lastAcceptAt = now;
    this.waiting.value = undefined;
    const settled = this.shownAt !== undefined && now - this.shownAt >= this.times.settleMs;
    if (this.isOfTrain(pauseMs, wasWaiting) || !settled) {
      return;
    }
    this.waiting.value = this.clock.schedule(() => {
      this.waiting.value = undefined;
      action();
    }, this.aloneMs(pauseMs));
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
