import type { Micros } from '../money';
import type { Offer, RentalType } from './offer';

export interface ReplacementNeeds {
  readonly rentalType: RentalType;
  /** The most that it may cost per hour. */
  readonly priceLimit: Micros;
  /** The user's bid for an interruptible machine. */
  readonly bidPerHour?: Micros | undefined;
  readonly diskGb?: number | undefined;
  readonly avoidMachines: ReadonlySet<number>;
  /** Set if a linked volume ties the rental to its machine. */
  readonly onlyMachine?: number | undefined;
}

/** Returns the cost per hour: the bid plus the disk for an interruptible machine, otherwise the whole price. */
export function priceToPay(
  offer: Offer,
  needs: Pick<ReplacementNeeds, 'rentalType' | 'bidPerHour'>,
): Micros | undefined {
  const { totalPerHour, gpuPerHour } = offer;
  if (needs.rentalType === 'on-demand' || needs.bidPerHour === undefined) {
    return totalPerHour;
  }
  const rest = totalPerHour === undefined || gpuPerHour === undefined ? 0 : totalPerHour - gpuPerHour;
  return (needs.bidPerHour + Math.max(0, rest)) as Micros;
}

/**
 * Returns the offers that may replace a rental, in the order of the search. An offer without a price never qualifies.
 */
export function nextBest(offers: readonly Offer[], needs: ReplacementNeeds): readonly Offer[] {
  return offers.filter((offer) => {
    const price = priceToPay(offer, needs);
    const isBidEnough =
      needs.rentalType === 'on-demand' ||
      needs.bidPerHour === undefined ||
      offer.minBidPerHour === undefined ||
      needs.bidPerHour >= offer.minBidPerHour;
    const isAvoided = offer.machineId !== undefined && needs.avoidMachines.has(offer.machineId);
    const hasRoom =
      needs.diskGb === undefined || offer.diskSpaceGb === undefined || offer.diskSpaceGb >= needs.diskGb;
    return (
      offer.rentable !== false &&
      price !== undefined &&
      price <= needs.priceLimit &&
      isBidEnough &&
      !isAvoided &&
      hasRoom &&
      (needs.onlyMachine === undefined || offer.machineId === needs.onlyMachine)
    );
  });
}
