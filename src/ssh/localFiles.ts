import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import {
  copyFile,
  lstat,
  lutimes,
  mkdir,
  open,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { join, posix, sep } from 'node:path';
import { inParallel } from '../util/inParallel';
import { localProblem } from '../util/localProblem';
import { errorCode } from '../util/errorCode';
import { ifPresent } from '../util/missing';
import { partName, reasons, TransferError, versionKey, type LeftOut, type Version } from './transfer';

const largeBytes = 1_000_000;
/** The number of files that are looked at at a time. */
const width = 8;

/**
 * Joins pieces of a stream: each write waits for another thread, which costs more than the bytes of a small piece.
 */
async function* large(content: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const piece of content) {
    held.push(piece);
    size += piece.length;
    if (size >= largeBytes) {
      yield Buffer.concat(held);
      held = [];
      size = 0;
    }
  }
  if (size > 0) {
    yield Buffer.concat(held);
  }
}

/** Makes a file in the place of what is there: a link would be followed. */
async function insteadOf<T>(path: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') {
      throw error;
    }
    await rm(path, { force: true });
    return make();
  }
}

/** A file by its name below the target folder. */
export interface NamedVersion extends Version {
  readonly name: string;
  /** Whether only its owner can read it on the machine, and so here. */
  readonly isPrivate?: boolean;
}

/** Errors that concern one file; all others end the transfer. */
const ofOneFile = /^(?:EACCES|EBUSY|EEXIST|EINVAL|EISDIR|ELOOP|ENAMETOOLONG|ENOENT|ENOTDIR|ENOTEMPTY|EPERM)$/;

/** The received bytes differ from the list. */
class WrongHashError extends Error {}

/** A link that was here before leads out of the folder. */
class LeadsOutError extends Error {}

/** Returns the SHA-256 in hexadecimal digits. */
export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  const pieces: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 1_000_000 });
  for await (const piece of pieces) {
    hash.update(piece);
  }
  return hash.digest('hex');
}

/**
 * Writes a download into a local folder. A file gets its name once it is complete, and is never executable, so that a
 * program from a rented machine does not run here merely by its name. What only its owner can read there stays so here.
 */
export class LocalFiles {
  /** Versions that were written completely. */
  private readonly arrived = new Map<string, string>();
  /** Folders that are known to be in the target folder; links of the machine come last. */
  private readonly inside = new Set<string>();
  /** The reasons why other files were not written. */
  readonly refused = new Map<string, LeftOut['why']>();
  /** Why this disk kept no time of a file, which is there all the same. */
  notKept: LeftOut['why'] | undefined;

  constructor(
    private readonly folder: string,
    /** SHA-256 by name; these files get their name only if the hash matches. */
    private readonly hashes: ReadonlyMap<string, string> = new Map(),
    private readonly setTimes: typeof lutimes = lutimes,
  ) {}

  hasArrived(name: string): boolean {
    return this.arrived.has(name);
  }

  async makeFolder(name: string, isPrivate = false): Promise<void> {
    await this.attempt(name, async () => {
      await this.checkInside(name);
      await mkdir(this.path(name), { recursive: true, mode: isPrivate ? 0o700 : 0o777 });
    });
  }

  async isHere(file: NamedVersion): Promise<boolean> {
    const facts = await stat(this.path(file.name)).catch(() => undefined);
    if (facts?.isFile() !== true || facts.size !== file.size) {
      return false;
    }
    const arrived = this.arrived.get(file.name);
    const hash = this.hashes.get(file.name);
    if (hash !== undefined && arrived === undefined) {
      return (await hashOfFile(this.path(file.name))) === hash;
    }
    const isSame = Math.floor(facts.mtimeMs / 1000) === file.modified;
    // Some disks store file times with less precision than given.
    return arrived === undefined ? isSame : arrived === versionKey(file);
  }

  /** Returns the names that a file or a link already has. */
  async taken(files: readonly NamedVersion[]): Promise<readonly string[]> {
    const taken: string[] = [];
    await inParallel(files, width, async ({ name }) => {
      const facts = await lstat(this.path(name)).catch(() => undefined);
      if (facts?.isDirectory() === false) {
        taken.push(name);
      }
    });
    return taken.sort();
  }

  /** Returns the bytes of the file from an earlier transfer; 0 if there is nothing to continue. */
  async begun(file: NamedVersion): Promise<number> {
    await this.checkInside(posix.dirname(file.name));
    const facts = await lstat(this.path(partName(file.name, file))).catch(() => undefined);
    return facts?.isFile() === true && facts.size <= file.size ? facts.size : 0;
  }

