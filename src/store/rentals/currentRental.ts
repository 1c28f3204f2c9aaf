import type { Rental } from './rentalStore';

/** Returns the rental with a marker, or the last one in its chain of replacements. */
export function currentRental(rentals: readonly Rental[], marker: string): Rental | undefined {
  let rental = rentals.find((one) => one.marker === marker);
  for (;;) {
    const before = rental;
    const next = rentals.find(
      ({ replaces, phase }) =>
        replaces !== undefined && replaces === before?.marker && phase.kind !== 'notRented',
    );
    if (!next) {
      return rental;
    }
    rental = next;
  }
}
