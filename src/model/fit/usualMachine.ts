import type { Offer } from '../offers/offer';

/** What the machines of this user's last rentals had, by the median. */
export interface UsualMachine {
  /** How many rentals it is made of. */
  readonly rentals: number;
  readonly downMbit?: number;
  /** A share of 1. */
  readonly reliability?: number;
}

const mostRentals = 10;
/** Fewer are no habit. */
const fewestRentals = 3;

/** Returns the medians of the last rentals, newest first; `undefined` where there are too few. */
export function usualMachine(offers: readonly Offer[]): UsualMachine | undefined {
  const last = offers.slice(0, mostRentals);
  if (last.length < fewestRentals) {
    return undefined;
  }
  const downMbit = median(last.map((offer) => offer.inetDownMbit));
  const reliability = median(last.map((offer) => offer.reliability));
  return {
    rentals: last.length,
    ...(downMbit === undefined ? {} : { downMbit }),
    ...(reliability === undefined ? {} : { reliability }),
  };
}

function median(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  return known.length < fewestRentals ? undefined : known[Math.floor((known.length - 1) / 2)];
}
