import type { MarketQuery, SortOrder } from './marketQuery';
import { perHour, quoteOffer, type Rate } from '../quote';
import { toDollars } from '../money';
import type { Offer } from './offer';
import {
  choiceField,
  choiceKeys,
  flagField,
  flagKeys,
  numberField,
  numberKeys,
  type Choice,
  type FieldKey,
  type NumberRange,
} from './searchFields';

/** What limits and orders compare, and rows show: all that a running machine costs. */
export function runningRateOfOffer(
  offer: Offer,
  query: Pick<MarketQuery, 'rentalType' | 'diskGb'>,
): Rate | undefined {
  return quoteOffer(offer, { ...query, searchedDiskGb: query.diskGb }).running;
}

function pricePerHour(offer: Offer, query: Pick<MarketQuery, 'rentalType' | 'diskGb'>): number | undefined {
  const rate = runningRateOfOffer(offer, query);
  return rate === undefined ? undefined : toDollars(perHour(rate));
}

/**
 * Returns the fields in which an offer does not match. Some of the service's filters misbehave, so every
 * answer is checked again (docs/service/offers.md#filters-that-misbehave). A value that the service does not
 * state matches, except a price.
 */
export function misfits(
  offer: Offer,
  query: Pick<MarketQuery, 'filters' | 'rentalType' | 'diskGb'>,
): readonly FieldKey[] {
  const { filters } = query;
  const found: FieldKey[] = [];
  for (const key of numberKeys) {
    const range = filters[key];
    if (range === undefined) continue;
    const field = numberField(key);
    const value = key === 'pricePerHour' ? pricePerHour(offer, query) : field.of?.(offer);
    const fits = value === undefined ? field.mustBeKnown !== true : within(value, range);
    if (!fits) found.push(key);
  }
  for (const key of choiceKeys) {
    const choice = filters[key];
    if (choice === undefined) continue;
    const value = choiceField(key).of?.(offer);
    if (value !== undefined && !chosen(value, choice)) found.push(key);
  }
  for (const key of flagKeys) {
    if (filters[key] === undefined) continue;
    const value = flagField(key).of?.(offer);
    if (value !== undefined && value !== filters[key]) found.push(key);
  }
  return found;
}

/** Comparisons forgive what a change of units costs: 0.99 as a share is 99 %. */
const tolerance = 1e-9;

function within(value: number, range: NumberRange): boolean {
  const slack = Math.abs(value) * tolerance;
  return (
    (range.min === undefined || value >= range.min - slack) &&
    (range.max === undefined || value <= range.max + slack)
  );
}

function chosen(value: string, choice: Choice): boolean {
  const same = (other: string) => other.toLowerCase() === value.toLowerCase();
  return (
    (choice.oneOf === undefined || choice.oneOf.length === 0 || choice.oneOf.some(same)) &&
    !choice.noneOf?.some(same)
  );
}

/** What people read in a row, for words that are not filters. */
function rowText(offer: Offer): string {
  return [offer.gpuName, offer.cpuName, offer.location, offer.id, offer.machineId].join(' ').toLowerCase();
}

/** The offers that fit, and contain all the words. */
export function fitting(
  offers: readonly Offer[],
  query: Pick<MarketQuery, 'filters' | 'rentalType' | 'diskGb'>,
  words: readonly string[] = [],
): readonly Offer[] {
  return offers.filter(
    (offer) =>
      misfits(offer, query).length === 0 &&
      (words.length === 0 || words.every((word) => rowText(offer).includes(word.toLowerCase()))),
  );
}

/**
 * True when all that fits `to` is among what was found for `from`, so that no request is needed. The
 * answer to `from` must have been whole; the order does not matter then.
 */
export function narrows(from: MarketQuery, to: MarketQuery): boolean {
  return (
    from.rentalType === to.rentalType &&
    from.diskGb === to.diskGb &&
    numberKeys.every((key) =>
      rangeNarrows(from.filters[key], to.filters[key], numberField(key).of !== undefined),
    ) &&
    choiceKeys.every((key) =>
      choiceNarrows(from.filters[key], to.filters[key], choiceField(key).of !== undefined),
    ) &&
    flagKeys.every((key) => {
      const before = from.filters[key];
      const after = to.filters[key];
      return before === after || (before === undefined && flagField(key).of !== undefined);
    })
  );
}

function rangeNarrows(from: NumberRange = {}, to: NumberRange = {}, canCheck: boolean): boolean {
  const same = from.min === to.min && from.max === to.max;
  const tighter =
    (from.min === undefined || (to.min !== undefined && to.min >= from.min)) &&
    (from.max === undefined || (to.max !== undefined && to.max <= from.max));
  return same || (canCheck && tighter);
}

function choiceNarrows(from: Choice = {}, to: Choice = {}, canCheck: boolean): boolean {
  const wanted = from.oneOf ?? [];
  const stillWanted = to.oneOf ?? [];
  const oneOf =
    wanted.length === 0 || (stillWanted.length > 0 && stillWanted.every((value) => wanted.includes(value)));
  const noneOf = (from.noneOf ?? []).every((value) => to.noneOf?.includes(value) === true);
  const same =
    oneOf && noneOf && wanted.length === stillWanted.length && from.noneOf?.length === to.noneOf?.length;
  return same || (canCheck && oneOf && noneOf);
}

/** Sorted without changing the order of equals; what lacks the value comes last. */
export function sorted(
  offers: readonly Offer[],
  query: Pick<MarketQuery, 'sort' | 'rentalType' | 'diskGb'>,
): readonly Offer[] {
  const key = sortKeys(query)[query.sort];
  return offers
    .map((offer, index) => ({ offer, index, key: key(offer) ?? Infinity }))
    .sort((a, b) => (a.key === b.key ? a.index - b.index : a.key < b.key ? -1 : 1))
    .map(({ offer }) => offer);
}

/** Smaller comes first. */
function sortKeys(
  query: Pick<MarketQuery, 'rentalType' | 'diskGb'>,
): Readonly<Record<SortOrder, (offer: Offer) => number | undefined>> {
  const descending = (value: number | undefined) => (value === undefined ? undefined : -value);
  return {
    best: (offer) => descending(offer.score),
    price: (offer) => runningRateOfOffer(offer, query),
    value: (offer) => descending(offer.dlperfPerDollar),
    reliability: (offer) => descending(offer.reliability),
    memory: (offer) => descending(numberField('gpuTotalRamGb').of?.(offer)),
  };
}
