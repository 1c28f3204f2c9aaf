import { watchAccounts } from '../../shared/followAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { Event } from '../../util/emitter';
import type { Log } from '../../util/log';
import type { Accounts } from './accounts';

/**
 * Returns the keys of the accounts that are not signed out. An account with a damaged file is among
 * them, because its data is needed once the user signs in to it again. Rejects if the disk refuses.
 */
export async function keptAccounts(
  accounts: Pick<Accounts, 'known' | 'damaged'>,
): Promise<ReadonlySet<string>> {
  const known = await accounts.known();
  // After the accounts were read, which sets aside what is damaged.
  const damaged = await accounts.damaged();
  return new Set([...known.map(({ key }) => key), ...damaged.accounts.keys()]);
}

export interface AccountEndsDeps {
  readonly accounts: Pick<Accounts, 'active' | 'known' | 'damaged' | 'onDidChange'>;
  readonly accountCleanup: { readonly onDidRemove: Event<string> };
  readonly log: Log;
}

/**
 * Calls `end` with the key of each account that was signed out, to close its connections. A window without contact to
 * others detects the sign-out in its own accounts, and so does one that opened a connection between the message and
 * the change of its accounts. `end` may be called twice for one account.
 */
export function onAccountEnd(
  { accounts, accountCleanup, log }: AccountEndsDeps,
  end: (accountKey: string) => void,
): Disposable {
  const store = new DisposableStore();
  const seen = new Set<string>();
  const note = () => {
    if (accounts.active) {
      seen.add(accounts.active.key);
    }
  };
  const check = async () => {
    note();
    if ([...seen].every((key) => key === accounts.active?.key)) {
      return;
    }
    // Throws if the disk refuses, so that an unreadable account is never taken for signed out.
    const kept = await keptAccounts(accounts);
    const gone = [...seen].filter((key) => !kept.has(key) && key !== accounts.active?.key);
    for (const key of store.isDisposed ? [] : gone) {
      seen.delete(key);
      end(key);
    }
  };
  note();
  store.add(accountCleanup.onDidRemove(end));
  store.add(
    watchAccounts(accounts, () => {
      check().catch((error: unknown) => {
        log.warn(`Whether an account is signed out could not be read: ${String(error)}`);
      });
    }),
  );
  return store;
}