  /** Writes the bytes from `start` on, and gives the file its name once complete. */
  async write(
    file: NamedVersion,
    start: number,
    content: Iterable<Buffer> | AsyncIterable<Buffer>,
    onBytes: (count: number) => void,
  ): Promise<void> {
    await this.checkInside(posix.dirname(file.name));
    const part = this.path(partName(file.name, file));
    const mode = file.isPrivate === true ? 0o600 : 0o666;
    const target = start === 0 ? await insteadOf(part, () => open(part, 'wx', mode)) : await open(part, 'a');
    // A continued file is read again for its hash.
    const hash = start === 0 && this.hashes.has(file.name) ? createHash('sha256') : undefined;
    let size = start;
    let written = Promise.resolve();
    try {
      for await (const piece of large(content)) {
        await written;
        // The piece is hashed, and the next one awaited, during the write.
        written = target.writeFile(piece);
        written.catch(() => undefined);
        hash?.update(piece);
        size += piece.length;
        onBytes(piece.length);
      }
      await written;
    } finally {
      await written.catch(() => undefined);
      await target.close();
    }
    await this.keepTime(part, file.modified);
    if (size === file.size) {
      await this.name(part, file, hash?.digest('hex'));
    }
  }

  /** Removes an unfinished file that is not worth continuing. */
  async forget(file: NamedVersion): Promise<void> {
    if (this.arrived.get(file.name) === versionKey(file)) {
      return;
    }
    await rm(this.path(partName(file.name, file)), { force: true });
  }

  async copy(name: string, from: string, modified: number): Promise<void> {
    await this.checkInside(posix.dirname(name));
    const { size } = await stat(this.path(from));
    const part = this.path(partName(name, { size, modified }));
    await insteadOf(part, () => copyFile(this.path(from), part, constants.COPYFILE_EXCL));
    await this.keepTime(part, modified);
    await this.name(part, { name, size, modified });
  }

  /** Creates a link where there is nothing or another link. */
  async makeLink(name: string, target: string): Promise<void> {
    const path = this.path(name);
    const facts = await ifPresent(lstat(path));
    if (facts?.isSymbolicLink() === true) {
      if ((await readlink(path)) === target) {
        return;
      }
      await rm(path);
    }
    await symlink(target, path);
  }

  /** Returns false if a local link is on the path, from which `..` would lead elsewhere. */
  async isPlainFolder(name: string): Promise<boolean> {
    const base = await realpath(this.folder);
    return (await realpath(this.path(name)).catch(() => '')) === join(base, ...name.split('/'));
  }

  /** Separates the error of one file from errors that end the transfer, such as a full disk. */
  async attempt(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.refused.delete(name);
    } catch (error) {
      const code = errorCode(error);
      if (error instanceof WrongHashError || error instanceof LeadsOutError) {
        this.refused.set(name, error instanceof WrongHashError ? reasons.otherHash : reasons.leadsOut);
        return;
      }
      if (code === '') {
        throw error;
      }
      if (!ofOneFile.test(code)) {
        throw new TransferError(localProblem(error) ?? (error instanceof Error ? error.message : code));
      }
      this.refused.set(name, localProblem(error) ?? reasons.said(code));
    }
  }

  /**
   * Throws `LeadsOutError` if a folder, or what is there of its path, is reached by a link that leads out of the target
   * folder: the names come from a machine, and the links perhaps from a repository.
   */
  private async checkInside(folder: string): Promise<void> {
    if (folder === '.' || this.inside.has(folder)) {
      return;
    }
    const base = await realpath(this.folder);
    const inside = base.endsWith(sep) ? base : `${base}${sep}`;
    for (let name = folder; name !== '.'; name = posix.dirname(name)) {
      const real = await ifPresent(realpath(this.path(name)));
      if (real !== undefined) {
        if (real !== base && !real.startsWith(inside)) {
          throw new LeadsOutError();
        }
        if (name === folder) {
          this.inside.add(folder);
        }
        return;
      }
    }
  }

  /** Network drives and mounted buckets refuse times. */
  private async keepTime(part: string, modified: number): Promise<void> {
    try {
      await this.setTimes(part, modified, modified);
    } catch (error) {
      this.notKept ??= reasons.notKept(errorCode(error) || String(error));
    }
  }

  private async name(part: string, file: NamedVersion, found?: string): Promise<void> {
    const hash = this.hashes.get(file.name);
    if (hash !== undefined && (found ?? (await hashOfFile(part))) !== hash) {
      await rm(part, { force: true });
      throw new WrongHashError();
    }
    await rename(part, this.path(file.name));
    this.arrived.set(file.name, versionKey(file));
  }

  private path(name: string): string {
    return join(this.folder, ...name.split('/'));
  }
}
