import type { Services } from '../../services';
import { followAccount } from '../../shared/followAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { ComparePanel, type CompareDeps } from './comparePanel';

/** Pinned offers side by side. */
export function register(deps: CompareDeps & Pick<Services, 'commands'>): Disposable {
  const store = new DisposableStore();
  const panel = store.add(new ComparePanel(deps));
  store.add(
    deps.commands.register('gpuRental.compareOffers', () => {
      panel.open();
    }),
  );
  // Offers and prices are those of an account.
  store.add(
    followAccount(deps.accounts, () => {
      deps.offerPins.clear();
      panel.close();
    }),
  );
  return store;
}
