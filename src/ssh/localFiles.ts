import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  copyFile,
  lstat,
  mkdir,
  open,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  utimes,
} from 'node:fs/promises';
import { join } from 'node:path';
import { diskFull, isDiskFull } from '../util/diskFull';
import { errorCode } from '../util/errorCode';
import { isMissing } from './fileSystem';
import { partName, reasons, TransferError, versionKey, type LeftOut, type Version } from './transfer';

const largeBytes = 1_000_000;

/** Joins pieces of a stream: each write waits for another thread, which takes longer than the bytes of a small one. */
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

/** A file by its name below the folder that is written to. */
export interface NamedVersion extends Version {
  readonly name: string;
}

/** Errors of one file; all others end the transfer. */
const ofOneFile = /^(?:EACCES|EBUSY|EEXIST|EINVAL|EISDIR|ELOOP|ENAMETOOLONG|ENOENT|ENOTDIR|ENOTEMPTY|EPERM)$/;

/** What arrived is not what was listed. */
class WrongHashError extends Error {}

/** SHA-256 in hexadecimal digits. */
export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  const pieces: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 1_000_000 });
  for await (const piece of pieces) {
    hash.update(piece);
  }
  return hash.digest('hex');
}

/**
 * What a download writes into a folder of this computer. A file gets its name once it is whole, and is never
 * executable: a program of a rented machine is not made to run here by its mere name.
 */
export class LocalFiles {
  /** Versions that were written whole. */
  private readonly arrived = new Map<string, string>();
  /** Why the rest was not. */
  readonly refused = new Map<string, LeftOut['why']>();

  constructor(
    private readonly folder: string,
    /** SHA-256 by name, of files that get their name only where it is the same. */
    private readonly hashes: ReadonlyMap<string, string> = new Map(),
  ) {}

  hasArrived(name: string): boolean {
    return this.arrived.has(name);
  }

  async makeFolder(name: string): Promise<void> {
    await this.attempt(name, async () => {
      await mkdir(this.path(name), { recursive: true });
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
    // Some disks keep the time of a file less exactly than it was given.
    return arrived === undefined ? isSame : arrived === versionKey(file);
  }

  /** Bytes of the file that an earlier transfer left; 0 where there is nothing to go on with. */
  async begun(file: NamedVersion): Promise<number> {
    const facts = await stat(this.path(partName(file.name, file))).catch(() => undefined);
    return facts !== undefined && facts.size <= file.size ? facts.size : 0;
  }

  /** Writes the bytes from `start` on, and names the file if it is whole then. */
  async write(
    file: NamedVersion,
    start: number,
    content: Iterable<Buffer> | AsyncIterable<Buffer>,
    onBytes: (count: number) => void,
  ): Promise<void> {
    const part = this.path(partName(file.name, file));
    const target = await open(part, start === 0 ? 'w' : 'a');
    // What is continued is read again for its hash.
    const hash = start === 0 && this.hashes.has(file.name) ? createHash('sha256') : undefined;
    let size = start;
    let written = Promise.resolve();
    try {
      for await (const piece of large(content)) {
        await written;
        // Hashed, and the next one awaited, while it is written.
        written = target.writeFile(piece);
        written.catch(() => undefined);
        hash?.update(piece);
        size += piece.length;
        onBytes(piece.length);
      }
      await written;
      await target.utimes(file.modified, file.modified);
    } finally {
      await written.catch(() => undefined);
      await target.close();
    }
    if (size === file.size) {
      await this.name(part, file, hash?.digest('hex'));
    }
  }

  /** Takes what was not finished away, where it is not worth going on with. */
  async forget(file: NamedVersion): Promise<void> {
    if (this.arrived.get(file.name) === versionKey(file)) {
      return;
    }
    await rm(this.path(partName(file.name, file)), { force: true });
  }

  async copy(name: string, from: string, modified: number): Promise<void> {
    const { size } = await stat(this.path(from));
    const part = this.path(partName(name, { size, modified }));
    await copyFile(this.path(from), part);
    await utimes(part, modified, modified);
    await this.name(part, { name, size, modified });
  }

  /** In the place of nothing, or of another link. */
  async makeLink(name: string, target: string): Promise<void> {
    const path = this.path(name);
    const facts = await lstat(path).catch((error: unknown) => {
      if (isMissing(error)) {
        return undefined;
      }
      throw error;
    });
    if (facts?.isSymbolicLink() === true) {
      if ((await readlink(path)) === target) {
        return;
      }
      await rm(path);
    }
    await symlink(target, path);
  }

  /** False where a link of this computer is on the way, which would count the steps up from another place. */
  async isPlainFolder(name: string): Promise<boolean> {
    const base = await realpath(this.folder);
    return (await realpath(this.path(name)).catch(() => '')) === join(base, ...name.split('/'));
  }

  /** Keeps what is wrong with one file apart from what ends the transfer, such as a full disk. */
  async attempt(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.refused.delete(name);
    } catch (error) {
      const code = errorCode(error);
      if (error instanceof WrongHashError) {
        this.refused.set(name, reasons.otherHash);
        return;
      }
      if (code === '') {
        throw error;
      }
      if (!ofOneFile.test(code)) {
        throw new TransferError(isDiskFull(error) ? diskFull : error instanceof Error ? error.message : code);
      }
      this.refused.set(name, reasons.said(code));
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
