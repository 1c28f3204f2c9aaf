import { defined } from '../../util/defined';
import type { Micros } from '../money';
import type { GpuMetrics } from './gpuMetrics';
import type { Offer } from './offer';

/**
 * Returns the price quantiles of each GPU model. A search returns some offers of the market and nothing about rentals, so
 * the figures of supply and demand stay undefined.
 */
export function quantilesFromOffers(offers: readonly Offer[]): readonly GpuMetrics[] {
  const prices = new Map<string, Micros[]>();
  for (const offer of offers) {
    const { gpuName, totalPerHour, gpuCount } = offer;
    if (gpuName === undefined || totalPerHour === undefined || gpuCount === undefined || gpuCount < 1) {
      continue;
    }
    const known = prices.get(gpuName) ?? [];
    known.push(Math.ceil(totalPerHour / gpuCount) as Micros);
    prices.set(gpuName, known);
  }
  return [...prices.entries()].map(([gpuName, list]) => {
    const sorted = list.sort((a, b) => a - b);
    const [priceP10, priceP25, priceMedian, priceP75, priceP90] = [0.1, 0.25, 0.5, 0.75, 0.9].map((share) =>
      quantile(sorted, share),
    );
    return defined<GpuMetrics>({
      gpuName,
      priceP10,
      priceP25,
      priceMedian,
      priceP75,
      priceP90,
    });
  });
}

/** Interpolates between neighbors as spreadsheets do, rounded up to a whole micro-dollar. */
export function quantile(sorted: readonly Micros[], share: number): Micros | undefined {
  const place = (sorted.length - 1) * share;
  const lower = sorted[Math.floor(place)];
  const upper = sorted[Math.ceil(place)];
  if (lower === undefined || upper === undefined) {
    return undefined;
  }
  return Math.ceil(lower + (upper - lower) * (place - Math.floor(place)) - 1e-6) as Micros;
}
