import type * as vscode from 'vscode';
import { isAlias } from '../../ssh/validate';

const key = 'gpuRental.connectedWindow.owners';
const entryLimit = 100;

/**
 * The account of each alias: two accounts of one service use the same aliases, and an instance that one of them does
 * not list is not destroyed. Outlives the SSH entry, which is removed with the instance.
 */
export class WindowOwners {
  constructor(private readonly state: Pick<vscode.Memento, 'get' | 'update'>) {}

  of(alias: string): string | undefined {
    return this.read().get(alias);
  }

  async remember(alias: string, accountKey: string): Promise<void> {
    const owners = this.read();
    if (owners.get(alias) !== accountKey) {
      owners.delete(alias);
      owners.set(alias, accountKey);
      await this.state.update(key, Object.fromEntries([...owners].slice(-entryLimit)));
    }
  }

  /** Drops what a signed-out account left. */
  async forget(accountKey: string): Promise<void> {
    const owners = this.read();
    const kept = [...owners].filter(([, owner]) => owner !== accountKey);
    if (kept.length < owners.size) {
      await this.state.update(key, Object.fromEntries(kept));
    }
  }

  private read(): Map<string, string> {
    const stored: unknown = this.state.get(key);
    const entries = typeof stored === 'object' && stored !== null ? Object.entries(stored) : [];
    return new Map(
      entries.filter((entry): entry is [string, string] => isAlias(entry[0]) && typeof entry[1] === 'string'),
    );
  }
}
