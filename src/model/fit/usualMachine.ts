import type { Offer } from '../offers/offer';

/** Medians over the machines of the user's last rentals. */
export interface UsualMachine {
  /** The number of rentals included. */
  readonly rentals: number;
  readonly downMbit?: number;
  /** From 0 to 1. */
  readonly reliability?: number;
}

const mostRentals = 10;
/** Fewer rentals show no habit. */
const fewestRentals = 3;

/** Returns the medians of the last rentals, newest first, or `undefined` if there are too few. */
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
