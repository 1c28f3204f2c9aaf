import type { Offer } from '../../model/offers/offer';
import type { RentalStore } from './rentalStore';

/** Returns the offers that an account has rented, newest first; refused rentals don't count. */
export function machinesRented(
  { rentals }: Pick<RentalStore, 'rentals'>,
  accountKey: string,
): readonly Offer[] {
  return rentals
    .filter((rental) => rental.accountKey === accountKey && 'instanceId' in rental.phase)
    .map(({ offer }) => offer);
}
