import { toDollars, zero, type Micros } from '../money';
import type { MarketQuery } from './marketQuery';
import type { Offer } from './offer';
import { defaultQuery } from './savedSearches';
import type { NumberRange } from './searchFields';

/** The facts about a user who has not searched yet. */
export interface FirstSearchInput {
  /** Machines of the latest rentals, newest first. */
  readonly rented: readonly Offer[];
  readonly credit?: Micros | undefined;
  /** The user's limit for all machines together, per hour. */
  readonly limitPerHour?: Micros | undefined;
}

/** The fields that a proposal fills until the user changes them. */
export const proposedKeys = ['gpuCount', 'pricePerHour'] as const;
export type ProposedKey = (typeof proposedKeys)[number];

/** About one afternoon. A machine that the credit does not pay for that long is a poor start. */
const leastHours = 4;
/** Single GPUs above this price are rare (dollars per hour), so a filter for it would change nothing. */
const dearest = 4;
/** Hardly any machine costs less (dollars per hour), and the first search must not show an empty list. */
const cheapest = 0.05;

/**
 * Returns the search for a user who has chosen no filters. It looks for the size of the last rental, otherwise single
 * GPUs, at a price that the limit, the last rentals or the credit allow. The list shows its filters, and a reset
 * removes them.
 */
export function firstSearch({ rented, credit, limitPerHour }: FirstSearchInput): MarketQuery {
  const [last] = rented;
  const count = last?.gpuCount ?? 1;
  const dearestRented = Math.max(...rented.map(({ totalPerHour }) => toDollars(totalPerHour ?? zero)), 0);
  const most = twoDigits(
    Math.min(
      limitPerHour === undefined ? Infinity : toDollars(limitPerHour),
      dearestRented > 0 ? 2 * dearestRented : affordable(credit),
    ),
  );
  return {
    ...defaultQuery,
    filters: {
      ...defaultQuery.filters,
      gpuCount: { min: count, max: count },
      ...(most >= cheapest && most < dearest * count ? { pricePerHour: { max: most } } : {}),
    },
  };
}

/** Without credit the user can only look at the market, so any price will do. */
function affordable(credit: Micros | undefined): number {
  return credit === undefined || credit <= 0 ? Infinity : toDollars(credit) / leastHours;
}

/** Rounds down to two digits, as a user would type the price. */
function twoDigits(price: number): number {
  if (!Number.isFinite(price) || price <= 0) {
    return 0;
  }
  const step = 10 ** (Math.floor(Math.log10(price)) - 1);
  return Number((Math.floor(price / step + 1e-9) * step).toPrecision(2));
}

/** Returns the user's search with the proposal for the fields that the user left open. */
export function withProposal(
  own: MarketQuery,
  proposal: MarketQuery,
  keys: readonly ProposedKey[],
): MarketQuery {
  const proposed = keys.map((key) => [key, proposal.filters[key]] as const);
  return { ...own, filters: { ...own.filters, ...Object.fromEntries(proposed) } };
}

/** Returns the fields that the user chose, and the keys that still have their proposed value. */
export function withoutProposal(
  query: MarketQuery,
  shown: { readonly own: MarketQuery; readonly proposed: MarketQuery; readonly keys: readonly ProposedKey[] },
): { readonly query: MarketQuery; readonly keys: readonly ProposedKey[] } {
  const keys = shown.keys.filter((key) => sameRange(query.filters[key], shown.proposed.filters[key]));
  return { query: withProposal(query, shown.own, keys), keys };
}

function sameRange(a: NumberRange | undefined, b: NumberRange | undefined): boolean {
  return a?.min === b?.min && a?.max === b?.max;
}
