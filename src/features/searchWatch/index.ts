import { commandAction, signedIn } from '../../editor/commands';
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
      sentence: (path) =>
        t(
          'A watched search could not be read because its file is damaged, so it does not run any more. The file is kept as {0}.',
          path,
        ),
      next: commandAction(t('Watch a Search…'), 'gpuRental.watchSearch'),
    }),
  );
  return store;
}
