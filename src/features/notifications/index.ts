import type { Services } from '../../services';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { showNotices } from './notices';

type Deps = Pick<Services, 'accounts' | 'commands' | 'keptSecrets' | 'redactor'>;

/** What the service itself sends: e-mails and webhooks. Nothing is read before the command runs. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  store.add(deps.commands.register('gpuRental.notices', () => showNotices(deps)));
  return store;
}
