import { toDollars, type Micros } from '../money';
import type { MarketQuery } from './marketQuery';
import type { Offer } from './offer';
import { fitting } from './offerMatch';

/** A search that is repeated until an offer is cheap enough. */
export interface SearchWatch {
  readonly id: string;
  readonly name: string;
  readonly query: MarketQuery;
  /** The limit for the whole cost of a running machine per hour, including the disk of the query. */
  readonly maxPerHour: Micros;
  /** Milliseconds since 1970, like all times here. */
  readonly createdAt: number;
}

/** An offer that matched at the last check or shortly before. */
export interface WatchMatch {
  /** Stays the same for a machine that returns under another offer id. */
  readonly key: string;
  readonly offerId: number;
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
}

/** An offer missing from one answer and back in the next is not new. */
export const forgetMatchMs = 30 * 60_000;

/** Returns the search to run. The cheapest offers come first, so that one answer holds those that matter. */
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

/**
 * Returns the matches after an answer. Known matches keep the time when they first appeared. An offer that another limit
 * leaves out is forgotten at once, so that it is new when its price falls below that limit.
 */
export function matchesAfter(
  watch: SearchWatch,
  before: readonly WatchMatch[],
  answer: readonly Offer[],
  now: number,
  hasOtherLimit = false,
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
    ({ key, lastSeenAt }) =>
      !hasOtherLimit && !seen.has(key) && now - lastSeenAt < forgetMatchMs && lastSeenAt <= now,
  );
  return { matches: [...seen.values(), ...missing], offers };
}

/** Reads dollars per hour such as `0.4` or `$0,40`. Returns `undefined` for any other text. */
export function readPriceLimit(typed: string): number | undefined {
  const match = /^\$?\s*(\d+(?:[.,]\d+)?|[.,]\d+)(?:\s*\/\s*h)?$/.exec(typed.trim());
  const value = Number((match?.[1] ?? '').replace(',', '.'));
  return match && value > 0 && value <= 10_000 ? value : undefined;
}
