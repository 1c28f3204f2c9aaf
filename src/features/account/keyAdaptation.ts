import { commandSpecs } from '../../commandSpecs';
import type { Services } from '../../services';
import { DisposableStore, type Disposable } from '../../util/disposable';

/** Permissions that `when` clauses ask for. */
const asked = ['instance_write', 'user_write', 'misc'] as const;

/** What the key in use may not do has no icon, and explains itself where it is chosen by name. */
export function adaptToKey({
  commands,
  contextKeys,
  keyAccess,
}: Pick<Services, 'commands' | 'contextKeys' | 'keyAccess'>): Disposable {
  const store = new DisposableStore();
  const show = () => {
    for (const category of asked) {
      contextKeys.set(`gpuRental.lacks.${category}`, keyAccess.lacks(category));
    }
  };
  store.add(
    commands.setGuard((id) => {
      keyAccess.require(commandSpecs[id].needs ?? []);
    }),
  );
  store.add(keyAccess.onDidChange(show));
  show();
  return store;
}
