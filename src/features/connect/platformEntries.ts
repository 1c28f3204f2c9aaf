import type * as vscode from 'vscode';
import { remotePlatformHosts, setRemotePlatform } from '../../editor/remotePlatform';
import type { Resolver } from '../../ssh/resolvers';
import { isAlias, isWorkspaceHost } from '../../ssh/validate';

const key = 'gpuRental.connect.platforms';

/**
 * Our hosts in the Remote-SSH setting for each host's platform. Only our own entries are removed: a user may have a
 * host with such a name.
 */
export class PlatformEntries {
  /** One change at a time: each reads the setting and the memory, and writes both. */
  private changing: Promise<void> = Promise.resolve();

  constructor(private readonly state: Pick<vscode.Memento, 'get' | 'update'>) {}

  /** Adds the platform of a host, which avoids the question; the rest of the setting stays. */
  add({ section, hasRemotePlatform }: Resolver, alias: string): Promise<void> {
    return this.inTurn(async () => {
      if (!hasRemotePlatform || remotePlatformHosts(section).includes(alias)) {
        return;
      }
      // Remembered first: a remembered entry that does not exist is harmless, but an
      // unremembered one would stay forever.
      const before = this.read();
      await this.state.update(key, [...before, `${section} ${alias}`]);
      if (!(await setRemotePlatform(section, { [alias]: 'linux' }))) {
        await this.state.update(key, before);
      }
    });
  }

  /** Removes our entries that are not in `aliases`. Names of workspaces outlive their instances, until all are removed. */
  keepOnly(aliases: readonly string[]): Promise<void> {
    return this.inTurn(() => this.removeOthers(aliases));
  }

  private inTurn(change: () => Promise<void>): Promise<void> {
    const changed = this.changing.then(change);
    this.changing = changed.catch(() => undefined);
    return changed;
  }

  private async removeOthers(aliases: readonly string[]): Promise<void> {
    const written = this.read();
    const gone = written.filter((entry) => {
      const host = entry.split(' ')[1] ?? '';
      return !aliases.includes(host) && (aliases.length === 0 || !isWorkspaceHost(host));
    });
    if (gone.length === 0) {
      return;
    }
    const kept = new Set(written);
    for (const entry of gone) {
      const [section = '', alias = ''] = entry.split(' ');
      if (await setRemotePlatform(section, { [alias]: undefined })) {
        kept.delete(entry);
      }
    }
    await this.state.update(key, [...kept]);
  }

  private read(): readonly string[] {
    const stored: unknown = this.state.get(key);
    return Array.isArray(stored)
      ? stored.filter((entry): entry is string => typeof entry === 'string' && isOurs(entry.split(' ')[1]))
      : [];
  }
}

function isOurs(host: string | undefined): boolean {
  return isAlias(host) || isWorkspaceHost(host);
}
