import { DisposableStore, type Disposable } from '../../util/disposable';
import type { Services } from '../services';
import { ModelRows } from './modelRows';

/** Models that rented GPUs serve: their rows and commands. */
export function register({ instanceGroups, servedModels }: Services): Disposable {
  const store = new DisposableStore();
  store.add(instanceGroups.addInstanceRows(new ModelRows(servedModels)));
  return store;
}
