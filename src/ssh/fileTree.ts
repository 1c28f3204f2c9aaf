import { lstat, readdir, readlink, stat } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { isNameOnWindows } from '../util/fileName';
import { errorCode } from '../util/errorCode';
import { isMissing } from './fileSystem';
import { reasons, type LeftOut, type Version } from './transfer';

/** A file of this computer that is to be sent. */
export interface LocalFile extends Version {
  readonly name: string;
  readonly path: string;
  readonly mode: number;
}

/** What lies below the files and folders that were chosen; names have forward slashes, parents come first. */
export interface LocalTree {
  readonly folders: readonly string[];
  readonly files: readonly LocalFile[];
  /** Where they lead, by their names. */
  readonly links: ReadonlyMap<string, string>;
  readonly leftOut: readonly LeftOut[];
}

/** True for a name of the machine that stands for the same file here. */
export function canBeNamed(name: string, platform: NodeJS.Platform): boolean {
  return platform !== 'win32' || name.split('/').every(isNameOnWindows);
}

/** A key that is the same for names which are one on this computer. */
export function sameNameKey(name: string, platform: NodeJS.Platform): string {
  return platform === 'win32' || platform === 'darwin' ? name.normalize('NFC').toLowerCase() : name;
}

/**
 * True for a link that means the same wherever the tree stands: relative, through folders that are no links, to
 * something that is transferred as well. Nothing else is made from a stranger's word.
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

/** All that was chosen. What was chosen itself may be a link; links below it are sent as such. */
export async function localTree(locals: readonly string[]): Promise<LocalTree> {
  const walk = new Walk();
  for (const local of locals) {
    await walk.visit(local, basename(local), true);
  }
  return walk.tree();
}

class Walk {
  private readonly folders = new Set<string>();
  private readonly files = new Map<string, LocalFile>();
  private readonly links = new Map<string, string>();
  private readonly leftOut: LeftOut[] = [];

  async visit(path: string, name: string, isChosen: boolean): Promise<void> {
    if (this.has(name)) {
      this.leftOut.push({ name, why: reasons.sameName(name) });
      return;
    }
    try {
      const facts = await (isChosen ? stat(path) : lstat(path));
      if (facts.isFile()) {
        const modified = Math.floor(facts.mtimeMs / 1000);
        this.files.set(name, { path, name, size: facts.size, modified, mode: facts.mode & 0o755 });
      } else if (facts.isDirectory()) {
        this.folders.add(name);
        for (const entry of await readdir(path)) {
          await this.visit(join(path, entry), `${name}/${entry}`, false);
        }
      } else if (facts.isSymbolicLink()) {
        const target = await readlink(path);
        this.links.set(name, sep === '\\' ? target.replaceAll('\\', '/') : target);
      } else {
        this.leftOut.push({ name, why: reasons.noFile });
      }
    } catch (error) {
      if (isChosen && isMissing(error)) {
        throw error;
      }
      this.leftOut.push({ name, why: reasons.said(errorCode(error) || String(error)) });
    }
  }

  tree(): LocalTree {
    const isFolder = (name: string) => this.folders.has(name);
    const known = { has: (name: string) => this.has(name), isFolder };
    const inner = [...this.links].filter(([name, target]) => isInnerLink(name, target, known));
    const outer = [...this.links.keys()].filter((name) => !inner.some(([other]) => other === name));
    return {
      folders: [...this.folders],
      files: [...this.files.values()],
      links: new Map(inner),
      leftOut: [...this.leftOut, ...outer.map((name) => ({ name, why: reasons.outsideLink }))],
    };
  }

  private has(name: string): boolean {
    return this.folders.has(name) || this.files.has(name) || this.links.has(name);
  }
}
