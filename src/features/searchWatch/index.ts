import { runCommand, signedIn } from '../../editor/commands';
import { reportDamagedFiles } from '../../editor/damagedFiles';
import { t } from '../../editor/localize';
import type { Services } from '../../services';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { WatchDeps } from './deps';
import { manageWatches } from './manage';
import { WatchNotifications } from './notifications';
import { watchSearch } from './watchSearch';

/** Registers searches that are repeated until an offer is cheap enough. */
export function register(deps: WatchDeps & Pick<Services, 'commands'>): Disposable {
  const store = new DisposableStore();
  const { commands } = deps;
  store.add(
    commands.register('gpuRental.watchSearch', async (request) => {
      if (await signedIn(deps.accounts)) {
        await watchSearch(deps, request);
      }
    }),
  );
  store.add(
    commands.register('gpuRental.manageWatches', async () => {
      if (await signedIn(deps.accounts)) {
        await manageWatches(deps);
      }
    }),
  );
  store.add(new WatchNotifications(deps));
  store.add(
    reportDamagedFiles(deps, deps.searchWatches, 'watch', {
      effect: t('A watched search no longer runs.'),
      startOver: () => runCommand('gpuRental.watchSearch'),
    }),
  );
  return store;
}
