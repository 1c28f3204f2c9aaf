import { add, subtract, type Micros } from '../money';
import { diskRate, perHour } from '../quote';
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
  needs: Pick<ReplacementNeeds, 'rentalType' | 'bidPerHour' | 'diskGb'>,
): Micros | undefined {
  if (needs.rentalType === 'on-demand' || needs.bidPerHour === undefined) {
    return offer.totalPerHour;
  }
  const disk = diskToPay(offer, needs.diskGb);
  return disk === undefined ? undefined : add(needs.bidPerHour, disk);
}

/** The disk by its own price, else what the stated total has beside the GPU; `undefined` where neither is stated. */
function diskToPay(
  { storagePerGbMonth, totalPerHour, gpuPerHour }: Offer,
  diskGb: number | undefined,
): Micros | undefined {
  if (storagePerGbMonth !== undefined && diskGb !== undefined) {
    return perHour(diskRate(storagePerGbMonth, diskGb));
  }
  const isStated = totalPerHour !== undefined && gpuPerHour !== undefined && totalPerHour >= gpuPerHour;
  return isStated ? subtract(totalPerHour, gpuPerHour) : undefined;
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
