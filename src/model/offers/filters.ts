/**
 * Filters `{field: {operator: value}}` in the service's field names and units
 * (docs/service/offers.md#search).
 */
export type WireFiltersShape = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export type FilterPrimitive = string | number | boolean;
/** One search of the market, in the service's field names and units. */
export interface OfferSearch {
  readonly filters: Readonly<
    Record<string, Readonly<Record<string, FilterPrimitive | readonly FilterPrimitive[]>>>
  >;
  readonly rentalType: 'on-demand' | 'interruptible';
  readonly order: readonly (readonly [field: string, direction: 'asc' | 'desc'])[];
  readonly limit?: number;
  /** GB that the total price shall include. */
  readonly allocatedStorageGb?: number;
}
