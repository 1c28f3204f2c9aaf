import * as z from 'zod';
import type { WireFiltersShape } from './filters';
import { sortOrders, type MarketQuery } from './marketQuery';
import { readWireFilters } from './readWireFilters';
import { choiceKeys, defaultFilters, flagKeys, numberKeys, type Filters } from './searchFields';

export interface SavedSearch {
  readonly name: string;
  readonly query: MarketQuery;
}

export const mostRecentSearches = 8;
/** GB of disk that prices include until the user chooses a size. */
export const usualDiskGb = 20;

export const defaultQuery: MarketQuery = {
  filters: defaultFilters,
  rentalType: 'on-demand',
  sort: 'best',
  diskGb: usualDiskGb,
};

/** Returns a search that starts with given filters. Our defaults fill only the fields that they leave open. */
export function queryWith(
  wire: WireFiltersShape | undefined,
  diskGb: number,
  maxPricePerHour?: number,
): MarketQuery {
  const { filters, extraFilters } = readWireFilters(wire);
  return {
    ...defaultQuery,
    diskGb,
    extraFilters,
    filters: {
      ...defaultFilters,
      ...filters,
      ...(maxPricePerHour === undefined ? {} : { pricePerHour: { max: maxPricePerHour } }),
    },
  };
}

const number = z.number().optional().catch(undefined);
const range = z.object({ min: number, max: number });
const words = z.array(z.string().max(200)).max(300).optional().catch(undefined);
const choice = z.object({ oneOf: words, noneOf: words });

const shape = z.object({
  filters: z.record(z.string(), z.unknown()).catch({}),
  rentalType: z.enum(['on-demand', 'interruptible']).catch('on-demand'),
  sort: z.enum(sortOrders).catch('best'),
  diskGb: z.number().min(1).max(1_000_000).catch(usualDiskGb),
  extraFilters: z.record(z.string(), z.record(z.string(), z.unknown())).optional().catch(undefined),
});

/** Removes members that are `undefined`. Returns `undefined` for an object without members. */
function compact(value: object): object | undefined {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Reads the filters of a stored search and drops those that this version does not know. */
function readFilters(value: Readonly<Record<string, unknown>>): Filters {
  const filters: Record<string, unknown> = {};
  for (const key of numberKeys) {
    const parsed = range.safeParse(value[key]);
    filters[key] = parsed.success ? compact(parsed.data) : undefined;
  }
  for (const key of choiceKeys) {
    const parsed = choice.safeParse(value[key]);
    filters[key] = parsed.success ? compact(parsed.data) : undefined;
  }
  for (const key of flagKeys) {
    filters[key] = typeof value[key] === 'boolean' ? value[key] : undefined;
  }
  // Each member has been checked against its table above.
  return compact(filters) ?? {};
}

/** Reads a query from settings or storage. Returns `undefined` if the value is not a query. */
export function readQuery(value: unknown): MarketQuery | undefined {
  const parsed = shape.safeParse(value);
  if (!parsed.success) {
    return undefined;
  }
  const { filters, extraFilters, ...query } = parsed.data;
  return {
    ...query,
    filters: readFilters(filters),
    ...(extraFilters === undefined ? {} : { extraFilters }),
  };
}

/** Reads the setting `{name: query}`, sorted by name. Unreadable entries are dropped. */
export function readSavedSearches(value: unknown): readonly SavedSearch[] {
  const entries = z.record(z.string(), z.unknown()).safeParse(value);
  if (!entries.success) {
    return [];
  }
  return Object.entries(entries.data)
    .map(([name, stored]) => ({ name, query: readQuery(stored) }))
    .filter((one): one is SavedSearch => one.query !== undefined && one.name.trim() !== '')
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** Returns the user's own part of a search, without what a template or workspace added. */
export function ownQuery({ filters, rentalType, sort, diskGb }: MarketQuery): MarketQuery {
  return { filters, rentalType, sort, diskGb };
}

/** Returns the setting with one search added or replaced. Entries of other versions stay unchanged. */
export function withSavedSearch(setting: unknown, name: string, query: MarketQuery): Record<string, unknown> {
  const entries = z.record(z.string(), z.unknown()).safeParse(setting);
  return { ...(entries.success ? entries.data : {}), [name]: ownQuery(query) };
}

/** Returns the setting with a search renamed. The search replaces one that has the new name. */
export function withRenamedSearch(setting: unknown, name: string, to: string): Record<string, unknown> {
  const entries = z.record(z.string(), z.unknown()).safeParse(setting);
  const { [name]: moved, ...others } = entries.success ? entries.data : {};
  return moved === undefined ? others : { ...others, [to]: moved };
}

export function withoutSavedSearch(setting: unknown, name: string): Record<string, unknown> {
  const entries = z.record(z.string(), z.unknown()).safeParse(setting);
  return Object.fromEntries(
    Object.entries(entries.success ? entries.data : {}).filter(([key]) => key !== name),
  );
}

/** Returns the same text for equal searches, in any order of members. */
export function searchKey(query: MarketQuery): string {
  return JSON.stringify(query, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

export function readRecentSearches(value: unknown): readonly MarketQuery[] {
  return Array.isArray(value)
    ? value
        .map(readQuery)
        .filter((query) => query !== undefined)
        .slice(0, mostRecentSearches)
    : [];
}

/** Returns the recent searches with `query` first and without duplicates. */
export function withRecentSearch(recent: readonly MarketQuery[], query: MarketQuery): readonly MarketQuery[] {
  const own = ownQuery(query);
  const key = searchKey(own);
  return [own, ...recent.filter((other) => searchKey(other) !== key)].slice(0, mostRecentSearches);
}
