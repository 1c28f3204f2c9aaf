import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { MirrorScene } from '../../support/mirrorScene';
import type { Dice } from '../dice';

export type Side = 'local' | 'remote';

export const names = [
  'a',
  'b',
  'A',
  'd/x',
  'd/y',
  'd/e/z',
  'x',
  'x/y',
  'ü',
  "it's",
  'sp ace',
  '-n',
  '$(x)',
  'constructor',
];

/** Edits on both sides, and what each side wrote and did not replace itself. Each version is unique. */
export class Edits {
  readonly written: Readonly<Record<Side, Set<string>>> = { local: new Set(), remote: new Set() };
  isTouchedThere = false;
  private count = 0;

  constructor(
    private readonly dice: Dice,
    private readonly scene: MirrorScene,
    private readonly trace: (line: string) => void,
  ) {}

  /** One edit by the user of a side. */
  edit(side: Side): void {
    const root = this.scene[side];
    const name = this.dice.pick(names) ?? 'a';
    const path = join(root, ...name.split('/'));
    mkdirSync(root, { recursive: true });
    this.isTouchedThere ||= side === 'remote';
    const forget = (at: string) => {
      for (const content of contentsBelow(at).values()) {
        this.written[side].delete(content);
        // What was fetched and then replaced here was replaced by its reader.
        this.written.remote.delete(content);
      }
    };
    const makeRoom = () => {
      for (let folder = dirname(path); folder !== root; folder = dirname(folder)) {
        if (existsOrLink(folder) && !lstatSync(folder).isDirectory()) {
          forget(folder);
          rmSync(folder);
        }
      }
      if (existsOrLink(path) && lstatSync(path).isDirectory()) {
        forget(path);
        rmSync(path, { recursive: true });
      }
      mkdirSync(dirname(path), { recursive: true });
    };
    const what = this.dice.weighted([
      [6, 'write'],
      [2, 'delete'],
      [1.5, 'rename'],
      [0.5, 'folder'],
      [0.5, 'link'],
      [0.5, 'time'],
      [0.5, 'mode'],
    ]);
    this.trace(`${side} ${what} ${name}`);
    switch (what) {
      case 'write': {
        makeRoom();
        forget(path);
        // Some have the same length, so that only their content differs.
        const content = this.next();
        if (existsOrLink(path) && (lstatSync(path).isSymbolicLink() || this.dice.chance(0.3))) {
          rmSync(path);
        }
        writeFileSync(path, content);
        this.written[side].add(content);
        break;
      }
      case 'delete':
        forget(path);
        if (existsOrLink(path)) {
          rmSync(path, { recursive: true });
        }
        break;
      case 'rename': {
        const other = join(root, ...(this.dice.pick(names) ?? 'b').split('/'));
        if (existsOrLink(path) && lstatSync(path).isFile() && !existsOrLink(other) && canHold(other, root)) {
          mkdirSync(dirname(other), { recursive: true });
          renameSync(path, other);
        }
        break;
      }
      case 'folder':
        forget(join(root, 'd'));
        rmSync(join(root, 'd'), { recursive: true, force: true });
        break;
      case 'link':
        if (!existsOrLink(path) && canHold(path, root)) {
          mkdirSync(dirname(path), { recursive: true });
          symlinkSync(this.dice.pick(['a', 'b', '../a', '/etc/hostname', 'nothing']) ?? 'a', path);
        }
        break;
      case 'time':
        if (existsSync(path)) {
          utimesSync(path, 1_000_000_000, this.dice.pick([1, 1_000_000_000, 4_000_000_000]) ?? 1);
        }
        break;
      case 'mode':
        if (existsSync(path) && lstatSync(path).isFile()) {
          chmodSync(path, this.dice.chance(0.5) ? 0o755 : 0o644);
        }
    }
  }

  private next(): string {
    this.count += 1;
    const filler = this.dice.chance(0.1) ? 'x'.repeat(this.dice.between(1, 4_000)) : '';
    return `version ${String(this.count).padStart(4, '0')}${filler}`;
  }
}

function existsOrLink(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether all that is above a path is a folder, or missing. */
function canHold(path: string, root: string): boolean {
  for (let folder = dirname(path); folder.length >= root.length; folder = dirname(folder)) {
    if (existsOrLink(folder) && !lstatSync(folder).isDirectory()) {
      return false;
    }
  }
  return true;
}

/** Returns the content of files by their names, without those of Git. */
export function contentsBelow(path: string, name = ''): Map<string, string> {
  const found = new Map<string, string>();
  if (!existsOrLink(path)) {
    return found;
  }
  const facts = lstatSync(path);
  if (facts.isFile()) {
    found.set(name, readFileSync(path, 'utf8'));
  } else if (facts.isDirectory()) {
    for (const entry of readdirSync(path)) {
      if (entry !== '.git') {
        for (const [below, content] of contentsBelow(
          join(path, entry),
          name === '' ? entry : `${name}/${entry}`,
        )) {
          found.set(below, content);
        }
      }
    }
  }
  return found;
}
