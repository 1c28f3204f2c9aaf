import * as z from 'zod';
import type { WireFiltersShape } from './filters';
import { readWireFilters } from './readWireFilters';
import { sortOrders, type MarketQuery } from './marketQuery';
import { choiceKeys, defaultFilters, flagKeys, numberKeys, type Filters } from './searchFields';

export interface SavedSearch {
  readonly name: string;
  readonly query: MarketQuery;
}

export const mostRecentSearches = 8;
/** GB that prices include until somebody chooses a disk. */
export const usualDiskGb = 20;

export const defaultQuery: MarketQuery = {
  filters: defaultFilters,
  rentalType: 'on-demand',
  sort: 'best',
  diskGb: usualDiskGb,
};

/** A search that begins with somebody's filters; of ours only those that they do not name. */
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

/** Without the members that are `undefined`; nothing is left for an empty object. */
function compact(value: object): object | undefined {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The filters of a stored search; what this version does not know is left out. */
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
  // Each member was checked against its table above.
  return compact(filters) ?? {};
}

/** A query from settings or storage; `undefined` when it is not one. */
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

/** The setting `{name: query}`, by name; entries that cannot be read are left out. */
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

/** What is kept of a search: the user's own part, without what a template or workspace added. */
export function ownQuery({ filters, rentalType, sort, diskGb }: MarketQuery): MarketQuery {
  return { filters, rentalType, sort, diskGb };
}

/** The setting with one search added or replaced; entries of other versions stay as they are. */
export function withSavedSearch(setting: unknown, name: string, query: MarketQuery): Record<string, unknown> {
  const entries = z.record(z.string(), z.unknown()).safeParse(setting);
  return { ...(entries.success ? entries.data : {}), [name]: ownQuery(query) };
}

/** The setting with a search under another name, which takes the place of one that has it already. */
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

/** The same text for the same search, whatever the order of its members. */
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

/** The last search first, each once. */
export function withRecentSearch(recent: readonly MarketQuery[], query: MarketQuery): readonly MarketQuery[] {
  const own = ownQuery(query);
  const key = searchKey(own);
  return [own, ...recent.filter((other) => searchKey(other) !== key)].slice(0, mostRecentSearches);
}
