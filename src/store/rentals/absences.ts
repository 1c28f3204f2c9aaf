import type { Clock } from '../../util/clock';

/**
 * Tracks how long things have been missing, by key. Counts elapsed time on this computer, so that a clock that was set
 * ahead is no reason to give up.
 */
export class Absences {
  /** When each was first missing (`Clock.elapsed`). */
  private readonly since = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, 'elapsed'>) {}

  /** Notes that it is missing, and returns for how long it has been (ms). */
  forMs(key: string): number {
    const now = this.clock.elapsed();
    const since = this.since.get(key) ?? now;
    this.since.set(key, since);
    return now - since;
  }

  /** Call this when it is present. */
  end(key: string): void {
    this.since.delete(key);
  }
}
