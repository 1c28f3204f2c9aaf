import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  lstat,
  lutimes,
  mkdir,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
  type FileHandle,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../util/errorCode';
import { inParallel } from '../util/inParallel';
import { localProblem } from '../util/localProblem';
import { ifPresent } from '../util/missing';
import { LeadsOutError, openPlace, realFile, realPlace, type Place } from '../util/realPlace';
import {
  isPrivateMode,
  partName,
  reasons,
  TransferError,
  versionKey,
  type LeftOut,
  type Version,
} from './transfer';

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
  /** The reasons why other files were not written. */
  readonly refused = new Map<string, LeftOut['why']>();
  /** Why this disk kept no time of a file, which is there all the same. */
  notKept: LeftOut['why'] | undefined;
  /** The real path of the target folder. */
  private real: string | undefined;

  constructor(
    private readonly folder: Place,
    /** SHA-256 by name; these files get their name only if the hash matches. */
    private readonly hashes: ReadonlyMap<string, string> = new Map(),
    private readonly setTimes: typeof lutimes = lutimes,
  ) {}

  hasArrived(name: string): boolean {
    return this.arrived.has(name);
  }

  async makeFolder(name: string, isPrivate = false): Promise<void> {
    await this.attempt(name, async () => {
      const path = await realPlace(await this.place(name));
      await mkdir(path, { recursive: true, mode: isPrivate ? 0o700 : 0o777 });
    });
  }

  async isHere(file: NamedVersion): Promise<boolean> {
    const path = await this.pathOf(file.name).catch(() => undefined);
    const facts = path === undefined ? undefined : await lstat(path).catch(() => undefined);
    if (path === undefined || facts?.isFile() !== true || facts.size !== file.size) {
      return false;
    }
    const arrived = this.arrived.get(file.name);
    const hash = this.hashes.get(file.name);
    if (hash !== undefined && arrived === undefined) {
      return (await hashOfFile(path)) === hash;
    }
    const isSame = Math.floor(facts.mtimeMs / 1000) === file.modified;
    // Some disks store file times with less precision than given.
    return arrived === undefined ? isSame : arrived === versionKey(file);
  }

  /** Returns the names that a file or a link already has. */
  async existing(files: readonly NamedVersion[]): Promise<readonly string[]> {
    const existing: string[] = [];
    await inParallel(files, width, async ({ name }) => {
      const facts = await this.pathOf(name)
        .then(lstat, () => undefined)
        .catch(() => undefined);
      if (facts?.isDirectory() === false) {
        existing.push(name);
      }
    });
    return existing.sort();
  }

  /** Returns the bytes of the file from an earlier transfer; 0 if there is nothing to continue. */
  async begun(file: NamedVersion): Promise<number> {
    const facts = await ifPresent(lstat(await this.pathOf(partName(file.name, file))));
    return facts?.isFile() === true && facts.size <= file.size ? facts.size : 0;
  }

  /** Writes the bytes from `start` on, and gives the file its name once complete. */
  async write(
    file: NamedVersion,
    start: number,
    content: Iterable<Buffer> | AsyncIterable<Buffer>,
    onBytes: (count: number) => void,
  ): Promise<void> {
    const target = await this.open(file, start);
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
    await this.settle(file, size === file.size, hash?.digest('hex'));
  }

  /** A new file replaces what is there: a link would be followed. */
  private async open(file: NamedVersion, start: number): Promise<FileHandle> {
    const name = partName(file.name, file);
    const place = await this.place(name);
    if (start > 0) {
      return openPlace(place, 'append');
    }
    const create = () => openPlace(place, 'create', file.isPrivate === true ? 0o600 : 0o666);
    try {
      return await create();
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') {
        throw error;
      }
      await rm(await this.pathOf(name), { force: true });
      return create();
    }
  }

  /** Removes an unfinished file that is not worth continuing. */
  async forget(file: NamedVersion): Promise<void> {
    if (this.arrived.get(file.name) === versionKey(file)) {
      return;
    }
    const part = await this.pathOf(partName(file.name, file)).catch(() => undefined);
    if (part !== undefined) {
      await rm(part, { force: true });
    }
  }

  async copy(name: string, from: string, modified: number): Promise<void> {
    const source = await openPlace(await this.place(from), 'read');
    try {
      const { size, mode } = await source.stat();
      const content: AsyncIterable<Buffer> = source.createReadStream({ autoClose: false });
      await this.write({ name, size, modified, isPrivate: isPrivateMode(mode) }, 0, content, () => undefined);
    } finally {
      await source.close();
    }
  }

  /** Creates a link where there is nothing or another link. */
  async makeLink(name: string, target: string): Promise<void> {
    const path = await this.pathOf(name);
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
    const { path } = await this.place(name);
    return (await realpath(path).catch(() => '')) === path;
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

  /** Network drives and mounted buckets refuse times. */
  private async keepTime(part: string, modified: number): Promise<void> {
    try {
      await this.setTimes(part, modified, modified);
    } catch (error) {
      this.notKept ??= reasons.notKept(errorCode(error) || String(error));
    }
  }

  /** Sets the time of what was written, and gives it its name if it is whole. */
  private async settle(file: NamedVersion, isWhole: boolean, found: string | undefined): Promise<void> {
    const path = await this.pathOf(file.name);
    const part = join(dirname(path), basename(partName(file.name, file)));
    await this.keepTime(part, file.modified);
    if (!isWhole) {
      return;
    }
    const hash = this.hashes.get(file.name);
    if (hash !== undefined && (found ?? (await hashOfFile(part))) !== hash) {
      await rm(part, { force: true });
      throw new WrongHashError();
    }
    await rename(part, path);
    this.arrived.set(file.name, versionKey(file));
  }

  /** The names come from a machine, and the links perhaps from a repository: none leads out of the target folder. */
  private async place(name: string): Promise<Place> {
    // Resolved once; each use checks that it is still there.
    const folder = (this.real ??= await realPlace(this.folder));
    return { path: join(folder, ...name.split('/')), root: { chosen: folder } };
  }

  /** Returns where a file is, in the real folder at this moment; the file itself may be a link. */
  private async pathOf(name: string): Promise<string> {
    return realFile(await this.place(name));
  }
}
