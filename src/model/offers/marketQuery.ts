import type { OfferField } from '../../wire/offer';
import { cleanWireFilters, type FilterPrimitive, type OfferSearch, type WireFiltersShape } from './filters';
import type { Offer, RentalType } from './offer';
import {
  choiceField,
  choiceKeys,
  flagField,
  flagKeys,
  numberField,
  numberKeys,
  upperLimit,
  type Choice,
  type ChoiceField,
  type Filters,
  type NumberField,
  type NumberRange,
} from './searchFields';

export const sortOrders = ['best', 'price', 'value', 'reliability', 'memory'] as const;
export type SortOrder = (typeof sortOrders)[number];

/** A search of the market, in the units that users see. */
export interface MarketQuery {
  readonly filters: Filters;
  readonly rentalType: RentalType;
  readonly sort: SortOrder;
  /** GB of disk that the prices include. */
  readonly diskGb: number;
  /**
   * Filters of a template or workspace that `filters` can't express, in the service's names. `filters` wins over
   * them, field by field (docs/service/renting.md#template-merge).
   */
  readonly extraFilters?: WireFiltersShape | undefined;
}

/** The most rows that the service sends, even if `limit` asks for more (docs/service/offers.md#search). */
export const mostRows = 64;

type WireFilter = Record<string, FilterPrimitive | readonly FilterPrimitive[]>;

const orders: Readonly<Record<SortOrder, readonly (readonly [OfferField, 'asc' | 'desc'])[]>> = {
  best: [['score', 'desc']],
  price: [['dph_total', 'asc']],
  value: [['dlperf_per_dphtotal', 'desc']],
  reliability: [['reliability', 'desc']],
  memory: [['gpu_total_ram', 'desc']],
};

/** An interruptible machine costs at least its minimum bid, so limits and sort orders use that price. */
function priceField(rentalType: RentalType): OfferField {
  return rentalType === 'interruptible' ? 'min_bid' : 'dph_total';
}

/** Converts the query to the service's names and units. */
export function toOfferSearch(query: MarketQuery): OfferSearch {
  return {
    filters: { ...cleanWireFilters(query.extraFilters), ...wireFilters(query.filters, query.rentalType) },
    rentalType: query.rentalType,
    order: query.sort === 'price' ? [[priceField(query.rentalType), 'asc']] : orders[query.sort],
    limit: mostRows,
    allocatedStorageGb: query.diskGb,
  };
}

/** Converts the filters to the service's names and units. */
export function wireFilters(filters: Filters, rentalType: RentalType = 'on-demand'): OfferSearch['filters'] {
  const wire: Record<string, WireFilter> = {};
  const put = (name: OfferField, filter: WireFilter | undefined) => {
    if (filter && Object.keys(filter).length > 0) {
      wire[name] = { ...wire[name], ...filter };
    }
  };
  for (const key of numberKeys) {
    const range = filters[key];
    const field = numberField(key);
    const name = key === 'pricePerHour' ? priceField(rentalType) : field.wire;
    put(name, range && wireRange(field, range));
  }
  for (const key of choiceKeys) {
    const choice = filters[key];
    put(choiceField(key).wire, choice && wireChoice(choiceField(key), choice));
  }
  for (const key of flagKeys) {
    const wanted = filters[key];
    put(flagField(key).wire, wanted === undefined ? undefined : { eq: wanted });
  }
  return wire;
}

/** Removes the noise of binary fractions: 57 × 0.01 becomes 0.57. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

function wireRange(field: NumberField, range: NumberRange): WireFilter {
  const scale = field.scale ?? 1;
  const least = field.least ?? ((value: number) => tidy(value * scale));
  const most = field.most ?? ((value: number) => tidy(value * scale));
  const isPoint = range.min !== undefined && range.min === range.max;
  if (isPoint && !field.least && field.isShownWhole !== true) {
    return { eq: least(range.min ?? 0) };
  }
  return {
    ...(range.min === undefined ? {} : { gte: least(range.min) }),
    ...(range.max === undefined ? {} : { lte: most(upperLimit(field, range.max)) }),
  };
}

function wireChoice(field: ChoiceField, choice: Choice): WireFilter {
  const values = (list: readonly string[]) => list.map((value) => (field.numeric ? Number(value) : value));
  const wanted = values(choice.oneOf ?? []);
  const unwanted = values(choice.noneOf ?? []);
  const [only] = wanted;
  return {
    ...(only === undefined ? {} : wanted.length === 1 ? { eq: only } : { in: wanted }),
    ...(unwanted.length === 0 ? {} : { notin: unwanted }),
  };
}

/**
 * Returns the search for the rows after the last one of a full answer, or `undefined` if the order does not allow it.
 * Rows with equal sort values are sent again and dropped by id.
 */
export function searchAfter(query: MarketQuery, last: Offer): OfferSearch | undefined {
  const search = toOfferSearch(query);
  const own = wireFilters(query.filters, query.rentalType);
  const next = (name: OfferField, filter: WireFilter): OfferSearch => ({
    ...search,
    filters: { ...search.filters, [name]: { ...own[name], ...filter } },
  });
  switch (query.sort) {
    case 'price': {
      const price = query.rentalType === 'interruptible' ? last.minBidPerHour : last.totalPerHour;
      // Subtract a micro-dollar: our price is rounded up, and rows at the same price must be sent again.
      return price === undefined
        ? undefined
        : next(priceField(query.rentalType), { gte: tidy((price - 1) / 1e6) });
    }
    case 'value':
      return last.dlperfPerDollar === undefined
        ? undefined
        : next('dlperf_per_dphtotal', { lte: last.dlperfPerDollar });
    case 'reliability':
      return last.reliability === undefined ? undefined : next('reliability', { lte: last.reliability });
    case 'memory':
      return last.gpuRamMb === undefined || last.gpuCount === undefined
        ? undefined
        : next('gpu_total_ram', { lte: last.gpuRamMb * last.gpuCount });
    case 'best':
      return last.score === undefined ? undefined : next('score', { lte: last.score });
  }
}

/** Returns the filters with one field changed; `undefined` removes the field. */
export function withFilter<Key extends keyof Filters>(
  filters: Filters,
  key: Key,
  value: Filters[Key] | undefined,
): Filters {
  const others = Object.fromEntries(Object.entries(filters).filter(([name]) => name !== key));
  return value === undefined ? others : { ...others, [key]: value };
}
