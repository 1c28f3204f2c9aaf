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

/** A range of days that includes both ends. The presets end today. */
export class DayRange {
  private chosen: { readonly start: number; readonly end: number } | undefined;
  private lastDays = 30;

  constructor(private readonly now: () => number) {}

  get start(): number {
    return this.chosen?.start ?? this.end - this.lastDays + 1;
  }

  get end(): number {
    return this.chosen?.end ?? dayOf(this.now());
  }

  get preset(): string {
    return this.chosen ? 'dates' : String(this.lastDays);
  }

  /** Returns true if the range changed. A range that ends before it begins is reversed. */
  set(id: string, value: string): boolean {
    if (id === 'preset') {
      const days = Number(value);
      if (Number.isInteger(days) && days > 0) {
        this.chosen = undefined;
        this.lastDays = days;
        return true;
      }
      this.chosen = { start: this.start, end: this.end };
      return false;
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
}
