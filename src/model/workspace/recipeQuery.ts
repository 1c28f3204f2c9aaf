import type { WireFiltersShape } from '../offers/filters';
import type { MarketQuery } from '../offers/marketQuery';
import { queryWith } from '../offers/savedSearches';
import type { OpenRecipe } from './workspaceFile';

/** Returns the search for the machine of a workspace file with these filters, of which some are a template's. */
export function recipeQuery(
  { maxBid, maxPricePerHour }: Pick<OpenRecipe, 'maxBid' | 'maxPricePerHour'>,
  filters: WireFiltersShape,
  diskGb: number,
): MarketQuery {
  if (maxBid === undefined) {
    return queryWith(filters, diskGb, maxPricePerHour);
  }
  // An interruptible machine is searched by its minimum bid.
  return { ...queryWith(filters, diskGb, maxBid), rentalType: 'interruptible' };
}
