import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { askText } from '../../editor/quickPick';
import { dayAndMonthText, readLimit } from '../../model/budget/budgetWords';
import type { Services } from '../../services';

type Deps = Pick<Services, 'settings' | 'budget'>;

/** Asks for the two limits, and sets them for this user. */
export async function setBudget({ settings, budget }: Deps): Promise<void> {
  let step: 'day' | 'month' = 'day';
  let perDay = settings.get('gpuRental.budget.perDay');
  for (;;) {
    const answer = await askLimit(step, step === 'day' ? perDay : settings.get('gpuRental.budget.perMonth'));
    if (answer.kind === 'cancelled' || (answer.kind === 'back' && step === 'day')) {
      return;
    }
    const dollars = answer.kind === 'picked' ? (readLimit(answer.value) ?? 0) : 0;
    if (answer.kind === 'back') {
      step = 'day';
    } else if (step === 'day') {
      perDay = dollars;
      step = 'month';
    } else {
      await settings.set('gpuRental.budget.perDay', perDay);
      await settings.set('gpuRental.budget.perMonth', dollars);
      message('info', localize(dayAndMonthText(budget.limits)));
      return;
    }
  }
}

function askLimit(step: 'day' | 'month', dollars: number) {
  return askText({
    title: t('Set Budget'),
    step: step === 'day' ? 1 : 2,
    totalSteps: 2,
    canGoBack: step === 'month',
    prompt:
      step === 'day'
        ? t('Dollars a day (UTC) for each account. Leave it empty for no limit.')
        : t('Dollars a calendar month (UTC) for each account. Leave it empty for no limit.'),
    value: dollars > 0 ? String(dollars) : '',
    problem: (typed) =>
      readLimit(typed) === undefined ? t('Type an amount in dollars, such as 10 or 12.50.') : undefined,
  });
}
