import type { Services } from '../../services';
import { NotSignedInError } from '../../shared/notSignedIn';
import type { Account } from '../../store/accounts/accounts';
import { readAfter } from '../../store/readAfter';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { createApiKey, createFromDocument, deleteApiKey } from './apiKeyCommands';
import { registerKeyLens } from './keyDocument';
import { copySecret, deleteSecret, setSecret } from './secretCommands';
import { showTeamRole } from './teamRoleCommands';

type Deps = Pick<Services, 'accounts' | 'commands' | 'keptSecrets' | 'redactor'>;

/** API keys, environment variables of the account, and team roles. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { commands } = deps;
  const active = (): Account => {
    if (!deps.accounts.active) {
      throw new NotSignedInError();
    }
    return deps.accounts.active;
  };
  /** Refreshes what the views show after a change. */
  const changing = async (change: Promise<boolean>): Promise<void> => {
    await readAfter(change, () => commands.run('gpuRental.refreshAccount', []));
  };
  store.add(commands.register('gpuRental.apiKey.create', () => changing(createApiKey(deps, active()))));
  store.add(
    commands.register('gpuRental.apiKey.createFromDocument', () =>
      changing(createFromDocument(deps, active())),
    ),
  );
  store.add(registerKeyLens());
  store.add(
    commands.register('gpuRental.apiKey.delete', (target) =>
      changing(deleteApiKey(active(), target?.apiKeyId)),
    ),
  );
  store.add(
    commands.register('gpuRental.secret.set', (target) => changing(setSecret(deps, active(), target))),
  );
  store.add(
    commands.register('gpuRental.secret.delete', (target) => changing(deleteSecret(deps, active(), target))),
  );
  store.add(commands.register('gpuRental.secret.copy', (target) => copySecret(active(), target?.secretName)));
  store.add(
    commands.register('gpuRental.teamRole.show', (target) => showTeamRole(active(), target?.roleName)),
  );
  return store;
}
