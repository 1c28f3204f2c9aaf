import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { pickFromList, type Row } from '../../editor/quickPick';
import type { Instance } from '../../model/instances/instance';
import { matchesRecipe } from '../../model/workspace/recipeMatch';
import {
  machineNames,
  parseWorkspaceFile,
  workspaceFilePath,
  type Recipe,
} from '../../model/workspace/workspaceFile';
import { isRemotePath, type RemoteFolders } from '../../ssh/remoteFolders';
import { isAlias } from '../../ssh/validate';
import { plainLabel } from '../../util/plainLabel';

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

/** Asks for the folder; a typed path is accepted too. Returns `clone` if the user chose that offer. */
export async function pickFolder(
  { home, folders }: RemoteFolders,
  recent: readonly string[],
  title: string,
  repository?: string,
): Promise<string | undefined> {
  const row = (path: string, description: string): Row<string> => ({
    id: path,
    label: plainLabel(path),
    description,
    value: path,
  });
  const others = folders.filter((path) => !recent.includes(path));
  const clone: Row<string> = {
    id: 'clone',
    icon: 'repo-clone',
    label: t('Clone {0}', plainLabel(repository ?? '')),
    description: t('the repository of this window'),
    value: 'clone',
  };
  const fixed = [
    ...recent.map((path) => row(path, t('opened before'))),
    ...(recent.includes(home) ? [] : [row(home, t('home folder'))]),
    ...others.map((path) => row(path, '')),
    ...(recent.includes('/') ? [] : [row('/', t('the whole machine'))]),
    ...(repository === undefined ? [] : [clone]),
  ];
  const answer = await pickFromList<string>({
    title,
    placeholder: t('Folder on the instance: pick one or type a path'),
    rows: (typed) => {
      const path = typed.trim();
      const known = fixed.some(({ value }) => value === path);
      return !known && isRemotePath(path) ? [row(path, t('as typed')), ...fixed] : fixed;
    },
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

/** Returns the folder that the workspace names for similar machines; none in an untrusted workspace. */
export async function recipeFolder(instance: Instance | undefined): Promise<string | undefined> {
  const folders = instance && vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  for (const { uri } of folders) {
    try {
      const file = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(uri, workspaceFilePath));
      const source = new TextDecoder().decode(file);
      for (const name of machineNames(source)) {
        const recipe = machineIn(source, name);
        if (recipe && instance && matchesRecipe(instance, recipe) && isRemotePath(recipe.folder)) {
          return recipe.folder;
        }
      }
    } catch {
      // Without a readable file, the user is asked.
    }
  }
  return undefined;
}

/** One that can't be rented hides no other. */
function machineIn(source: string, name: string | undefined): Recipe | undefined {
  try {
    return parseWorkspaceFile(source, name);
  } catch {
    return undefined;
  }
}
