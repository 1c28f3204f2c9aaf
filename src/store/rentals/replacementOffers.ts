import type { Micros } from '../../model/money';
import { nextBest, type ReplacementNeeds } from '../../model/offers/nextBest';
import type { Offer } from '../../model/offers/offer';
import { wireMisfits } from '../../model/offers/offerMatch';
import type { RentConfig } from '../../model/rentals/rent';
import type { Account, Rental } from '../ports';
import type { FailedMachine } from './failedMachines';

/** What may stand in for a rental; `roomPerHour` is what the other instances leave of the user's limit. */
export function needsOf(
  { rentalType, priceLimit, offer }: Rental,
  { bidPerHour, diskGb, volume }: RentConfig,
  failed: readonly FailedMachine[],
  roomPerHour: Micros | undefined,
): ReplacementNeeds {
  const own = offer.machineId === undefined ? [] : [offer.machineId];
  return {
    rentalType,
    priceLimit: roomPerHour !== undefined && roomPerHour < priceLimit ? roomPerHour : priceLimit,
    bidPerHour,
    diskGb,
    avoidMachines: new Set([...failed.map(({ machineId }) => machineId), ...own]),
    // A volume, there or to be created, never leaves its machine.
    onlyMachine: volume === undefined ? undefined : offer.machineId,
  };
}

/** What fits the search of the rental; of one offer, whether it still does at its present price. */
export async function candidates(
  account: Account,
  { search }: Rental,
  needs: ReplacementNeeds,
  signal: AbortSignal | undefined,
  offerId?: number,
): Promise<readonly Offer[]> {
  if (!search) {
    return [];
  }
  const disk = needs.diskGb === undefined ? {} : { allocatedStorageGb: needs.diskGb };
  const filters = offerId === undefined ? search.filters : { id: { eq: offerId } };
  const { items } = await account.client.offers.search({ ...search, filters, ...disk }, { signal });
  // Some of the service's filters misbehave (docs/service/offers.md#filters-that-misbehave).
  const fitting = items.filter(
    (offer) =>
      wireMisfits(offer, search.filters).length === 0 && (offerId === undefined || offer.id === offerId),
  );
  return nextBest(fitting, needs);
}
