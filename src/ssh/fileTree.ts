import type { Stats } from 'node:fs';
import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, posix, sep } from 'node:path';
import { errorCode } from '../util/errorCode';
import { isNameOnWindows } from '../util/fileName';
import { inParallel } from '../util/inParallel';
import { isMissing } from '../util/missing';
import { LeadsOutError, realPlace, type Place, type Root } from '../util/realPlace';
import type { Text } from '../util/text';
import { reasons, type LeftOut, type Version } from './transfer';

/** A local file to send. */
export interface LocalFile extends Version, Place {
  readonly name: string;
  readonly mode: number;
  /** Another one after each change, as far as the disk notes it. */
  readonly stamp: string;
}

/** Everything below the chosen files and folders; names have forward slashes, parents come first. */
export interface LocalTree {
  readonly folders: readonly string[];
  readonly files: readonly LocalFile[];
  /** The targets of links, by name. */
  readonly links: ReadonlyMap<string, string>;
  readonly leftOut: readonly LeftOut[];
}

/** Returns true if a name of the machine denotes the same file on this computer. */
export function canBeNamed(name: string, platform: NodeJS.Platform): boolean {
  return platform !== 'win32' || name.split('/').every(isNameOnWindows);
}

/**
 * Returns the mode that a file gets on the machine. Windows does not know which files are programs, so each can be
 * executed, like the files that Docker sends from there.
 */
export function sentMode(mode: number, platform: NodeJS.Platform): number {
  return platform === 'win32' ? 0o755 : mode & 0o755;
}

/** Returns a key that is the same for names that this computer does not distinguish. */
export function sameNameKey(name: string, platform: NodeJS.Platform): string {
  return platform === 'win32' || platform === 'darwin' ? name.normalize('NFC').toLowerCase() : name;
}

/**
 * Returns true for a link that has the same meaning wherever the tree is: relative, through folders that are no
 * links, to something that is transferred as well. No other link from an untrusted machine is created.
 */
export function isInnerLink(
  name: string,
  target: string,
  tree: { has(name: string): boolean; isFolder(name: string): boolean },
): boolean {
  if (target.startsWith('/') || target.includes('\0')) {
    return false;
  }
  const way = name.split('/').slice(0, -1);
  const steps = target.split('/').filter((step) => step !== '' && step !== '.');
  for (const [index, step] of steps.entries()) {
    if (step !== '..') {
      way.push(step);
    } else if (way.pop() === undefined) {
      return false;
    }
    if (index < steps.length - 1 && way.length > 0 && !tree.isFolder(way.join('/'))) {
      return false;
    }
  }
  return way.length > 0 && tree.has(way.join('/'));
}

/** A file or folder of this computer that the user chose. */
export interface ChosenFile {
  /** The chosen name, which may be that of a link. */
  readonly name: string;
  /** Where it was when it was chosen, without links. */
  readonly path: string;
}

/** Resolves what the user has just chosen: a chosen path may be a link. */
export function chosenFiles(paths: readonly string[]): Promise<readonly ChosenFile[]> {
  return Promise.all(paths.map(async (path) => ({ name: basename(path), path: await realpath(path) })));
}

/**
 * Returns everything that was chosen; links below a folder are sent as links. Throws `LeadsOutError` if a link leads
 * from a chosen place to another one by now.
 */
export async function localTree(locals: readonly ChosenFile[]): Promise<LocalTree> {
  const walk = new Walk();
  for (const { name, path } of locals) {
    const isFolder = (await stat(path)).isDirectory();
    const root: Root = { chosen: isFolder ? path : dirname(path) };
    await realPlace({ path, root });
    await walk.visit({ path, root }, name, true);
  }
  return walk.tree();
}

/**
 * Returns the files of a list, by their names below `root`, including their parent folders. Missing files and other
 * kinds are left out, with the reason.
 */
export async function listedTree(folder: string, names: readonly string[]): Promise<LocalTree> {
  const walk = new Walk();
  const root = { chosen: names.length === 0 ? folder : await realpath(folder) };
  await inParallel([...new Set(names)], width, (name) =>
    walk.visitListed({ path: join(root.chosen, ...name.split('/')), root }, name),
  );
  return walk.tree();
}

