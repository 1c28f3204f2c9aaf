import { t } from '../../editor/localize';
import { spendable } from '../../model/accounts/account';
import type { Services } from '../../services';
import { watchAccounts } from '../../shared/followAccount';
import { burnNow } from '../../store/instances/burn';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { redrawAt } from '../../util/duration';
import { statusBarText, type StatusBarTexts } from './statusBarText';

type Deps = Pick<
  Services,
  | 'accounts'
  | 'budget'
  | 'fleet'
  | 'volumes'
  | 'rentals'
  | 'startWatches'
  | 'settings'
  | 'clock'
  | 'statusItem'
>;

/** Shows in the status bar running instances, their cost and how long the credit lasts. A click opens the list. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  store.add(deps.statusItem.owned('instances'));
  const command = { command: 'gpuRental.instances.focus', title: t('Show Instances') };
  const timer = store.add(new MutableDisposable());
  const show = () => {
    const texts = deps.settings.get('gpuRental.statusBar.enabled') ? textsNow(deps) : undefined;
    timer.value =
      texts?.isMoving === true ? deps.clock.schedule(show, redrawAt(deps.clock.now()).nextInMs) : undefined;
    deps.statusItem.set('instances', texts && { ...texts, command });
  };
  store.add(deps.fleet.onDidChange(show));
  store.add(deps.volumes.onDidChange(show));
  store.add(deps.budget.onDidChange(show));
  store.add(watchAccounts(deps.accounts, show));
  store.add(deps.startWatches.onDidChange(show));
  store.add(deps.rentals.onDidChange(show));
  store.add(deps.settings.onDidChange('gpuRental.statusBar', show));
  show();
  return store;
}

function textsNow(deps: Deps): StatusBarTexts | undefined {
  const { accounts, fleet, rentals, startWatches, clock } = deps;
  const account = accounts.active;
  if (!account) {
    return undefined;
  }
  return statusBarText({
    state: fleet.state,
    facts: (id) => fleet.facts(id),
    burn: burnNow(deps),
    watches: startWatches.watches,
    notKnown: rentals.rentals.filter(({ phase }) => phase.kind === 'notKnown').length,
    budget: deps.budget.now,
    credit: spendable(account.user),
    now: clock.now(),
  });
}
