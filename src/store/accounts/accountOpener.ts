import type { Account, AccountsState } from './accounts';
import { NotSignedInError } from '../../shared/notSignedIn';
import type { AccountClients } from './accountClients';
import { keyError } from './accountErrors';
import type { AccountFiles, SavedAccount } from './accountFiles';
import type { SessionsInUse } from './sessionsInUse';

/** Builds accounts that can send requests from the disk and the key ring. */
export class AccountOpener {
  constructor(
    private readonly files: AccountFiles,
    private readonly inUse: SessionsInUse,
    private readonly clients: AccountClients,
  ) {}

  /** Returns the stored record of an account; throws when it was signed out. */
  async saved(accountKey: string): Promise<SavedAccount> {
    const saved = await this.files.get(accountKey);
    if (!saved) {
      throw new NotSignedInError();
    }
    return saved;
  }

  make({ ref, user }: SavedAccount, isKept: boolean): Account {
    return { ...ref, client: this.clients.of(ref), user, isKept };
  }

  async open(saved: SavedAccount): Promise<AccountsState> {
    const { key } = saved.ref;
    const { isKept, content } = await this.inUse.read(key);
    // A key ring that locks itself or loses a write must not sign out a user who is working.
    if (content.kind === 'present' || this.inUse.get(key)) {
      return { kind: 'signedIn', account: this.make(saved, isKept) };
    }
    return { kind: 'unreadable', account: saved.ref, error: keyError(content) };
  }

  /** Opens all accounts except one; skips those whose keys can't be read. */
  async openOthers(than: string | undefined): Promise<readonly Account[]> {
    const known = await this.files.list();
    const accounts = await Promise.all(
      known
        .filter(({ ref }) => ref.key !== than)
        .map(async (saved) => {
          const { isKept, content } = await this.inUse.read(saved.ref.key);
          return content.kind === 'present' ? [this.make(saved, isKept)] : [];
        }),
    );
    return accounts.flat();
  }
}