/** Reads the same files again. Newer files are not included; missing ones are left out. */
export async function relisted(tree: LocalTree): Promise<LocalTree> {
  const walk = new Walk();
  await inParallel(tree.files, width, (file) => walk.visitListed(file, file.name));
  const { files, leftOut } = walk.tree();
  return { ...tree, files, leftOut: [...tree.leftOut, ...leftOut] };
}

/** The number of files that are read at a time. */
const width = 16;

class Walk {
  private readonly folders = new Set<string>();
  private readonly files = new Map<string, LocalFile>();
  private readonly links = new Map<string, string>();
  private readonly leftOut: LeftOut[] = [];
  private readonly realFolders = new Map<string, Promise<string>>();

  async visit(place: Place, name: string, isChosen: boolean): Promise<void> {
    if (this.has(name)) {
      this.leftOut.push({ name, why: reasons.sameName(name) });
      return;
    }
    try {
      const facts = await this.stat(place, name);
      if (facts.isDirectory()) {
        for (const entry of await readdir(await realPlace(place))) {
          await this.visit({ ...place, path: join(place.path, entry) }, `${name}/${entry}`, false);
        }
      }
    } catch (error) {
      if (isChosen && isMissing(error)) {
        throw error;
      }
      this.leftOut.push({ name, why: whyNotRead(name, error) });
    }
  }

  /** Visits a name of a list without descending into a folder. */
  async visitListed(place: Place, name: string): Promise<void> {
    if (name.split('/').some((part) => ['', '.', '..'].includes(part))) {
      this.leftOut.push({ name, why: reasons.hostileName });
      return;
    }
    try {
      await this.stat(place, name);
    } catch (error) {
      this.leftOut.push({ name, why: whyNotRead(name, error) });
    }
    for (let folder = posix.dirname(name); folder !== '.'; folder = posix.dirname(folder)) {
      this.folders.add(folder);
    }
  }

  tree(): LocalTree {
    const isFolder = (name: string) => this.folders.has(name);
    const known = { has: (name: string) => this.has(name), isFolder };
    const inner = new Map([...this.links].filter(([name, target]) => isInnerLink(name, target, known)));
    const outer = [...this.links.keys()].filter((name) => !inner.has(name));
    return {
      // A folder sorts before its content.
      folders: [...this.folders].sort(),
      files: [...this.files.values()],
      links: inner,
      leftOut: [...this.leftOut, ...outer.map((name) => ({ name, why: reasons.outsideLink }))],
    };
  }

  private async stat(place: Place, name: string): Promise<Stats> {
    const isRoot = 'chosen' in place.root && place.root.chosen === place.path;
    const path = isRoot ? await realPlace(place) : join(await this.realFolderOf(place), basename(place.path));
    const facts = await lstat(path);
    if (facts.isFile()) {
      const modified = Math.floor(facts.mtimeMs / 1000);
      this.files.set(name, {
        ...place,
        name,
        size: facts.size,
        modified,
        mode: sentMode(facts.mode, process.platform),
        stamp: stampOf(facts),
      });
    } else if (facts.isDirectory()) {
      this.folders.add(name);
    } else if (facts.isSymbolicLink()) {
      const target = await readlink(path);
      this.links.set(name, sep === '\\' ? target.replaceAll('\\', '/') : target);
    } else {
      this.leftOut.push({ name, why: reasons.noFile });
    }
    return facts;
  }

  /** Resolves each folder once for the files in it; whoever reads one of them resolves its place again. */
  private realFolderOf({ path, root }: Place): Promise<string> {
    const folder = dirname(path);
    const real = this.realFolders.get(folder) ?? realPlace({ path: folder, root });
    this.realFolders.set(folder, real);
    return real;
  }

  private has(name: string): boolean {
    return this.folders.has(name) || this.files.has(name) || this.links.has(name);
  }
}

/** Returns what changes with each change of a file: its change time can't be set by programs. */
export function stampOf({ size, mtimeMs, ctimeMs, ino }: Stats): string {
  return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
}

/**
 * Returns why a name can't be read. Bytes that are not UTF-8 reach us as another character, under which the disk has
 * no file.
 */
export function whyNotRead(name: string, error: unknown): Text {
  if (error instanceof LeadsOutError) {
    return reasons.leadsOut;
  }
  if (isMissing(error)) {
    return name.includes('\ufffd') ? reasons.notUtf8 : reasons.gone;
  }
  return reasons.said(errorCode(error) || String(error));
}
