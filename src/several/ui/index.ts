import { runCommand } from '../../editor/commands';
import { reportDamagedFiles } from '../../editor/damagedFiles';
import { t } from '../../editor/localize';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { HostSets } from '../store/hostSets';
import type { EngineDeps } from './deps';
import type { Engines } from './engines';

/** Registers the handing of instances to other tools. Its code loads with the first command, or if a group exists. */
export function register(deps: EngineDeps): Disposable {
  const store = new DisposableStore();
  const { commands, log } = deps;
  const sets = store.add(new HostSets(deps));
  let engines: Promise<Engines> | undefined;
  const load = () =>
    (engines ??= import('./engines').then((module) => store.add(new module.Engines(deps, sets))));
  const check = () => {
    if (sets.rows.length > 0 || sets.error !== undefined) {
      load().catch((error: unknown) => {
        log.error('The groups for other tools could not be shown', error);
      });
    }
  };
  store.add(sets.onDidChange(check));
  check();
  store.add(
    reportDamagedFiles(deps, sets, 'hostSet', {
      effect: t('A group for other tools is missing, and its files are no longer kept current.'),
      startOver: () => runCommand('gpuRental.instance.useIn'),
    }),
  );
  store.add(commands.register('gpuRental.instance.useIn', async (...rows) => (await load()).use(...rows)));
  store.add(
    commands.register('gpuRental.instances.runCommand', async (...rows) =>
      (await load()).runCommand(...rows),
    ),
  );
  store.add(
    commands.register('gpuRental.instances.copyFiles', async (...rows) => (await load()).copyFiles(...rows)),
  );
  store.add(
    commands.register('gpuRental.instances.download', async (...rows) => (await load()).download(...rows)),
  );
  store.add(
    commands.register('gpuRental.instances.showLogs', async (...rows) => (await load()).showLogs(...rows)),
  );
  store.add(commands.register('gpuRental.hostSet.use', async (target) => (await load()).useSet(target)));
  store.add(
    commands.register('gpuRental.hostSet.remove', async (target) => (await load()).removeSet(target)),
  );
  return store;
}
