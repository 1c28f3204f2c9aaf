import { DisposableStore, type Disposable } from '../../util/disposable';
import type { JobDeps } from './deps';

/** Registers the commands for files of other engines. Few use them, so the writer and reader of YAML load with the first. */
export function registerExchange(deps: JobDeps): Disposable {
  const store = new DisposableStore();
  store.add(
    deps.commands.register('gpuRental.job.export', async (target) => {
      const { exportAJob } = await import('./exportJob');
      await exportAJob(deps, target);
    }),
  );
  store.add(
    deps.commands.register('gpuRental.job.import', async (document) => {
      const { importAJob } = await import('./importJob');
      await importAJob(document);
    }),
  );
  return store;
}
