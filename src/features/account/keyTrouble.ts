import { runCommand } from '../../editor/commands';
import type { Services } from '../../services';
import { watchAccounts } from '../../shared/followAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'oneWindow' | 'report' | 'clock'>;

/** Said again after this, while it lasts. */
const againMs = 12 * 60 * 60_000;

/**
 * A key that cannot be read from the secret store, or that the service refuses while the list of instances is
 * read, is told once, in the window that somebody looks at, with what may be the cause and what to do. The last
 * list stays in sight meanwhile.
 */
export function tellKeyTrouble(deps: Deps): Disposable {
  const store = new DisposableStore();
  const look = () => {
    const trouble = troubleOf(deps);
    if (trouble) {
      const { what, error } = trouble;
      const period = Math.floor(deps.clock.now() / againMs);
      const tell = () => {
        deps.report.error(error, { retry: () => runCommand('gpuRental.refresh') });
        return Promise.resolve();
      };
      deps.oneWindow.offer(`${what} ${period}`, tell, { isStillSo: () => troubleOf(deps)?.what === what });
    }
  };
  store.add(watchAccounts(deps.accounts, look));
  store.add(deps.fleet.onDidChange(look));
  return store;
}

/** `what` is the same for the same trouble with the same key. */
function troubleOf({
  accounts,
  fleet,
}: Deps): { readonly what: string; readonly error: UserError } | undefined {
  const { state } = accounts;
  if (state.kind === 'unreadable') {
    const { account, error } = state;
    return error instanceof UserError
      ? { what: `keyTrouble ${String(account?.key)} ${error.name}`, error }
      : undefined;
  }
  const list = fleet.state;
  const error = list.kind === 'failed' || list.kind === 'ready' ? list.error : undefined;
  if (state.kind !== 'signedIn' || !(error instanceof UserError) || error.nextStep !== 'replaceKey') {
    return undefined;
  }
  const lastGood = list.kind === 'ready' ? list.fetchedAt : 0;
  const { key, user } = state.account;
  return { what: `refusedKey ${key} ${String(user.keyId)} ${lastGood}`, error };
}
