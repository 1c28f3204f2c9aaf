import { PacedClock, type Clock } from '../../../src/util/clock';
import { FakeClock } from '../fakeClock';

/** The time of this computer, some times as fast, where a test would move it: it passes by itself, in each process alike. */
export class WallClock extends FakeClock {
  private readonly real: Clock;

  constructor(
    private readonly pace: number,
    sinceMs: number,
  ) {
    super();
    this.real = new PacedClock(pace, sinceMs);
  }

  override now(): number {
    return this.real.now();
  }

  override elapsed(): number {
    return this.real.elapsed();
  }

  override schedule(run: () => void, delayMs: number) {
    return this.real.schedule(run, delayMs);
  }

  override get untilNext(): number {
    return 500;
  }

  override advance(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms / this.pace));
  }
}
