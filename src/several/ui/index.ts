import { DisposableStore, type Disposable } from '../../util/disposable';
import type { SeveralDeps } from './deps';
import { HostFilesMark } from './hostFilesMark';

/** Registers the commands on several instances. Their code loads with the first one. */
export function register(deps: SeveralDeps): Disposable {
  const store = new DisposableStore();
  const { commands, instanceGroups } = deps;
  const mark = store.add(new HostFilesMark(deps));
  store.add(instanceGroups.addGroup(mark));
  store.add(
    commands.register('gpuRental.instance.saveHostFiles', async (...rows) => {
      const { saveHostFiles } = await import('./saveHostFiles');
      await saveHostFiles({ ...deps, mark }, ...rows);
    }),
  );
  store.add(
    commands.register('gpuRental.instances.runCommand', async (...rows) => {
      const { runOnSeveral } = await import('./severalCommands');
      await runOnSeveral(deps, ...rows);
    }),
  );
  store.add(
    commands.register('gpuRental.instances.showLogs', async (...rows) => {
      const { logsOfSeveral } = await import('./severalCommands');
      await logsOfSeveral(deps, ...rows);
    }),
  );
  store.add(
    commands.register('gpuRental.instances.copyFiles', async (...rows) => {
      const { copyToSeveral } = await import('./severalTransfers');
      await copyToSeveral(deps, ...rows);
    }),
  );
  store.add(
    commands.register('gpuRental.instances.download', async (...rows) => {
      const { downloadFromSeveral } = await import('./severalTransfers');
      await downloadFromSeveral(deps, ...rows);
    }),
  );
  return store;
}
