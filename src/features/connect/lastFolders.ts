import type * as vscode from 'vscode';
import type { Instance } from '../../model/instances/instance';
import { isRemotePath } from '../../ssh/remoteFolders';
import { isAlias } from '../../ssh/validate';

const key = 'gpuRental.connect.folders';
const recentLimit = 5;
const entryLimit = 100;

type Memory = Readonly<Record<string, readonly string[]>>;

/** Recently opened folders: by instance, and by template or image, so that the next similar instance offers them. */
export class LastFolders {
  constructor(private readonly state: Pick<vscode.Memento, 'get' | 'update'>) {}

  /** Returns the last folder of this instance. */
  last(alias: string): string | undefined {
    return this.read()[alias]?.[0];
  }

  /** Returns folders, latest first: those of the instance, then those of others with the same template or image. */
  recent(alias: string, instance: Instance | undefined): readonly string[] {
    const memory = this.read();
    const own = memory[alias] ?? [];
    const similar = memory[kindOf(instance)] ?? [];
    return [...new Set([...own, ...similar])].slice(0, recentLimit);
  }

  async remember(alias: string, instance: Instance | undefined, folder: string): Promise<void> {
    const memory = this.read();
    const front = (name: string) => [folder, ...(memory[name] ?? []).filter((one) => one !== folder)];
    const names = [kindOf(instance), alias].filter((name) => name !== '');
    // The latest entry is last, and so is kept longest.
    const others = Object.entries(memory).filter(([name]) => !names.includes(name));
    const entries = [...others, ...names.map((name) => [name, front(name).slice(0, recentLimit)] as const)];
    await this.state.update(key, Object.fromEntries(entries.slice(-entryLimit)));
  }

  async forget(aliases: readonly string[]): Promise<void> {
    const memory = this.read();
    const kept = Object.entries(memory).filter(([name]) => !aliases.includes(name));
    if (kept.length !== Object.keys(memory).length) {
      await this.state.update(key, Object.fromEntries(kept));
    }
  }

  /** Drops instances that have no SSH entry any more, as after a sign-out. */
  async keepOnly(aliases: readonly string[]): Promise<void> {
    await this.forget(Object.keys(this.read()).filter((name) => isAlias(name) && !aliases.includes(name)));
  }

  private read(): Memory {
    const stored: unknown = this.state.get(key);
    if (typeof stored !== 'object' || stored === null) {
      return {};
    }
    return Object.fromEntries(
      Object.entries(stored).map(([name, paths]) => [
        name,
        Array.isArray(paths) ? paths.filter(isRemotePath) : [],
      ]),
    );
  }
}

function kindOf(instance: Instance | undefined): string {
  const kind = instance?.templateName ?? instance?.image;
  return kind === undefined ? '' : `kind ${kind}`;
}
