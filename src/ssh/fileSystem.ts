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
import { nodeLockFiles } from '../util/fileLock';
import { linkNew } from '../util/linkNew';

/** The facts about a path that we need; links are not followed. */
export interface FileFacts {
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  /** Permission bits only, for example `0o600`. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** The number of names (hard links) of the file. */
  readonly links: number;
  readonly mtimeMs: number;
}

/** A file whose name now belongs to another one, and that a program may still have open. */
export interface OldFile {
  /** Returns what was appended so far; also empty if the whole content changed. */
  late(): Promise<Buffer>;
  close(): Promise<void>;
}

/**
 * All file operations of the SSH folder, one method each, so that a test can simulate a power failure at any of them.
 * Errors carry Node's `code`.
 */
export interface FileSystem {
  readonly facts: (path: string) => Promise<FileFacts>;
  readonly read: (path: string) => Promise<Buffer>;
  /** Returns the content of an ordinary file, also by a link; `undefined` for a longer one and for anything else. */
  readonly readUpTo: (path: string, mostBytes: number) => Promise<Buffer | undefined>;
  readonly readLink: (path: string) => Promise<string>;
  readonly list: (dir: string) => Promise<readonly string[]>;
  readonly makeDir: (path: string, mode: number) => Promise<void>;
  readonly setMode: (path: string, mode: number) => Promise<void>;
  readonly setOwner: (path: string, uid: number, gid: number) => Promise<void>;
  /** Creates a file that must not exist yet (`EEXIST`) and writes it. */
  readonly create: (path: string, bytes: Buffer, mode: number) => Promise<void>;
  /** Creates a file and returns once the disk has it. Copies the extended attributes of `like`. */
  readonly createSynced: (path: string, bytes: Buffer, mode: number, like?: string) => Promise<void>;
  /**
   * Renames `temp` to `target` if `target` still holds `expected`; otherwise returns `undefined`. It runs
   * synchronously, which leaves other programs only microseconds: no system offers a rename that compares, an
   * exchanging rename is not available to Node.js, and moving the old file away first would leave no file for a
   * moment, which a crash would make permanent.
   */
  readonly replaceIfSame: (temp: string, target: string, expected: Buffer) => Promise<OldFile | undefined>;
  /** Appends to an existing file. */
  readonly append: (path: string, bytes: Buffer) => Promise<void>;
  /** Links `temp` as `target` if that name is free; returns `false` otherwise. `temp` stays. */
  readonly linkNew: (temp: string, target: string) => Promise<boolean>;
  /** Removes `target` if it still holds `expected`, synchronously as above. */
  readonly removeIfSame: (target: string, expected: Buffer) => Promise<boolean>;
  readonly remove: (path: string) => Promise<void>;
  readonly removeDir: (path: string) => Promise<void>;
  readonly touch: (path: string) => Promise<void>;
  /** Flushes the names in a folder to disk; does nothing where the system can't. */
  readonly syncDir: (path: string) => Promise<void>;
}

export const nodeFileSystem: FileSystem = {
  ...nodeLockFiles,
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
  readUpTo: async (path, mostBytes) => {
    // Opening a pipe would otherwise wait until a program writes into it.
    const file = await fs.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const facts = await file.stat();
      return facts.isFile() && facts.size <= mostBytes ? await file.readFile() : undefined;
    } finally {
      await file.close();
    }
  },
  readLink: (path) => fs.readlink(path),
  list: (dir) => fs.readdir(dir),
  makeDir: (path, mode) => fs.mkdir(path, { mode }),
  setMode: (path, mode) => fs.chmod(path, mode),
  setOwner: (path, uid, gid) => fs.chown(path, uid, gid),
  createSynced: async (path, bytes, mode, like) => {
    if (like !== undefined) {
      await fs.writeFile(path, '', { flag: 'wx', mode });
      await copyAttributes(like, path);
    }
    const file = await fs.open(path, like === undefined ? 'wx' : 'r+', mode);
    try {
      // Copying the attributes may have copied the content as well.
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
      // Windows does not give the name to another file while the old one is open.
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
  linkNew,
  removeDir: (path) => fs.rmdir(path),
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
  // macOS copies them by default.
  darwin: [],
};

/** Leaves a file without attributes if the system's `cp` can't copy them (docs/decisions/0035). */
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
