import { runCommand } from '../../editor/commands';
import type { Services } from '../../services';
import { watchAccounts } from '../../shared/followAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'oneWindow' | 'report' | 'clock'>;

/** A lasting problem is reported again after this time. */
const againMs = 12 * 60 * 60_000;

/**
 * Reports a key that can't be read from the secret store, or that the service refuses during a list: once, in the
 * window in use, with the likely cause and the next step. The last list stays visible.
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

/** Describes a problem; `what` is the same for the same problem with the same key. */
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
