import { defined } from '../../util/defined';
import type { Instance } from '../instances/instance';
import type { Offer, RentalType } from '../offers/offer';
import { perHour, quoteOffer } from '../quote';
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

const machineOfRental = [
  'machineId',
  'hostId',
  'gpuName',
  'gpuCount',
  'gpuRamMb',
  'location',
  'diskSpaceGb',
  'isInterruptible',
] as const satisfies readonly (keyof Instance)[];

/**
 * Returns a record with the machine and the prices of its rental where it lacks them, as records may while the instance
 * boots (docs/service/README.md#tolerant-reading). Returns the record itself if it lacks nothing that the rental has.
 */
export function completedRecord(record: Instance, rented: Instance): Instance {
  const lacksPrice = record.totalPerHour === undefined && record.gpuPerHour === undefined;
  const lacksDiskPrice = record.storagePerHour === undefined && record.storagePerMonth === undefined;
  const missing = [
    ...machineOfRental.filter((field) => record[field] === undefined),
    ...(lacksPrice ? (['totalPerHour', 'bidPerHour'] as const) : []),
    ...(lacksDiskPrice ? (['storagePerHour'] as const) : []),
  ].filter((field) => rented[field] !== undefined);
  return missing.length === 0
    ? record
    : {
        ...record,
        ...Object.fromEntries(missing.map((field) => [field, rented[field]])),
        ...(missing.includes('totalPerHour') ? { isPriceOfRental: true } : {}),
      };
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
