import { execFile } from 'node:child_process';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  unlinkSync,
} from 'node:fs';
import * as fs from 'node:fs/promises';
import { promisify } from 'node:util';
import { errorCode } from '../util/errorCode';

/** What we need to know about a path; a link is not followed. */
export interface FileFacts {
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  /** Permission bits only, for example `0o600`. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** How many names the file has. */
  readonly links: number;
  readonly mtimeMs: number;
}

/** A file that lost its name to another one, and that a program may still have open. */
export interface OldFile {
  /** What was added to its end so far; empty as well where all of it was changed. */
  late(): Promise<Buffer>;
  close(): Promise<void>;
}

/**
 * Every operation on files that the SSH folder does, one method each, so that a test can let
 * the power fail at any of them. Errors carry Node's `code`.
 */
export interface FileSystem {
  readonly facts: (path: string) => Promise<FileFacts>;
  readonly read: (path: string) => Promise<Buffer>;
  readonly readLink: (path: string) => Promise<string>;
  readonly list: (dir: string) => Promise<readonly string[]>;
  readonly makeDir: (path: string, mode: number) => Promise<void>;
  readonly setMode: (path: string, mode: number) => Promise<void>;
  readonly setOwner: (path: string, uid: number, gid: number) => Promise<void>;
  /** Makes a file that must not exist yet (`EEXIST`) and writes it. */
  readonly create: (path: string, bytes: Buffer, mode: number) => Promise<void>;
  /** The same, and returns once the disk has it. It gets the extended attributes of `like`. */
  readonly createSynced: (path: string, bytes: Buffer, mode: number, like?: string) => Promise<void>;
  /**
   * Renames `temp` to `target` if `target` still holds `expected`; `undefined` where it holds something
   * else. All happens in one turn, which leaves other programs microseconds: a system offers no rename
   * that compares, one that swaps is out of reach from here, and moving the old file away first
   * would leave none for a moment, which a crash would make last.
   */
  readonly replaceIfSame: (temp: string, target: string, expected: Buffer) => Promise<OldFile | undefined>;
  /** Adds to the end of a file that exists. */
  readonly append: (path: string, bytes: Buffer) => Promise<void>;
  /** Gives `temp` the name `target` if nothing has it; `false` where something has. `temp` stays. */
  readonly linkNew: (temp: string, target: string) => Promise<boolean>;
  /** Removes `target` if it still holds `expected`, in one turn as above. */
  readonly removeIfSame: (target: string, expected: Buffer) => Promise<boolean>;
  readonly remove: (path: string) => Promise<void>;
  readonly removeDir: (path: string) => Promise<void>;
  readonly touch: (path: string) => Promise<void>;
  /** Asks the disk to keep the names in a folder; does nothing where the system cannot. */
  readonly syncDir: (path: string) => Promise<void>;
}

export const nodeFileSystem: FileSystem = {
  facts: async (path) => {
    const stat = await fs.lstat(path);
    return {
      kind: stat.isSymbolicLink()
        ? 'link'
        : stat.isFile()
          ? 'file'
          : stat.isDirectory()
            ? 'directory'
            : 'other',
      mode: stat.mode & 0o7777,
      uid: stat.uid,
      gid: stat.gid,
      links: stat.nlink,
      mtimeMs: stat.mtimeMs,
    };
  },
  read: (path) => fs.readFile(path),
  readLink: (path) => fs.readlink(path),
  list: (dir) => fs.readdir(dir),
  makeDir: (path, mode) => fs.mkdir(path, { mode }),
  setMode: (path, mode) => fs.chmod(path, mode),
  setOwner: (path, uid, gid) => fs.chown(path, uid, gid),
  create: (path, bytes, mode) => fs.writeFile(path, bytes, { flag: 'wx', mode }),
  createSynced: async (path, bytes, mode, like) => {
    if (like !== undefined) {
      await fs.writeFile(path, '', { flag: 'wx', mode });
      await copyAttributes(like, path);
    }
    const file = await fs.open(path, like === undefined ? 'wx' : 'r+', mode);
    try {
      // What copies the attributes may have copied the contents as well.
      await file.truncate();
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  // Synchronous on purpose, see the interface.
  replaceIfSame: (temp, target, expected) =>
    new Promise((resolve) => {
      const same = readFileSync(target).equals(expected);
      // Windows gives the name to no other file while the old one is open.
      const old = same && process.platform !== 'win32' ? openSync(target, 'r') : undefined;
      if (same) {
        try {
          renameSync(temp, target);
        } catch (error) {
          if (old !== undefined) {
            closeSync(old);
          }
          throw error;
        }
      }
      resolve(same ? oldFile(old, expected) : undefined);
    }),
  append: async (path, bytes) => {
    const file = await fs.open(path, constants.O_WRONLY | constants.O_APPEND);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  removeIfSame: (target, expected) =>
    new Promise((resolve) => {
      const same = readFileSync(target).equals(expected);
      if (same) {
        unlinkSync(target);
      }
      resolve(same);
    }),
  linkNew: async (temp, target) => {
    try {
      await fs.link(temp, target);
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') {
        return false;
      }
      throw error;
    }
  },
  remove: (path) => fs.unlink(path),
  removeDir: (path) => fs.rmdir(path),
  touch: async (path) => {
    const now = new Date();
    await fs.utimes(path, now, now);
  },
  syncDir: async (path) => {
    if (process.platform === 'win32') {
      return;
    }
    const dir = await fs.open(path, 'r');
    try {
      await dir.sync();
    } finally {
      await dir.close();
    }
  },
};

const copyTools: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['--attributes-only', '--preserve=mode,xattr'],
  // Copies them unless it is told not to.
  darwin: [],
};

/** Leaves a file without them where the system has no `cp` that knows them (docs/decisions/0035). */
async function copyAttributes(from: string, to: string): Promise<void> {
  const options = copyTools[process.platform];
  if (options) {
    await promisify(execFile)('cp', [...options, '--', from, to], { timeout: 5_000 }).catch(() => undefined);
  }
}

function readAll(file: number): Buffer {
  const bytes = Buffer.alloc(fstatSync(file).size);
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0));
}

function oldFile(file: number | undefined, expected: Buffer): OldFile {
  if (file === undefined) {
    return { late: () => Promise.resolve(Buffer.alloc(0)), close: () => Promise.resolve() };
  }
  return {
    late: () => {
      const now = readAll(file);
      const isLonger = now.subarray(0, expected.length).equals(expected);
      return Promise.resolve(isLonger ? now.subarray(expected.length) : Buffer.alloc(0));
    },
    close: () => {
      closeSync(file);
      return Promise.resolve();
    },
  };
}

export function isMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT';
}
