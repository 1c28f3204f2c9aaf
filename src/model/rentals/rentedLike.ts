import type { OfferSearch } from '../offers/filters';
import type { RentalType } from '../offers/offer';
import type { RentConfig } from './rent';

/** How a machine was rented, so that one like it can be found when no record of it is left. */
export interface RentedLike {
  readonly config: RentConfig;
  /** True if the configuration has its secrets. */
  readonly hasSecrets?: boolean | undefined;
  readonly rentalType: RentalType;
  readonly search?: OfferSearch | undefined;
  readonly gpuName?: string | undefined;
  readonly gpuCount?: number | undefined;
  readonly cudaVersion?: number | undefined;
  /** The real path of the folder that it was rented for, and the name of the machine in its file. */
  readonly workspace?: string | undefined;
  readonly machine?: string | undefined;
}

/** The same for an account that rents one like it. */
export interface WantedLike {
  readonly accountKey: string;
  readonly like: RentedLike;
}
