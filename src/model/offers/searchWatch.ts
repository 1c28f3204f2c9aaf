import { fitting } from './offerMatch';
import type { MarketQuery } from './marketQuery';
import { toDollars, type Micros } from '../money';
import type { Offer } from './offer';

/** A search that is repeated until something costs little enough. */
export interface SearchWatch {
  readonly id: string;
  readonly name: string;
  readonly query: MarketQuery;
  /** All that a running machine costs an hour, the disk of the query included. */
  readonly maxPerHour: Micros;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
}

/** An offer that matched when it was looked for last, or shortly before. */
export interface WatchMatch {
  /** The same for a machine that comes back under another offer id. */
  readonly key: string;
  readonly offerId: number;
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
}

/** An offer that is missing from one answer and there again in the next is no news. */
export const forgetMatchMs = 30 * 60_000;

/** The watched search: cheapest first, so that the rows of one answer are those that count. */
export function watchedSearch({ query, maxPerHour }: SearchWatch): MarketQuery {
  return {
    ...query,
    sort: 'price',
    filters: {
      ...query.filters,
      pricePerHour: { ...query.filters.pricePerHour, max: toDollars(maxPerHour) },
    },
  };
}

function matchKey({ id, machineId, gpuCount }: Offer): string {
  return machineId === undefined ? `offer ${id}` : `machine ${machineId} ${gpuCount ?? ''}`;
}

/** What matches after an answer: known ones keep the time at which they were first seen. */
export function matchesAfter(
  watch: SearchWatch,
  before: readonly WatchMatch[],
  answer: readonly Offer[],
  now: number,
): { readonly matches: readonly WatchMatch[]; readonly offers: readonly Offer[] } {
  const offers = fitting(answer, watchedSearch(watch)).filter(({ rentable }) => rentable !== false);
  const known = new Map(before.map((match) => [match.key, match]));
  const seen = new Map<string, WatchMatch>();
  for (const offer of offers) {
    const key = matchKey(offer);
    if (!seen.has(key)) {
      const firstSeenAt = known.get(key)?.firstSeenAt ?? now;
      seen.set(key, { key, offerId: offer.id, firstSeenAt, lastSeenAt: now });
    }
  }
  const missing = before.filter(
    ({ key, lastSeenAt }) => !seen.has(key) && now - lastSeenAt < forgetMatchMs && lastSeenAt <= now,
  );
  return { matches: [...seen.values(), ...missing], offers };
}

/** Dollars an hour as typed, `0.4` or `$0,40`; `undefined` for what is no price. */
export function readPriceLimit(typed: string): number | undefined {
  const match = /^\s*\$?\s*(\d+(?:[.,]\d+)?|[.,]\d+)\s*(?:\/\s*h)?\s*$/.exec(typed);
  const value = Number((match?.[1] ?? '').replace(',', '.'));
  return match && value > 0 && value <= 10_000 ? value : undefined;
}
