import type { OfferSearch, WireFiltersShape } from './filters';
import { fitting } from './localFilter';
import { searchAfter, toOfferSearch, wireFilters, type MarketQuery } from './marketQuery';
import type { Offer } from './offer';
import { mergeWireFilters, wireMisfits } from './wireMatch';

/**
 * A user's query together with filters of a template or workspace that the query cannot express. The user's
 * filters win, field by field (docs/service/renting.md#template-merge).
 */
export interface MarketSearch {
  readonly query: MarketQuery;
  readonly baseFilters?: WireFiltersShape;
}

/** The search as sent. */
export function wireSearch({ query, baseFilters }: MarketSearch): OfferSearch {
  const search = toOfferSearch(query);
  return { ...search, filters: mergeWireFilters(baseFilters, search.filters) };
}

/** The search for what comes after the last row of a full answer, where the order allows it. */
export function wireSearchAfter({ query, baseFilters }: MarketSearch, last: Offer): OfferSearch | undefined {
  const next = searchAfter(query, last);
  return next && { ...next, filters: mergeWireFilters(baseFilters, next.filters) };
}

/** What fits the person's filters, and the others where the person has none for the field. */
export function fittingSearch(
  offers: readonly Offer[],
  { query, baseFilters }: MarketSearch,
  words: readonly string[] = [],
): readonly Offer[] {
  const own = fitting(offers, query, words);
  if (baseFilters === undefined) {
    return own;
  }
  const chosen = wireFilters(query.filters, query.rentalType);
  const rest = Object.fromEntries(
    Object.entries(baseFilters).filter(([field]) => !Object.hasOwn(chosen, field)),
  );
  return own.filter((offer) => wireMisfits(offer, rest).length === 0);
}
