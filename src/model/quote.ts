import { text, type Text } from '../util/text';
import type { Instance } from './instances/instance';
import { add, fromDollars, hoursPerMonth, roundUp, times, zero, type Micros } from './money';
import type { Offer, RentalType } from './offers/offer';

/**
 * What something costs per time, in whole millionths of a dollar per month of 720 hours. The GPU is
 * priced by the hour and the disk by the month; in this unit both are whole, so a day, a month and
 * any sum of them are exact, and only what is shown gets rounded.
 */
export type Rate = number & { readonly __unit: 'millionths of a dollar per 720 hours' };

export const noRate = 0 as Rate;

export function hourlyRate(amount: Micros): Rate {
  return (amount * hoursPerMonth) as Rate;
}

/**
 * Returns the rate of a disk or volume, whose price is per GB and month
 * (docs/service/offers.md#fields-and-units).
 */
export function diskRate(perGbMonth: Micros, sizeGb: number): Rate {
  return times(perGbMonth, sizeGb) as number as Rate;
}

export function sumRates(...rates: readonly Rate[]): Rate {
  return rates.reduce<number>((sum, rate) => sum + rate, 0) as Rate;
}

/** The cost of some hours, rounded up to a whole millionth. */
export function costOf(rate: Rate, hours: number): Micros {
  return roundUp((rate * hours) / hoursPerMonth) as Micros;
}

export function perHour(rate: Rate): Micros {
  return costOf(rate, 1);
}

export function perDay(rate: Rate): Micros {
  return costOf(rate, 24);
}

export function perMonth(rate: Rate): Micros {
  return costOf(rate, hoursPerMonth);
}

/** The parts of a rental on which its price depends. */
export interface Terms {
  readonly rentalType: RentalType;
  readonly diskGb: number;
  /** GB that the search asked the service to include in `totalPerHour`. */
  readonly searchedDiskGb?: number;
  /** The bid; the machine's minimum if absent. */
  readonly bidPerHour?: Micros | undefined;
}

export interface Quote {
  /** Everything that is charged while it runs; `undefined` if the service states no price. */
  readonly running: Rate | undefined;
  /** The rate while it is stopped; `undefined` if the service states no disk price. */
  readonly stopped: Rate | undefined;
  readonly downPerGb: Micros | undefined;
  readonly upPerGb: Micros | undefined;
}

/** The one place where the price of an offer is worked out. */
export function quoteOffer(offer: Offer, terms: Terms): Quote {
  const stopped =
    offer.storagePerGbMonth === undefined ? undefined : diskRate(offer.storagePerGbMonth, terms.diskGb);
  const gpuPerHour =
    terms.rentalType === 'interruptible' ? (terms.bidPerHour ?? offer.minBidPerHour) : offer.gpuPerHour;
  return {
    running: runningRate(offer, terms, gpuPerHour, stopped),
    stopped,
    downPerGb: offer.inetDownPerGb,
    upPerGb: offer.inetUpPerGb,
  };
}

function runningRate(
  offer: Offer,
  terms: Terms,
  gpuPerHour: Micros | undefined,
  stopped: Rate | undefined,
): Rate | undefined {
  const own = gpuPerHour === undefined ? undefined : sumRates(hourlyRate(gpuPerHour), stopped ?? noRate);
  const total = offer.totalPerHour;
  if (terms.rentalType === 'interruptible' || total === undefined) {
    return own ?? (total === undefined ? undefined : hourlyRate(total));
  }
  const stated = restate(offer, total, terms);
  // The service's own total counts, unless ours differs from it by rounding alone; ours is finer.
  return own !== undefined && perHour(stated) === perHour(own) ? own : stated;
}

/** The stated total holds for the disk that was searched with; a bigger disk is added to it. */
function restate(offer: Offer, total: Micros, terms: Terms): Rate {
  const moreGb = terms.diskGb - (terms.searchedDiskGb ?? 0);
  const price = offer.storagePerGbMonth;
  if (price === undefined || moreGb === 0) {
    return hourlyRate(total);
  }
  const gpuPerHour = offer.gpuPerHour;
  if (gpuPerHour !== undefined) {
    return sumRates(hourlyRate(gpuPerHour), diskRate(price, terms.diskGb));
  }
  return sumRates(hourlyRate(total), diskRate(price, moreGb));
}

