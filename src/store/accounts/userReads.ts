import * as z from 'zod';
import type { User } from '../../model/accounts/account';
import { channel } from '../../shared/channel';
import { NotSignedInError } from '../../shared/notSignedIn';
import type { Disposable } from '../../util/disposable';
import type { Log } from '../../util/log';
import { NextRead } from '../../util/nextRead';
import type { WindowHub } from '../windows/windowHub';
import { accountRefOf, type AccountFiles } from './accountFiles';
import type { Account } from './accounts';

interface Deps {
  readonly files: Pick<AccountFiles, 'get' | 'put'>;
  readonly hub: WindowHub;
  readonly log: Log;
  readonly active: () => Account | undefined;
  /** Returns true if a session key is sent instead of the API key. */
  readonly isInSession: (accountKey: string) => boolean;
  /** Makes the account with its new user the active one. */
  readonly show: (account: Account) => void;
  /** Runs an action after the pending changes of accounts. */
  readonly serially: (action: () => Promise<void>) => Promise<void>;
}

const changes = channel('accounts.user', z.object({}));

/** The user of the active account, including the credit, as last read by any window. */
export class UserReads implements Disposable {
  private readonly reads = new NextRead(() => this.readNow());
  private readonly subscription: Disposable;

  constructor(private readonly deps: Deps) {
    this.subscription = changes.on(deps.hub, () => {
      void deps.serially(() => this.readFromDisk());
    });
  }

  /** Reads the user from the service. Callers during a read share the next one. */
  read(): Promise<User> {
    return this.reads.ask();
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private async readNow(): Promise<User> {
    const { active, files, hub, isInSession, log, serially, show } = this.deps;
    const account = active();
    if (!account) {
      throw new NotSignedInError();
    }
    const read = await account.client.users.current();
    const { keyId } = account.user;
    // In a session, the service may report the session's key id instead of the API key's.
    const user = isInSession(account.key) && keyId !== undefined ? { ...read, keyId } : read;
    const still = this.activeIf(account.key);
    if (still) {
      const next: Account = { ...still, user };
      show(next);
      // No caller waits for the disk; other windows read the user from there later.
      serially(async () => {
        if (this.activeIf(account.key)) {
          await files.put({ ref: accountRefOf(next), user });
          changes.send(hub, {});
        }
      }).catch((error: unknown) => {
        log.error('The account could not be written down', error);
      });
    }
    return user;
  }

  private async readFromDisk(): Promise<void> {
    const { active, files, show } = this.deps;
    const key = active()?.key;
    const saved = key === undefined ? undefined : await files.get(key).catch(() => undefined);
    const still = saved && this.activeIf(saved.ref.key);
    if (still) {
      show({ ...still, user: saved.user });
    }
  }

  /** Returns the active account after a wait if it is still the same one. */
  private activeIf(key: string): Account | undefined {
    const account = this.deps.active();
    return account?.key === key ? account : undefined;
  }
}
