import type { RentConfig } from '../../model/rentals/rent';
import type { RentRequest } from '../../model/rentals/rentDraft';
import { defined } from '../../util/defined';
import type { Rental } from './rentalStore';
import { withoutSecretParts } from './rentalJournal';

/** Returns the record of a rental before it is sent; `config` is what will be sent, with the marker. */
export function newRental(
  request: RentRequest,
  config: RentConfig,
  facts: Pick<Rental, 'marker' | 'accountKey' | 'windowId' | 'requestedAt'> & {
    readonly idsBefore: Rental['idsBefore'] | undefined;
    readonly order: Rental['order'] | undefined;
  },
): Rental {
  return defined<Rental>({
    ...facts,
    offer: request.offer,
    config: withoutSecretParts(config),
    search: request.search,
    replaces: request.replaces,
    workspace: request.workspace,
    rentalType: request.rentalType,
    priceLimit: request.priceLimit,
    mostPerHour: request.mostPerHour,
    phase: { kind: 'sent' },
  });
}