/** The bandwidth and time that a person expects to use. */
export interface Usage {
  readonly hours: number;
  readonly downGb: number;
  readonly upGb: number;
}

/** An afternoon with a data set, so that bandwidth is never a surprise. */
export const usualStay: Usage = { hours: 8, downGb: 50, upGb: 0 };

/** `8 h, 50 GB, 2 GB`: hours, GB down and, where it is given, GB up; `undefined` for what is none of it. */
export function readStay(typed: string): Usage | undefined {
  const number = String.raw`(\d+(?:\.\d+)?)`;
  const pattern = new RegExp(
    `^\\s*${number}\\s*h?[\\s,;]+${number}\\s*(?:gb)?(?:[\\s,;]+${number}\\s*(?:gb)?)?\\s*$`,
    'i',
  );
  const [, hours, down, up = '0'] = pattern.exec(typed.slice(0, 100)) ?? [];
  const usage = { hours: Number(hours), downGb: Number(down), upGb: Number(up) };
  return usage.hours > 0 && usage.hours <= 8760 && Math.max(usage.downGb, usage.upGb) <= 1_000_000
    ? usage
    : undefined;
}

/** The cost of a stay, bandwidth included; `undefined` where a price that it needs is not stated. */
export function estimate(quote: Quote, usage: Usage): Micros | undefined {
  const down = usage.downGb === 0 ? zero : priced(quote.downPerGb, usage.downGb);
  const up = usage.upGb === 0 ? zero : priced(quote.upPerGb, usage.upGb);
  if (quote.running === undefined || down === undefined || up === undefined) {
    return undefined;
  }
  return add(costOf(quote.running, usage.hours), down, up);
}

function priced(perGb: Micros | undefined, gb: number): Micros | undefined {
  return perGb === undefined ? undefined : times(perGb, gb);
}

/** Hours that the money lasts at this rate; `undefined` when nothing is spent. */
export function hoursOfCredit(credit: Micros, rate: Rate): number | undefined {
  if (rate <= 0) {
    return undefined;
  }
  return Math.max(0, (credit * hoursPerMonth) / rate);
}

/** Returns what a stopped machine still costs; `undefined` if the record does not state it. */
export function stoppedRateOf(instance: Instance): Rate | undefined {
  if (instance.storagePerMonth !== undefined) {
    return instance.storagePerMonth as number as Rate;
  }
  return instance.storagePerHour === undefined ? undefined : hourlyRate(instance.storagePerHour);
}

/** Returns what a running machine costs; `undefined` if the record does not state it. */
export function runningRateOf(instance: Instance): Rate | undefined {
  const stopped = stoppedRateOf(instance);
  const own =
    instance.gpuPerHour === undefined
      ? undefined
      : sumRates(hourlyRate(instance.gpuPerHour), stopped ?? noRate);
  if (instance.totalPerHour === undefined) {
    return own;
  }
  return own !== undefined && perHour(own) === instance.totalPerHour
    ? own
    : hourlyRate(instance.totalPerHour);
}

/** "3 days 4 h", "5 h", "20 min": rounded down, because it shows how long money lasts. */
export function spanOfHours(hours: number): Text {
  if (hours >= 24 * 365) {
    return text('more than a year');
  }
  if (hours >= 48) {
    const days = Math.floor(hours / 24);
    const rest = Math.floor(hours - days * 24);
    return rest === 0 || days >= 14 ? text('{0} days', days) : text('{0} days {1} h', days, rest);
  }
  if (hours >= 1) {
    return text('{0} h', Math.floor(hours));
  }
  return text('{0} min', Math.floor(hours * 60));
}

/** The bids that the service accepts (docs/service/limits.md#sizes). */
export const lowestBid = fromDollars(0.001);
export function highestBid(gpuCount: number | undefined): Micros {
  return fromDollars(Math.min(128, 32 * (gpuCount ?? 1)));
}
