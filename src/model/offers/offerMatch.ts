import { toDollars } from '../money';
import { perHour } from '../quote';
import { cleanWireFilters, type FilterPrimitive, type OfferSearch, type WireFiltersShape } from './filters';
import { runningRateOfOffer } from './localFilter';
import { wireFilters, type MarketQuery } from './marketQuery';
import type { Offer } from './offer';
import { findUsState, placeText } from './places';
import {
  fieldKeys,
  searchField,
  upperLimit,
  type Choice,
  type FieldKey,
  type NumberField,
  type NumberRange,
} from './searchFields';

type Comparisons = OfferSearch['filters'][string];

/**
 * Returns the fields in which an offer does not match. Some filters of the service misbehave, so every answer is
 * checked again (docs/service/offers.md#filters-that-misbehave). A value that the service does not report matches,
 * except a price.
 */
export function misfits(
  offer: Offer,
  query: Omit<MarketQuery, 'sort'>,
  extra = extraOf(query),
): readonly FieldKey[] {
  const own = fieldKeys.filter((key) => {
    const wanted = query.filters[key];
    if (wanted === undefined) {
      return false;
    }
    const value = key === 'pricePerHour' ? pricePerHour(offer, query) : searchField(key).of?.(offer);
    return value === undefined ? key === 'pricePerHour' : !satisfies(value, comparisonsOf(key, wanted));
  });
  return [...own, ...wireMisfits(offer, extra)];
}

/** Returns the extra filters of a query, without those that the user's own filters replace. */
function extraOf({ extraFilters = {}, filters, rentalType }: Omit<MarketQuery, 'sort'>): WireFiltersShape {
  const chosen = wireFilters(filters, rentalType);
  return Object.fromEntries(Object.entries(extraFilters).filter(([field]) => !Object.hasOwn(chosen, field)));
}

function pricePerHour(offer: Offer, query: Pick<MarketQuery, 'rentalType' | 'diskGb'>): number | undefined {
  const rate = runningRateOfOffer(offer, query);
  return rate === undefined ? undefined : toDollars(perHour(rate));
}

function comparisonsOf(key: FieldKey, wanted: NumberRange | Choice | boolean): Comparisons {
  if (typeof wanted === 'boolean') {
    return { eq: wanted };
  }
  const { min, max, oneOf = [], noneOf = [] }: NumberRange & Choice = wanted;
  const field = searchField(key);
  return {
    ...(min === undefined ? {} : { gte: min }),
    ...(max === undefined ? {} : { lte: field.kind === 'number' ? upperLimit(field, max) : max }),
    ...(oneOf.length === 0 ? {} : { in: oneOf }),
    notin: noneOf,
  };
}

/** Returns whether a row contains a word that is not a filter. A state is a whole name: Kansas is not in Arkansas. */
function hasWord(offer: Offer, word: string): boolean {
  const { gpuName, cpuName, location = '', id, machineId } = offer;
  const places = `${location},${placeText(location)}`.toLowerCase();
  const wanted = word.toLowerCase();
  return findUsState(word) === wanted
    ? places.split(',').some((part) => part.trim() === wanted)
    : [gpuName, cpuName, places, id, machineId].join(' ').toLowerCase().includes(wanted);
}

/** Returns the offers that match the query and contain all words. */
export function fitting(
  offers: readonly Offer[],
  query: Omit<MarketQuery, 'sort'>,
  words: readonly string[] = [],
): readonly Offer[] {
  const extra = extraOf(query);
  return offers.filter(
    (offer) => misfits(offer, query, extra).length === 0 && words.every((word) => hasWord(offer, word)),
  );
}

/** Returns the fields of a wire filter that an offer fails. A value that the service does not report passes. */
export function wireMisfits(offer: Offer, filters: WireFiltersShape | undefined): readonly FieldKey[] {
  const clean = cleanWireFilters(filters);
  return fieldKeys.filter((key) => {
    const field = searchField(key);
    const comparisons = clean[field.wire];
    if (comparisons === undefined) {
      return false;
    }
    const value = field.kind === 'number' ? numberOnWire(offer, field) : field.of?.(offer);
    return value !== undefined && !satisfies(value, comparisons);
  });
}

function numberOnWire(offer: Offer, field: NumberField): number | undefined {
  if (field.wireOf) {
    return field.wireOf(offer);
  }
  const value = field.of?.(offer);
  return value === undefined ? undefined : value * (field.scale ?? (field.least ? field.least(1) : 1));
}

function satisfies(value: FilterPrimitive, comparisons: Comparisons): boolean {
  return Object.entries(comparisons).every(([operator, other]) => holds(value, operator, other));
}

function holds(
  value: FilterPrimitive,
  operator: string,
  other: FilterPrimitive | readonly FilterPrimitive[],
): boolean {
  const list = Array.isArray(other) ? (other as readonly FilterPrimitive[]) : [other as FilterPrimitive];
  const [first = ''] = list;
  const same = (one: FilterPrimitive) => plainValue(one) === plainValue(value);
  const difference = Number(value) - Number(first);
  // Tolerates the rounding of a change of units: 99 % is 0.99 as a share.
  const order = Math.abs(difference) <= Math.abs(Number(first)) * 1e-9 ? 0 : Math.sign(difference);
  const comparable = Number.isFinite(Number(value)) && Number.isFinite(Number(first));
  switch (operator) {
    case 'eq':
    case 'in':
      return list.some(same);
    case 'neq':
    case 'notin':
      return !list.some(same);
    case 'gt':
      return !comparable || order > 0;
    case 'gte':
      return !comparable || order >= 0;
    case 'lt':
      return !comparable || order < 0;
    case 'lte':
      return !comparable || order <= 0;
    default:
      return true;
  }
}

/** Normalizes a value: `"RTX_4090"` equals `"RTX 4090"`, `"true"` equals `true`, and `"2"` equals `2`. */
function plainValue(value: FilterPrimitive): string {
  return String(value).replace(/_/g, ' ').toLowerCase();
}
