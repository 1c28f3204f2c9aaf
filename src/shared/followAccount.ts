import { DisposableStore, MutableDisposable, type Disposable } from '../util/disposable';
import type { ActiveAccount } from './reading';

/**
 * Calls `begin` with the active account, now if there is one, and after each switch or sign-out. The returned
 * disposable ends with the account. A changed credit or name does not count as another account.
 */
export function followAccount<A extends { readonly key: string }>(
  accounts: Pick<ActiveAccount<A>, 'active' | 'onDidChange'>,
  follow: (account: A | undefined) => Disposable | undefined,
): Disposable {
  const store = new DisposableStore();
  const current = store.add(new MutableDisposable<Disposable>());
  let key: string | undefined;
  const check = () => {
    const { active } = accounts;
    if (active?.key !== key) {
      key = active?.key;
      current.value = undefined;
      current.value = follow(active);
    }
  };
  store.add(accounts.onDidChange(check));
  check();
  return store;
}

/** Calls after each change of the accounts: a switch, a changed credit or name, or a key that can't be read. */
export function watchAccounts(
  accounts: Pick<ActiveAccount<unknown>, 'onDidChange'>,
  check: () => void,
): Disposable {
  return accounts.onDidChange(check);
}

/** Waits until it is known who is signed in. */
export async function accountsLoaded(
  accounts: Pick<ActiveAccount<unknown>, 'onDidChange'> & { readonly state: { readonly kind: string } },
): Promise<void> {
  while (accounts.state.kind === 'loading') {
    await new Promise<void>((resolve) => {
      const subscription = watchAccounts(accounts, () => {
        subscription.dispose();
        resolve();
      });
    });
  }
}
