import type { Instance } from '../instances/instance';
import type { Offer, RentalType } from '../offers/offer';
import { perHour, quoteOffer } from '../quote';
import { defined } from '../../util/defined';
import type { RentConfig } from './rent';

/** The facts of a rental that describe its instance. */
export interface Awaited {
  readonly offer: Offer;
  readonly config: RentConfig;
  readonly rentalType: RentalType;
  readonly search?: { readonly allocatedStorageGb?: number };
}

/**
 * Returns a new instance as rented, until a list or a record contains it. It exists and costs money from the answer on
 * (docs/rules.md#a-new-contract-is-an-instance).
 */
export function expectedInstance(id: number, awaited: Awaited): Instance {
  const { offer, config, rentalType } = awaited;
  const { totalPerHour, stoppedPerHour } = pricesOf(awaited);
  return defined<Instance>({
    id,
    isExpected: true,
    machineId: offer.machineId,
    hostId: offer.hostId,
    label: config.label,
    intendedStatus: config.targetState ?? 'running',
    image: config.image,
    templateId: config.templateId,
    gpuName: offer.gpuName,
    gpuCount: offer.gpuCount,
    gpuRamMb: offer.gpuRamMb,
    location: offer.location,
    diskSpaceGb: config.diskGb,
    totalPerHour,
    storagePerHour: stoppedPerHour,
    isInterruptible: rentalType === 'interruptible',
    bidPerHour: config.bidPerHour,
  });
}

function pricesOf({ offer, config, rentalType, search }: Awaited) {
  const searchedDiskGb = search?.allocatedStorageGb ?? 0;
  const { running, stopped } = quoteOffer(offer, {
    rentalType,
    diskGb: config.diskGb ?? searchedDiskGb,
    searchedDiskGb,
    bidPerHour: config.bidPerHour,
  });
  return {
    totalPerHour: running === undefined ? undefined : perHour(running),
    stoppedPerHour: stopped === undefined ? undefined : perHour(stopped),
  };
}
