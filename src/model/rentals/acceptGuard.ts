import type { Clock } from '../../util/clock';
import { MutableDisposable, type Disposable } from '../../util/disposable';

export interface GuardTimes {
  /** The step takes no answer before it was shown for so long. */
  readonly settleMs: number;
  /** Accepts closer together than this belong to one key held down. */
  readonly trainMs: number;
  /** An accept counts once no other has followed it for so long. */
  readonly aloneMs: number;
}

export const guardTimes: GuardTimes = { settleMs: 600, trainMs: 700, aloneMs: 250 };

/** For a question that comes up by itself, perhaps under a click or a key meant for what stood there; a double click counts. */
export const unaskedTimes: GuardTimes = { settleMs: 500, trainMs: 200, aloneMs: 100 };

/**
 * Tells an Enter that somebody pressed for this step from one held down or repeated from the step
 * before. The editor reports accepted steps but no keys, so it goes by time: a held key repeats in a
 * train, of which no part counts, not even its last.
 */
export class AcceptGuard implements Disposable {
  private shownAt: number | undefined;
  private lastAcceptAt: number | undefined;
  private readonly waiting = new MutableDisposable<Disposable>();

  constructor(
    private readonly clock: Clock,
    private readonly times: GuardTimes = guardTimes,
  ) {}

  /** The guarded step is on the screen. */
  shown(): void {
    this.shownAt = this.clock.now();
    this.waiting.value = undefined;
  }

  /** The guarded step is gone; an accept that waits no longer counts. */
  hidden(): void {
    this.shownAt = undefined;
    this.waiting.value = undefined;
  }

  /** An accept of another step, so that its repetitions are known. */
  note(): void {
    this.lastAcceptAt = this.clock.now();
  }

  /** An accept of the guarded step; runs the action if it turns out to be a single one. */
  accept(action: () => void): void {
    const now = this.clock.now();
    // The clock may have been set back meanwhile.
    const sinceLast = this.lastAcceptAt === undefined ? Infinity : Math.abs(now - this.lastAcceptAt);
    this.lastAcceptAt = now;
    this.waiting.value = undefined;
    const settled = this.shownAt !== undefined && Math.abs(now - this.shownAt) >= this.times.settleMs;
    if (!settled || sinceLast < this.times.trainMs) {
      return;
    }
    this.waiting.value = this.clock.schedule(() => {
      this.waiting.value = undefined;
      action();
    }, this.times.aloneMs);
  }

  dispose(): void {
    this.hidden();
  }
}
