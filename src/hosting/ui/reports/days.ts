const dayMs = 86_400_000;

/**
 * Converts a time to days since 1970-01-01 UTC, the unit of the earnings query
 * (docs/service/billing.md#earnings-query).
 */
function dayOf(timeMs: number): number {
  return Math.floor(timeMs / dayMs);
}

/** Converts `YYYY-MM-DD` to days since 1970-01-01 UTC. Returns undefined for any other text. */
function parseDay(value: string): number | undefined {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(value) ? Date.parse(`${value}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(time) ? undefined : dayOf(time);
}

/** Days further apart than ten years are a mistake of the service. */
const mostDays = 3660;

/**
 * Returns all days from the first to the last of the given ones, which are in order: a day without figures must show
 * as a gap, or the axis of time would be wrong. Absurd days get no gaps.
 */
export function daysOfAxis(days: readonly number[]): readonly number[] {
  const [first = 0] = days;
  const count = (days.at(-1) ?? first) - first + 1;
  return count <= mostDays && days.every(Number.isInteger)
    ? Array.from({ length: days.length === 0 ? 0 : count }, (_, index) => first + index)
    : [...new Set(days)];
}

interface Days {
  readonly start: number;
  readonly end: number;
}

/**
 * A range of days that includes both ends. The presets end on the day of the last good read, because the dates must
 * stay those of the figures past midnight.
 */
export class DayRange {
  private chosen: Days | undefined;
  private lastDays = 30;
  private today: number;

  constructor(private readonly now: () => number) {
    this.today = dayOf(now());
  }

  get start(): number {
    return this.until(this.today).start;
  }

  get end(): number {
    return this.until(this.today).end;
  }

  get preset(): string {
    return this.chosen ? 'dates' : String(this.lastDays);
  }

  /** Reads the days up to today. */
  async read<T>(read: (days: Days) => Promise<T>, signal: AbortSignal): Promise<T> {
    const today = dayOf(this.now());
    const data = await read(this.until(today));
    if (!signal.aborted) {
      this.today = today;
    }
    return data;
  }

  /** Returns true if the data must be read again. A range that ends before it begins is reversed. */
  set(id: string, value: string): boolean {
    if (id === 'preset') {
      const days = Number(value);
      if (Number.isInteger(days) && days > 0) {
        this.chosen = undefined;
        this.lastDays = days;
        return true;
      }
      this.chosen = this.until(this.today);
      // Past midnight, a read that is under way may be of other days.
      return this.today !== dayOf(this.now());
    }
    const day = parseDay(value);
    if (day === undefined || (id !== 'start' && id !== 'end')) {
      return false;
    }
    const { start, end } = this;
    const [a, b] = id === 'start' ? [day, end] : [start, day];
    this.chosen = { start: Math.min(a, b), end: Math.max(a, b) };
    return true;
  }

  private until(today: number): Days {
    const end = this.chosen?.end ?? today;
    return { start: this.chosen?.start ?? end - this.lastDays + 1, end };
  }
}
