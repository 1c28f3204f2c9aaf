import { DisposableStore, MutableDisposable, type Disposable } from '../util/disposable';
import type { ActiveAccount } from './reading';

/**
 * Calls with the active account: now where there is one, and whenever another one takes its place or the user signs
 * out. What is returned ends with the account. A changed credit or name is no other account.
 */
export function followAccount<A extends { readonly key: string }>(
  accounts: Pick<ActiveAccount<A>, 'active' | 'onDidChange'>,
  follow: (account: A | undefined) => Disposable | undefined,
): Disposable {
  const store = new DisposableStore();
  const current = store.add(new MutableDisposable<Disposable>());
  let key: string | undefined;
  const look = () => {
    const { active } = accounts;
    if (active?.key !== key) {
      key = active?.key;
      current.value = undefined;
      current.value = follow(active);
    }
  };
  store.add(accounts.onDidChange(look));
  look();
  return store;
}

/** Calls after every change of the accounts: another one, a changed credit or name, a key that can't be read. */
export function watchAccounts(
  accounts: Pick<ActiveAccount<unknown>, 'onDidChange'>,
  look: () => void,
): Disposable {
  return accounts.onDidChange(look);
}
