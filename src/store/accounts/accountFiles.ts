import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { AccountRef, User } from '../../model/accounts/account';
import { micros } from '../../model/money';
import type { Log } from '../../util/log';
import { ifPresent } from '../../util/missing';
import { plainLabel } from '../../util/plainLabel';
import type { JsonFile } from '../disk/jsonFile';
import { IdFolder } from '../disk/rowFolder';
import type { DamagedAccountFiles } from './accounts';

/** The keys of accounts, which name files and folders. */
export const accountKeyShape = /^[0-9a-f]{16}$/;
/** Holds a file for each account, and beside it a folder with what else is kept of the account. */
const folderName = 'accounts';

/**
 * Returns a path inside the folder of an account, or that folder. All that is kept of one account alone lies there, so
 * that signing out deletes it as a whole.
 */
export function accountPath(storageDir: string, accountKey: string, ...names: readonly string[]): string {
  return join(storageDir, folderName, accountKey, ...names);
}

/** Returns the keys of accounts that have a file or folder with this name in their folder. */
export async function accountsWith(storageDir: string, name: string): Promise<readonly string[]> {
  const keys = (await ifPresent(readdir(join(storageDir, folderName)))) ?? [];
  const found = await Promise.all(
    keys
      .filter((key) => accountKeyShape.test(key))
      .map(async (key) => ((await ifPresent(stat(accountPath(storageDir, key, name)))) ? [key] : [])),
  );
  return found.flat();
}

const accountFile = z.object({
  version: z.literal(1),
  key: z.string().regex(accountKeyShape),
  serviceUrl: z.string().min(1),
  userId: z.number().int(),
  name: z.string(),
  isDemo: z.boolean(),
  user: z.object({
    id: z.number().int(),
    keyId: z.number().optional(),
    email: z.string().optional(),
    name: z.string().optional(),
    balance: micros.optional(),
    credit: micros.optional(),
    sshKey: z.string().optional(),
    tfaStatus: z.string().optional(),
    emailVerified: z.boolean().optional(),
    isAdmin: z.boolean().optional(),
  }),
});
const activeFile = z.object({ version: z.literal(1), key: z.string().nullable() });

/** An account as stored on disk, without its key. */
export interface SavedAccount {
  readonly ref: AccountRef;
  /** The user as last read, shown until the service has answered. */
  readonly user: User;
}

/** Returns the lasting identity of an account, without its changing state. */
export function accountRefOf({ key, serviceUrl, userId, name, isDemo }: AccountRef): AccountRef {
  return { key, serviceUrl, userId, name, isDemo };
}

/** Returns the default name of an account, as plain text because messages show it. */
export function nameOfUser(user: User): string {
  return plainLabel(user.email ?? user.name ?? '') || `#${user.id}`;
}

/** Returns the account name after another sign-in; a name that the user chose stays. */
export function nameAfterSignIn(before: SavedAccount | undefined, user: User): string {
  return before && before.ref.name !== nameOfUser(before.user) ? before.ref.name : nameOfUser(user);
}

/** Returns a key that is stable over restarts. The port of the demo changes, so it is not part of the key. */
export function accountKeyFor(serviceUrl: string, userId: number, isDemo: boolean): string {
  const place = isDemo ? 'demo' : serviceUrl;
  return createHash('sha256').update(`${place}\n${userId}`).digest('hex').slice(0, 16);
}

/** Accounts on disk without their API keys, one file each, and which of them is active. */
export class AccountFiles {
  private readonly active: JsonFile<z.infer<typeof activeFile>>;
  private readonly folder: IdFolder;
  private readonly storage: IdFolder;

  constructor(storageDir: string, log: Log) {
    this.folder = new IdFolder(join(storageDir, folderName), accountKeyShape, log);
    this.storage = new IdFolder(storageDir, /^activeAccount$/, log);
    this.active = this.storage.file('activeAccount', activeFile);
  }

  async list(): Promise<readonly SavedAccount[]> {
    const saved = await Promise.all([...(await this.folder.ids())].sort().map((key) => this.get(key)));
    return saved.filter((account) => account !== undefined);
  }

  /** The damaged files that were set aside, unless they were written again: accounts, and which of them is active. */
  async damaged(): Promise<DamagedAccountFiles> {
    const storage = await this.storage.setAside();
    return { accounts: await this.folder.setAside(), active: storage.get('activeAccount') };
  }

  async get(key: string): Promise<SavedAccount | undefined> {
    const saved = await this.file(key).value();
    return saved && { ref: accountRefOf({ ...saved, key }), user: dropUndefined(saved.user) };
  }

  async put(account: SavedAccount): Promise<void> {
    const { id, keyId, email, name, balance, credit, sshKey, tfaStatus, emailVerified, isAdmin } =
      account.user;
    await this.file(account.ref.key).write({
      version: 1,
      ...account.ref,
      user: { id, keyId, email, name, balance, credit, sshKey, tfaStatus, emailVerified, isAdmin },
    });
  }

  async remove(key: string): Promise<void> {
    await this.file(key).remove();
  }

  async activeKey(): Promise<string | undefined> {
    const active = await this.active.value();
    if (active) {
      return active.key ?? undefined;
    }
    const key = await this.onlyKey();
    if (key !== undefined) {
      await this.setActiveKey(key);
    }
    return key;
  }

  /**
   * Returns the only account, if the choice of the active one is lost and there was
   * no other; another window may have set the file aside.
   */
  private async onlyKey(): Promise<string | undefined> {
    const [only, ...others] = await this.list();
    // After the list, which sets aside what is damaged.
    const { accounts, active } = await this.damaged();
    return active !== undefined && others.length + accounts.size === 0 ? only?.ref.key : undefined;
  }

  async setActiveKey(key: string | undefined): Promise<void> {
    await this.active.write({ version: 1, key: key ?? null });
  }

  private file(key: string) {
    return this.folder.file(key, accountFile);
  }
}

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

/** Removes undefined members: JSON can't express them, and schemas treat them as optional. */
function dropUndefined<T extends object>(value: T): Defined<T> {
  // Only undefined members are removed, so the rest has the type that remains.
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Defined<T>;
}
