/**
 * Filters `{field: {operator: value}}` in the service's field names and units
 * (docs/service/offers.md#search).
 */
export type WireFiltersShape = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export type FilterPrimitive = string | number | boolean;
/** A search of the market, in the service's field names and units. */
export interface OfferSearch {
  readonly filters: Readonly<
    Record<string, Readonly<Record<string, FilterPrimitive | readonly FilterPrimitive[]>>>
  >;
  readonly rentalType: 'on-demand' | 'interruptible';
  readonly order: readonly (readonly [field: string, direction: 'asc' | 'desc'])[];
  readonly limit?: number;
  /** GB of disk that the total price includes. */
  readonly allocatedStorageGb?: number;
}

const operators = new Set(['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'notin']);

/** Returns a stored filter in the shape of a search, without anything that is not a comparison. */
export function cleanWireFilters(filters: WireFiltersShape | undefined): OfferSearch['filters'] {
  const clean: Record<string, Record<string, FilterPrimitive | readonly FilterPrimitive[]>> = {};
  for (const [field, comparisons] of Object.entries(filters ?? {})) {
    for (const [operator, value] of Object.entries(comparisons)) {
      if (operators.has(operator) && isFilterValue(value)) {
        clean[field] = { ...clean[field], [operator]: value };
      }
    }
  }
  return clean;
}

function isFilterValue(value: unknown): value is FilterPrimitive | readonly FilterPrimitive[] {
  return Array.isArray(value) ? value.every(isPrimitive) : isPrimitive(value);
}

function isPrimitive(value: unknown): value is FilterPrimitive {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
