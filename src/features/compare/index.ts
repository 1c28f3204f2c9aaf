import type { Services } from '../../services';
import { followAccount } from '../../shared/followAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { ComparePanel, type CompareDeps } from './comparePanel';

/** Registers the comparison of pinned offers. */
export function register(deps: CompareDeps & Pick<Services, 'commands'>): Disposable {
  const store = new DisposableStore();
  const panel = store.add(new ComparePanel(deps));
  store.add(
    deps.commands.register('gpuRental.compareOffers', () => {
      panel.open();
    }),
  );
  // Offers and prices belong to an account.
  store.add(
    followAccount(deps.accounts, () => {
      deps.offerPins.clear();
      panel.close();
    }),
  );
  return store;
}
