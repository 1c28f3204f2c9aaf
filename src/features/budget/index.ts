import { commandAction } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { nearLimit, partKey, type BudgetPart } from '../../model/budget/budget';
import { nearText, usedUpText } from '../../model/budget/budgetWords';
import type { Services } from '../../services';
import { BudgetStops } from '../../store/budget/budgetStops';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { setBudget } from './setBudget';
import { tellOfStops } from './stopMessages';

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
>;

/** Warns once over all windows when a budget is nearly or completely spent, and lets the user change it. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  store.add(deps.budget.onDidChange(() => look(deps)));
  store.add(deps.commands.register('gpuRental.setBudget', () => setBudget(deps)));
  store.add(tellOfStops(deps));
  store.add(new BudgetStops(deps));
  look(deps);
  return store;
}

function look({ accounts, budget, oneWindow }: Deps): void {
  const { now, limits } = budget;
  const account = accounts.active?.key;
  if (!now || account === undefined) {
    return;
  }
  for (const part of nearLimit(now, limits.warnPercent)) {
    const isSpent = part.spent.amount >= part.limit;
    const key = `${account}:budget:${isSpent ? 'spent' : 'near'}:${partKey(part)}`;
    oneWindow.offer(key, () => (isSpent ? tellSpent(part) : tellNear(part)), {
      isStillSo: () => account === accounts.active?.key && budget.now !== undefined,
    });
  }
}

function tellNear(part: BudgetPart): void {
  message('warning', localize(nearText(part)), ...nextSteps());
}

function tellSpent(part: BudgetPart): void {
  message(
    'warning',
    t('{0} Rentals and starts now need your confirmation.', localize(usedUpText(part))),
    commandAction(t('Stop Instances…'), 'gpuRental.instance.stop'),
    ...nextSteps(),
  );
}

function nextSteps() {
  return [
    commandAction(t('Set Budget…'), 'gpuRental.setBudget'),
    commandAction(t('Show My Spending'), 'gpuRental.spending.show'),
  ];
}
