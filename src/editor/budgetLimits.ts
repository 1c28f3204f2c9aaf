import type { BudgetLimits } from '../model/budget/budget';
import { fromDollars } from '../model/money';
import type { SettingsReader } from './settings';

/** Returns the limits from the user's settings. */
export function budgetLimits(settings: Pick<SettingsReader, 'get'>): BudgetLimits {
  const limit = (dollars: number) => (dollars > 0 ? fromDollars(dollars) : undefined);
  return {
    day: limit(settings.get('gpuRental.budget.perDay')),
    month: limit(settings.get('gpuRental.budget.perMonth')),
    warnPercent: settings.get('gpuRental.budget.warnPercent'),
    stopsAll: settings.get('gpuRental.budget.stopAllAtLimit'),
  };
}
