import * as z from 'zod';
import type { User } from '../../model/accounts/account';
import { channel } from '../../shared/channel';
import { NotSignedInError } from '../../shared/notSignedIn';
import type { Disposable } from '../../util/disposable';
import type { Log } from '../../util/log';
import { NextRead } from '../../util/nextRead';
import type { Account, WindowHub } from '../ports';
import { accountRefOf, type AccountFiles } from './accountFiles';

interface Deps {
  readonly files: Pick<AccountFiles, 'get' | 'put'>;
  readonly hub: WindowHub;
  readonly log: Log;
  readonly active: () => Account | undefined;
  /** A session key is sent in place of the API key. */
  readonly isInSession: (accountKey: string) => boolean;
  /** Takes the account with its new user for the active one. */
  readonly show: (account: Account) => void;
  /** After the changes of accounts that are under way. */
  readonly serially: (action: () => Promise<void>) => Promise<void>;
}

const changes = channel('accounts.user', z.object({}));

/** The user of the active account, credit included, as the service or another window last read it. */
export class UserReads implements Disposable {
  private readonly reads = new NextRead(() => this.readNow());
  private readonly subscription: Disposable;

  constructor(private readonly deps: Deps) {
    this.subscription = changes.on(deps.hub, () => {
      void this.takeFromDisk();
    });
  }

  /** Reads the user from the service; whoever asks meanwhile shares the next read. */
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
    // In a session the service may name that in place of the key.
    const user = isInSession(account.key) && keyId !== undefined ? { ...read, keyId } : read;
    const still = this.activeIf(account.key);
    if (still) {
      const next: Account = { ...still, user };
      show(next);
      // Nobody waits for the disk; the others read it once it is there.
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

  private async takeFromDisk(): Promise<void> {
    const { active, files, show } = this.deps;
    const key = active()?.key;
    const saved = key === undefined ? undefined : await files.get(key).catch(() => undefined);
    const still = saved && this.activeIf(saved.ref.key);
    if (still) {
      show({ ...still, user: saved.user });
    }
  }

  /** Who is signed in after a wait, where that is still the same account. */
  private activeIf(key: string): Account | undefined {
    const account = this.deps.active();
    return account?.key === key ? account : undefined;
  }
}
