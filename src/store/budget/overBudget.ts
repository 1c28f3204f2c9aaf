import { NotSentError } from '../../api/errors';
import { overrunText } from '../../model/budget/budgetText';
import type { Text } from '../../util/text';
import type { Budget } from './budgetStore';

/** Thrown before anything is sent: the budget is spent or unknown, and the user was not asked. */
export class OverBudgetError extends NotSentError {}

/** Returns why spending needs a confirmation that names the budget; undefined if it needs none. */
async function overrunNow(budget: Pick<Budget, 'current'>): Promise<Text | undefined> {
  return overrunText(await budget.current());
}

/** Checks the budget; rejects with `OverBudgetError` before anything is sent. */
export async function keepToBudget(
  budget: Pick<Budget, 'current'>,
  { acceptsOverrun = false }: { readonly acceptsOverrun?: boolean },
): Promise<void> {
  const overrun = acceptsOverrun ? undefined : await overrunNow(budget);
  if (overrun !== undefined) {
    throw new OverBudgetError(overrun);
  }
}
