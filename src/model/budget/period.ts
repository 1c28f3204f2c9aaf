export const periods = ['day', 'month'] as const;
export type Period = (typeof periods)[number];

/** A stretch of time in Unix seconds; `to` is no longer part of it. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * The day or month of UTC that a moment (Unix seconds) is in. The service cuts its charges at midnight UTC, so a local
 * day could only be guessed (docs/service/billing.md#charges).
 */
export function stretchOf(period: Period, at: number): Stretch {
  const date = new Date(at * 1000);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return period === 'day'
    ? { from: Date.UTC(year, month, day) / 1000, to: Date.UTC(year, month, day + 1) / 1000 }
    : { from: Date.UTC(year, month, 1) / 1000, to: Date.UTC(year, month + 1, 1) / 1000 };
}
