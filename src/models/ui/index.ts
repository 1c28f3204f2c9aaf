import { DisposableStore, type Disposable } from '../../util/disposable';
import type { Services } from '../services';
import type { ModelDeps } from './deps';
import { keepServing, stopServing } from './modelCommands';
import { showModelMessages } from './modelMessages';
import { ModelRows, workOfModels } from './modelRows';
import { serveAgain, serveModel } from './serveModel';

/** Models that rented GPUs serve: their rows, messages and commands. */
export function register(services: Services): Disposable {
  const deps: ModelDeps = services;
  const { commands, instanceGroups, jobs, servedModels, work } = deps;
  const store = new DisposableStore();
  store.add(instanceGroups.addInstanceRows(new ModelRows(servedModels)));
  store.add(work.add(workOfModels(servedModels, jobs)));
  store.add(showModelMessages(deps));
  store.add(commands.register('gpuRental.model.serve', () => serveModel(deps)));
  store.add(commands.register('gpuRental.model.serveAgain', (target) => serveAgain(deps, target)));
  store.add(commands.register('gpuRental.model.stop', (target) => stopServing(deps, target)));
  store.add(commands.register('gpuRental.model.keep', (target) => keepServing(deps, target)));
  return store;
}
