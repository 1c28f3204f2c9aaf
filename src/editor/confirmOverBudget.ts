import type { BudgetNow } from '../model/budget/budget';
import { overrunText } from '../model/budget/budgetWords';
import { confirm } from './confirm';
import { localize } from './localize';

/** True where the budget leaves room, or after a yes that names what passes it. */
export async function confirmOverBudget(
  budget: { current(): Promise<BudgetNow | undefined> },
  question: { readonly message: string; readonly button: string },
): Promise<boolean> {
  const overrun = overrunText(await budget.current());
  return overrun === undefined || confirm({ ...question, detail: localize(overrun) });
}
