import { toDollars, zero, type Micros } from '../money';
import type { MarketQuery } from './marketQuery';
import type { Offer } from './offer';
import { defaultQuery } from './savedSearches';
import type { NumberRange } from './searchFields';

/** What is known of a user before anything was searched for. */
export interface FirstSearchInput {
  /** Machines of the last rentals, newest first. */
  readonly rented: readonly Offer[];
  readonly credit?: Micros | undefined;
  /** The price an hour that all machines together shall not pass. */
  readonly limitPerHour?: Micros | undefined;
}

/** What a proposal fills, as long as the user has chosen nothing else there. */
export const proposedKeys = ['gpuCount', 'pricePerHour'] as const;
export type ProposedKey = (typeof proposedKeys)[number];

/** An afternoon: a machine that the credit does not pay for so long is no good start. */
const leastHours = 4;
/** A price above which single GPUs are rare, in dollars an hour; a filter for it would change nothing. */
const dearest = 4;
/** Hardly anything costs less, in dollars an hour, and a search must not begin with an empty list. */
const cheapest = 0.05;

/**
 * The search of someone who has chosen none: machines of the size that was rented last, single GPUs otherwise, at a price
 * that the limit, the last rentals or the credit allow. Its filters are shown like any others, and a reset takes them away.
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

/** Without credit nothing can be rented, and a look at the market is all that is left. */
function affordable(credit: Micros | undefined): number {
  return credit === undefined || credit <= 0 ? Infinity : toDollars(credit) / leastHours;
}

/** Rounded down to two digits, as people would type it. */
function twoDigits(price: number): number {
  if (!Number.isFinite(price) || price <= 0) {
    return 0;
  }
  const step = 10 ** (Math.floor(Math.log10(price)) - 1);
  return Number((Math.floor(price / step + 1e-9) * step).toPrecision(2));
}

/** The user's own search with the proposal in the places where nothing was chosen. */
export function withProposal(
  own: MarketQuery,
  proposal: MarketQuery,
  keys: readonly ProposedKey[],
): MarketQuery {
  const proposed = keys.map((key) => [key, proposal.filters[key]] as const);
  return { ...own, filters: { ...own.filters, ...Object.fromEntries(proposed) } };
}

/** What of a search was chosen, and the places that are still as they were proposed. */
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
