import type * as vscode from 'vscode';
import { remotePlatformHosts, setRemotePlatform } from '../../editor/remotePlatform';
import type { Resolver } from '../../ssh/resolvers';
import { isAlias } from '../../ssh/validate';

const key = 'gpuRental.connect.platforms';

/**
 * Our hosts in the Remote-SSH setting for each host's platform. Only our own entries are removed: a user may have a
 * host with such a name.
 */
export class PlatformEntries {
  constructor(private readonly state: Pick<vscode.Memento, 'get' | 'update'>) {}

  /** Adds the platform of a host, which avoids the question; the rest of the setting stays. */
  async add({ section, hasRemotePlatform }: Resolver, alias: string): Promise<void> {
    if (!hasRemotePlatform || remotePlatformHosts(section).includes(alias)) {
      return;
    }
    if (await setRemotePlatform(section, { [alias]: 'linux' })) {
      await this.state.update(key, [...this.read(), `${section} ${alias}`]);
    }
  }

  /** Removes our entries that are not in `aliases`. */
  async keepOnly(aliases: readonly string[]): Promise<void> {
    const written = this.read();
    const gone = written.filter((entry) => !aliases.includes(entry.split(' ')[1] ?? ''));
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
      ? stored.filter((entry): entry is string => typeof entry === 'string' && isAlias(entry.split(' ')[1]))
      : [];
  }
}
