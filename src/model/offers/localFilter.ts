import type { Micros } from '../money';
import { hoursOfCredit, quoteOffer, usualStay, type Rate } from '../quote';
import { mostRows, type MarketQuery, type SortOrder } from './marketQuery';
import type { Offer } from './offer';
import {
  choiceField,
  choiceKeys,
  flagField,
  flagKeys,
  numberField,
  numberKeys,
  type Choice,
  type NumberRange,
} from './searchFields';

/** Returns the whole cost of a running machine, which limits, sort orders and rows use. */
export function runningRateOfOffer(
  offer: Offer,
  query: Pick<MarketQuery, 'rentalType' | 'diskGb'>,
): Rate | undefined {
  return quoteOffer(offer, { ...query, searchedDiskGb: query.diskGb }).running;
}

/**
 * Returns true if the answer to `from` contains all matches for `to`, so that no request is needed. The answer to
 * `from` must have been complete; its order is irrelevant then.
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

/** Returns the offers in a stable order. Offers without the value come last. */
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

/**
 * Returns the offers in the order of the list. The first page of the service's ranking starts with one offer of each GPU
 * model, because the best offers of a market are often all of one model, and ends with those that the credit does not pay
 * for a usual stay. Later pages stay below it as they are, so that no row moves when they arrive.
 */
export function inListOrder(
  offers: readonly Offer[],
  query: Pick<MarketQuery, 'sort' | 'rentalType' | 'diskGb' | 'filters'>,
  credit?: Micros,
): readonly Offer[] {
  const inOrder = sorted(offers, query);
  if (query.sort !== 'best') {
    return inOrder;
  }
  const page = inOrder.slice(0, mostRows);
  const isPaid = (offer: Offer) => isAffordable(runningRateOfOffer(offer, query), credit);
  const paid = page.filter(isPaid);
  return [
    ...(query.filters.gpu === undefined ? eachModelFirst(paid) : paid),
    ...page.filter((offer) => !isPaid(offer)),
    ...inOrder.slice(mostRows),
  ];
}

/** Without credit the user can only look at the market, so any price will do. */
function isAffordable(rate: Rate | undefined, credit: Micros | undefined): boolean {
  const hours =
    rate === undefined || credit === undefined || credit <= 0 ? undefined : hoursOfCredit(credit, rate);
  return hours === undefined || hours >= usualStay.hours;
}

function eachModelFirst(offers: readonly Offer[]): readonly Offer[] {
  const kinds = new Map(offers.map((offer) => [offer.gpuName, offer] as const).reverse());
  const isFirst = (offer: Offer) => kinds.get(offer.gpuName) === offer;
  return [...offers.filter(isFirst), ...offers.filter((offer) => !isFirst(offer))];
}

/** Smaller keys come first. */
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
