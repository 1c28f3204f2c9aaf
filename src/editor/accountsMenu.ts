import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { parseJson } from '../util/json';
import { t } from './localize';

/** The active account without its key. */
export interface ShownAccount {
  readonly key: string;
  readonly name: string;
  readonly isDemo: boolean;
}

/** Nothing accepts it: the editor gives the token of a session to extensions, and the API key goes to the service alone. */
const noToken = 'gpu-rental-has-no-token';

/** Shows in the accounts menu of the editor who is signed in. Reads two small files until the product is loaded. */
export class AccountsMenu implements vscode.AuthenticationProvider, vscode.Disposable {
  private readonly sessions =
    new vscode.EventEmitter<vscode.AuthenticationProviderAuthenticationSessionsChangeEvent>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly registered: vscode.Disposable;
  /** What the product showed last. */
  private shown: { readonly account: ShownAccount | undefined } | undefined;
  /** What the editor was given. */
  private given: ShownAccount | undefined;
  readonly onDidChangeSessions = this.sessions.event;
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly storageDir: string,
    private readonly run: (command: 'gpuRental.signIn' | 'gpuRental.signOut') => Promise<unknown>,
  ) {
    this.registered = vscode.authentication.registerAuthenticationProvider('gpuRental', 'GPU Rental', this, {
      supportsMultipleAccounts: false,
    });
  }

  async current(): Promise<ShownAccount | undefined> {
    const onDisk = this.shown === undefined ? await accountOnDisk(this.storageDir) : undefined;
    return this.shown === undefined ? onDisk : this.shown.account;
  }

  /** For the product, which knows the account from now on. */
  show(account: ShownAccount | undefined): void {
    const before = this.shown ? this.shown.account : this.given;
    const isSame = before?.key === account?.key && before?.name === account?.name;
    this.shown = { account };
    if (isSame) {
      return;
    }
    const isChanged = before && account && before.key === account.key;
    this.given = account;
    this.sessions.fire({
      added: account && !isChanged ? [sessionOf(account)] : [],
      removed: before && !isChanged ? [sessionOf(before)] : [],
      changed: isChanged ? [sessionOf(account)] : [],
    });
    this.changed.fire();
  }

  async getSessions(scopes: readonly string[] = []): Promise<vscode.AuthenticationSession[]> {
    const account = await this.current();
    this.given = account;
    return account ? [sessionOf(account, scopes)] : [];
  }

  async createSession(scopes: readonly string[]): Promise<vscode.AuthenticationSession> {
    await this.run('gpuRental.signIn');
    const account = await this.current();
    if (!account) {
      throw new Error(t('You are not signed in.'));
    }
    return sessionOf(account, scopes);
  }

  /** The command asks, and says what is removed. */
  async removeSession(id: string): Promise<void> {
    if ((await this.current())?.key === id) {
      await this.run('gpuRental.signOut');
    }
  }

  dispose(): void {
    this.registered.dispose();
    this.sessions.dispose();
    this.changed.dispose();
  }
}

function sessionOf(
  { key, name }: ShownAccount,
  scopes: readonly string[] = [],
): vscode.AuthenticationSession {
  return { id: key, accessToken: noToken, account: { id: key, label: name }, scopes: [...scopes] };
}

/** Reads what `AccountFiles` writes; anything else counts as signed out until the product has looked. */
async function accountOnDisk(storageDir: string): Promise<ShownAccount | undefined> {
  const { key } = await fieldsOf(join(storageDir, 'activeAccount.json'));
  if (typeof key !== 'string' || !/^[0-9a-f]{16}$/.test(key)) {
    return undefined;
  }
  const { name, isDemo } = await fieldsOf(join(storageDir, 'accounts', `${key}.json`));
  return typeof name === 'string' ? { key, name, isDemo: isDemo === true } : undefined;
}

async function fieldsOf(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const value: unknown = parseJson(await readFile(file, 'utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
