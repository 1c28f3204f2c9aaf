import * as z from 'zod';
import { ForbiddenError } from '../../api/errors';
import type { ClientHooks } from '../../api/serviceHttp';
import { permissionCategories, type ApiKey, type PermissionCategory } from '../../model/accounts/apiKey';
import { mayUse, permissionMeaning } from '../../model/accounts/permissionText';
import { permissionOfRoute } from '../../model/accounts/routePermissions';
import { channel } from '../../shared/channel';
import { watchAccounts } from '../../shared/followAccount';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import { JsonFile } from '../disk/jsonFile';
import type { WindowHub } from '../windows/windowHub';
import { accountPath } from './accountFiles';
import type { Account, Accounts } from './accounts';

/** A call that we refuse ourselves, because the key is known to lack the permission. */
export class KeyLacksError extends ForbiddenError {
  constructor(lacking: PermissionCategory) {
    super({
      lacking,
      text: text(
        'Your API key lacks the permission {0} ({1}). Replace the key with one that has it.',
        lacking,
        permissionMeaning[lacking],
      ),
    });
  }
}

const accessFile = z.object({
  version: z.literal(1),
  keyId: z.number(),
  key: z
    .object({
      id: z.number(),
      name: z.string().optional(),
      rights: z.string().optional(),
      permissions: z.record(z.string(), z.unknown()).optional(),
      ipWhitelist: z.array(z.string()).optional(),
    })
    .nullable(),
  lacking: z.array(z.enum(permissionCategories)),
});
type Known = Omit<z.infer<typeof accessFile>, 'version'>;

const changes = channel('keyAccess', z.object({}));
/** The record of a key does not change; after a failed read it is read again after this time. */
const retryMs = 5 * 60_000;

interface Deps {
  readonly accounts: Pick<Accounts, 'active' | 'onDidChange'>;
  readonly hub: WindowHub;
  readonly storageDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The permissions of the key in use: from its record if that may be read, otherwise learned from refusals.
 * One window reads the record once per key; it contains no secret.
 */
export class KeyAccess implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<undefined>());
  readonly onDidChange = this.changed.event;
  /** Account and key that `known` describes. */
  private subject = '';
  private known: Known | undefined;
  private readAt = -Infinity;
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly deps: Deps) {
    const follow = () => {
      this.follow();
    };
    this.owned.add(watchAccounts(deps.accounts, follow));
    this.owned.add(deps.hub.onDidChangeLeader(follow));
    this.owned.add(
      changes.on(deps.hub, () => {
        this.enqueue(() => this.readFromDisk());
      }),
    );
    this.follow();
  }

  /** The record of the key in use; `undefined` if it may not be read or has not been read yet. */
  get key(): ApiKey | undefined {
    const key = this.known?.key;
    // JSON omits members that a schema calls optional.
    return key === null ? undefined : (key as ApiKey | undefined);
  }

  /** Returns true only if the key is known to lack the permission. */
  lacks(category: PermissionCategory): boolean {
    const { key } = this;
    return key ? !mayUse(key, category) : (this.known?.lacking.includes(category) ?? false);
  }

  /** Throws `KeyLacksError` if the key lacks one of the categories. */
  require(categories: readonly PermissionCategory[]): void {
    const lacking = categories.find((category) => this.lacks(category));
    if (lacking) {
      throw new KeyLacksError(lacking);
    }
  }

  /** Returns the hooks of an account's client for the permissions of its key. */
  hooksOf(accountKey: string) {
    return {
      onForbidden: (error: ForbiddenError) => this.learn(accountKey, error),
      beforeRead: (route: string) => this.checkRead(accountKey, route),
    } satisfies ClientHooks;
  }

  /**
   * Throws `KeyLacksError` for a read that would be refused. Writes are always sent, because
   * the service decides when something must be stopped. The user of the key is always read too.
   */
  private checkRead(accountKey: string, route: string): void {
    const category = permissionOfRoute(route);
    const isOwn = this.deps.accounts.active?.key === accountKey;
    if (isOwn && category && !route.includes('/users/current/')) {
      this.require([category]);
    }
  }

  /** Settles once the permissions of the key in use are known, or could not be read. */
  async settled(): Promise<void> {
    await this.work;
  }

  /** Remembers the permission that a refusal names, unless the key's record is known. */
  private learn(accountKey: string, { lacking }: ForbiddenError): void {
    const account = this.deps.accounts.active;
    const keyId = account?.user.keyId;
    if (lacking === undefined || account?.key !== accountKey || keyId === undefined || this.key) {
      return;
    }
    if (!this.lacks(lacking)) {
      const before = this.known?.lacking ?? [];
      this.keep(account, { keyId, key: null, lacking: [...before, lacking] });
    }
  }

  dispose(): void {
    this.owned.dispose();
  }

  private follow(): void {
    const { accounts, clock } = this.deps;
    const account = accounts.active;
    const subject = account ? subjectOf(account) : '';
    if (subject !== this.subject) {
      this.subject = subject;
      this.known = undefined;
      this.readAt = -Infinity;
      this.changed.fire(undefined);
    }
    if (account?.user.keyId === undefined || this.known?.key || clock.elapsed() - this.readAt < retryMs) {
      return;
    }
    this.readAt = clock.elapsed();
    this.enqueue(async () => {
      await this.readFromDisk();
      if (!this.known?.key && this.deps.hub.isLeader) {
        await this.read(account);
      }
    });
  }

  private async read(account: Account): Promise<void> {
    const keyId = account.user.keyId;
    if (keyId === undefined || subjectOf(account) !== this.subject) {
      return;
    }
    const { items } = await account.client.apiKeys.list({ isUnasked: true });
    const found = items.find(({ id }) => id === keyId);
    if (found && subjectOf(account) === this.subject) {
      const { id, name, rights, permissions, ipWhitelist } = found;
      this.keep(account, {
        keyId,
        key: { id, name, rights, permissions, ipWhitelist: ipWhitelist && [...ipWhitelist] },
        lacking: [],
      });
    }
  }

  private keep(account: Account, known: Known): void {
    this.known = known;
    this.changed.fire(undefined);
    this.enqueue(async () => {
      await this.file(account.key).write({ version: 1, ...known });
      changes.send(this.deps.hub, {});
    });
  }

  private async readFromDisk(): Promise<void> {
    const account = this.deps.accounts.active;
    const known = account && (await this.file(account.key).value());
    if (known && subjectOf(account) === this.subject && known.keyId === account.user.keyId) {
      const { keyId, key, lacking } = known;
      this.known = { keyId, key, lacking };
      this.changed.fire(undefined);
    }
  }

  private enqueue(action: () => Promise<void>): void {
    this.work = this.work.then(action).catch((error: unknown) => {
      this.deps.log.info(`What the key may do could not be read: ${String(error)}`);
    });
  }

  private file(accountKey: string): JsonFile<z.infer<typeof accessFile>> {
    return new JsonFile(
      accountPath(this.deps.storageDir, accountKey, 'keyAccess.json'),
      accessFile,
      this.deps.log,
    );
  }
}

function subjectOf({ key, user }: Pick<Account, 'key' | 'user'>): string {
  return `${key} ${String(user.keyId)}`;
}
