import type { Micros } from '../money';
import { noRate, perHour, sumRates, type Rate } from '../quote';
import type { Ledger } from './ledger';
import { periods, stretchOf, type Period, type Stretch } from './period';
import { spentIn, type CostSource, type Spent } from './spent';

/** The limits that the user set; absent for no limit. */
export interface BudgetLimits {
  readonly day?: Micros | undefined;
  readonly month?: Micros | undefined;
  /** The percentage of a limit at which a warning appears. */
  readonly warnPercent: number;
  readonly stopsAll: boolean;
}

export interface BudgetPart {
  readonly period: Period;
  readonly span: Stretch;
  readonly limit: Micros;
  readonly spent: Spent;
}

export interface BudgetNow {
  readonly parts: readonly BudgetPart[];
  /** False if some or all charges could not be read. */
  readonly isWhole: boolean;
  /** The current cost of everything. */
  readonly rate: Rate;
  /** Unix seconds, by the service's clock if `isProved`. */
  readonly at: number;
  /** True if the figures use the service's clock and all charges, so that machines may be stopped because of them. */
  readonly isProved: boolean;
}

export function hasLimit({ day, month }: BudgetLimits): boolean {
  return day !== undefined || month !== undefined;
}

/** `at` is now in Unix seconds, by the service's clock if it is known. */
export function budgetAt(
  limits: BudgetLimits,
  ledger: Ledger,
  sources: readonly CostSource[],
  at: number,
): BudgetNow {
  const parts = periods.flatMap((period): BudgetPart[] => {
    const limit = limits[period];
    return limit === undefined
      ? []
      : [{ period, limit, span: stretchOf(period, at), spent: spentIn(period, ledger, sources, at) }];
  });
  const rate = sumRates(...sources.map((source) => source.rate ?? noRate));
  return { parts, rate, at, isWhole: ledger.isWhole, isProved: ledger.isWhole && ledger.isClockProved };
}

/** Returns the limits that are used up. */
export function usedUp({ parts }: BudgetNow): readonly BudgetPart[] {
  return parts.filter(({ spent, limit }) => spent.amount >= limit);
}

/** `unread`: the charges could not be read, so the budget may be used up. */
export type BudgetState = 'within' | 'usedUp' | 'unread';

/** Returns the state of the budget. Outside it, a rental or start needs a confirmation that shows that. */
export function budgetState(budget: BudgetNow | undefined): BudgetState {
  if (budget === undefined || budget.parts.length === 0) {
    return 'within';
  }
  return usedUp(budget).length > 0 ? 'usedUp' : budget.isWhole ? 'within' : 'unread';
}

/** Returns the limits that need a warning. */
export function nearLimit({ parts }: BudgetNow, warnPercent: number): readonly BudgetPart[] {
  return parts.filter(({ spent, limit }) => spent.amount * 100 >= limit * warnPercent);
}

/**
 * Returns the hours until a limit is certainly reached at this rate, or 0 if it has been. `undefined` if that never
 * happens or is not certain.
 */
export function hoursToLimit(part: BudgetPart, rate: Rate): number | undefined {
  const remaining = part.limit - part.spent.least;
  if (remaining <= 0) {
    return 0;
  }
  const hourly = perHour(rate);
  return hourly > 0 ? remaining / hourly : undefined;
}

/** Identifies a limit and its day or month, equally in all windows and after a restart. */
export function partKey({ period, span, limit }: BudgetPart): string {
  return `${period}:${span.from}:${limit}`;
}
