import type { Clock } from '../../util/clock';

/** How long things have been missed, by their keys. Counts time that passed here, so that a clock that was set ahead is no reason to give up. */
export class Absences {
  /** When each was missed for the first time (`Clock.elapsed`). */
  private readonly since = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, 'elapsed'>) {}

  /** Notes that it is missed, and returns for how many milliseconds it has been. */
  forMs(key: string): number {
    const now = this.clock.elapsed();
    const since = this.since.get(key) ?? now;
    this.since.set(key, since);
    return now - since;
  }

  /** It is there. */
  end(key: string): void {
    this.since.delete(key);
  }
}
