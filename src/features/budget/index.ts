import { commandAction, titledAction } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { askText } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import { nearLimit, partKey, type BudgetPart } from '../../model/budget/budget';
import { dayAndMonthText, readLimit, spentText } from '../../model/budget/budgetText';
import type { Services } from '../../services';
import { BudgetStops } from '../../store/budget/budgetStops';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { showStopMessages } from './stopMessages';

type Deps = Pick<
  Services,
  | 'accounts'
  | 'budget'
  | 'clock'
  | 'commands'
  | 'fleet'
  | 'hub'
  | 'log'
  | 'notices'
  | 'oneWindow'
  | 'settings'
  | 'work'
>;

/** Warns once over all windows when a budget is nearly or completely spent, and lets the user change it. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  store.add(deps.budget.onDidChange(() => check(deps)));
  store.add(deps.commands.register('gpuRental.setBudget', () => setBudget(deps)));
  store.add(showStopMessages(deps));
  const isSaving = async (accountKey: string, instanceId: number) => {
    await deps.work.whole();
    return deps.work.isSaving(accountKey, instanceId, 'processes');
  };
  store.add(new BudgetStops({ ...deps, isSaving }));
  check(deps);
  return store;
}

function check({ accounts, budget, oneWindow }: Deps): void {
  const { now, limits } = budget;
  const account = accounts.active?.key;
  if (!now || account === undefined) {
    return;
  }
  for (const part of nearLimit(now, limits.warnPercent)) {
    const isSpent = part.spent.amount >= part.limit;
    const key = `${account}:budget:${isSpent ? 'spent' : 'near'}:${partKey(part)}`;
    oneWindow.offer(key, () => (isSpent ? showSpent(part) : showNear(part)), {
      isStillSo: () => account === accounts.active?.key && budget.now !== undefined,
    });
  }
}

function showNear(part: BudgetPart): void {
  message('warning', localize(spentText(part)), ...nextSteps());
}

function showSpent(part: BudgetPart): void {
  message(
    'warning',
    t('{0} Rentals and starts now need your confirmation.', localize(spentText(part))),
    commandAction(t('Stop Instances…'), 'gpuRental.instance.stop'),
    ...nextSteps(),
  );
}

function nextSteps() {
  return [titledAction('gpuRental.setBudget'), titledAction('gpuRental.spending.show')];
}

type SetBudgetDeps = Pick<Services, 'settings' | 'budget'>;

/** Asks for the two limits, and sets them for this user. */
async function setBudget({ settings, budget }: SetBudgetDeps): Promise<void> {
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
    title: titleOf('gpuRental.setBudget'),
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
