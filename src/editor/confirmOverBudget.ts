import type { BudgetNow } from '../model/budget/budget';
import { overrunText } from '../model/budget/budgetText';
import { confirm } from './confirm';
import { localize } from './localize';

/** Returns true if the budget allows the cost, or if the user confirms the amount over the budget. */
export async function confirmOverBudget(
  budget: { current(): Promise<BudgetNow | undefined> },
  question: { readonly message: string; readonly button: string },
): Promise<boolean> {
  const overrun = overrunText(await budget.current());
  return overrun === undefined || confirm({ ...question, detail: localize(overrun) });
}
