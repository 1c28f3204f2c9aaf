import type { Micros } from '../money';
import { noRate, perHour, sumRates, type Rate } from '../quote';
import type { Ledger } from './ledger';
import { periods, stretchOf, type Period, type Stretch } from './period';
import { spentIn, type CostSource, type Spent } from './spent';

/** What the user set; absent for no limit. */
export interface BudgetLimits {
  readonly day?: Micros | undefined;
  readonly month?: Micros | undefined;
  /** The part of a limit at which a warning appears, in percent. */
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
  /** False where the charges could not be read, or not all of them. */
  readonly isWhole: boolean;
  /** What everything costs now. */
  readonly rate: Rate;
  /** Unix seconds, by the service's clock where `isProved`. */
  readonly at: number;
  /** By the service's clock and from all charges, so that machines may be stopped by it. */
  readonly isProved: boolean;
}

export function hasLimit({ day, month }: BudgetLimits): boolean {
  return day !== undefined || month !== undefined;
}

/** `at`: now in Unix seconds, by the service's clock where it is known. */
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

/** The limits that are used up. */
export function usedUp({ parts }: BudgetNow): readonly BudgetPart[] {
  return parts.filter(({ spent, limit }) => spent.amount >= limit);
}

/** `unread`: it may be used up. */
export type BudgetState = 'within' | 'usedUp' | 'unread';

/** A rental or a start that is not within the budget needs a yes that names it. */
export function budgetState(budget: BudgetNow | undefined): BudgetState {
  if (budget === undefined || budget.parts.length === 0) {
    return 'within';
  }
  return usedUp(budget).length > 0 ? 'usedUp' : budget.isWhole ? 'within' : 'unread';
}

/** The limits that a warning is due for. */
export function nearLimit({ parts }: BudgetNow, warnPercent: number): readonly BudgetPart[] {
  return parts.filter(({ spent, limit }) => spent.amount * 100 >= limit * warnPercent);
}

/**
 * Hours until a limit is certainly reached at this rate, 0 where it is; `undefined` where that does not happen or is not
 * proved.
 */
export function hoursToLimit(part: BudgetPart, rate: Rate): number | undefined {
  const left = part.limit - part.spent.least;
  if (left <= 0) {
    return 0;
  }
  const hourly = perHour(rate);
  return hourly > 0 ? left / hourly : undefined;
}

/** Names a limit and its day or month, the same in all windows and after a restart. */
export function partKey({ period, span, limit }: BudgetPart): string {
  return `${period}:${span.from}:${limit}`;
}
