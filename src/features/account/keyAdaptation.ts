import { commandSpecs } from '../../commandSpecs';
import type { Services } from '../../services';
import { DisposableStore, type Disposable } from '../../util/disposable';

/** Permissions that `when` clauses use. */
const asked = ['instance_write', 'user_write', 'misc'] as const;

/** Hides icons of actions that the key in use does not allow; chosen by name, such an action explains itself. */
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
