export const periods = ['day', 'month'] as const;
export type Period = (typeof periods)[number];

/** A time range in Unix seconds. `to` is excluded. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the UTC day or month of a moment (Unix seconds). The service splits its charges at midnight UTC, so local
 * days would have to be guessed (docs/service/billing.md#charges).
 */
export function stretchOf(period: Period, at: number): Stretch {
  const date = new Date(at * 1000);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return period === 'day'
    ? { from: Date.UTC(year, month, day) / 1000, to: Date.UTC(year, month, day + 1) / 1000 }
    : { from: Date.UTC(year, month, 1) / 1000, to: Date.UTC(year, month + 1, 1) / 1000 };
}
