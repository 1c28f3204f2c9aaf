import { fromDollars } from '../../src/model/money';
import type { RentRequest } from '../../src/model/rentals/rentDraft';
import { anOffer } from './builders';

export const anySearch = { filters: {}, rentalType: 'on-demand' as const, order: [] };

/** Asks for `anOffer()`, with a limit above its price. */
export const rentalRequest: RentRequest = {
  offer: anOffer(),
  config: { image: 'pytorch/pytorch', diskGb: 20, label: 'training', runtype: 'ssh_direct' },
  rentalType: 'on-demand',
  priceLimit: fromDollars(0.4),
};
