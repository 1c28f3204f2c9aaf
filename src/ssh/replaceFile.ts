import { randomBytes } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { wait, type Clock } from '../util/clock';
import { errorCode } from '../util/errorCode';
import { isMissing, type FileFacts, type FileSystem, type OldFile } from './fileSystem';

export interface Replacement {
  readonly bytes: Buffer;
  /** What the file held when `bytes` were made from it; `undefined` where there was none. */
  readonly expected: Buffer | undefined;
  readonly mode: number;
  /** When the old file is looked at again for lines that another program adds to it, one wait after the other. */
  readonly lateMs?: readonly number[];
  /** Whether extended attributes of the old file are given on; asking for them runs a program. */
  readonly keepsAttributes?: boolean;
  /** Given on where the file belongs to somebody else than who writes. */
  readonly owner?: Pick<FileFacts, 'uid' | 'gid'> | undefined;
}

const retryMs = [10, 20, 50, 100, 200, 500, 1000, 2000];
const tempMark = '.gpu-rental-';

/**
 * Gives a file other contents in one step: whoever reads it, whenever the power fails, finds all
 * of the old or all of the new. `false`, with nothing changed, where it no longer holds `expected`.
 */
export async function replaceFileOfOthers(
  fs: FileSystem,
  clock: Clock,
  target: string,
  replacement: Replacement,
): Promise<boolean> {
  const { bytes, expected, mode, owner } = replacement;
  const temp = `${dirname(target)}/.${basename(target)}${tempMark}${randomBytes(6).toString('hex')}`;
  let renamed = false;
  try {
    const keepsAttributes = expected !== undefined && replacement.keepsAttributes === true;
    await fs.createSynced(temp, bytes, mode, keepsAttributes ? target : undefined);
    // The mode of a file at its creation is cut by the process's mask.
    await fs.setMode(temp, mode);
    if (owner) {
      await fs.setOwner(temp, owner.uid, owner.gid);
    }
    if (expected === undefined) {
      return await linkInPlace(fs, temp, target);
    }
    const old = await retrying(clock, () => fs.replaceIfSame(temp, target, expected));
    renamed = old !== undefined;
    if (old) {
      await carryOver(fs, clock, target, old, replacement.lateMs ?? []);
    }
    return renamed;
  } catch (error) {
    if (expected !== undefined && isMissing(error)) {
      return false;
    }
    throw error;
  } finally {
    if (!renamed) {
      await removeQuietly(fs, temp);
    }
    await fs.syncDir(dirname(target));
  }
}

/** A new file must not cover one that somebody else made meanwhile. */
async function linkInPlace(fs: FileSystem, temp: string, target: string): Promise<boolean> {
  try {
    return await fs.linkNew(temp, target);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP', 'EMLINK'].includes(errorCode(error))) {
      throw error;
    }
  }
  // A file system without second names: an empty file takes the name first, exclusively.
  try {
    await fs.create(target, Buffer.alloc(0), 0o600);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') {
      return false;
    }
    throw error;
  }
  const old = await fs.replaceIfSame(temp, target, Buffer.alloc(0));
  await old?.close();
  return old !== undefined;
}

/** A program that opened the old file before the rename adds its lines to a file without a name. */
async function carryOver(
  fs: FileSystem,
  clock: Clock,
  target: string,
  old: OldFile,
  delays: readonly number[],
): Promise<void> {
  try {
    let carried = 0;
    for (const delayMs of [0, ...delays]) {
      if (delayMs > 0) {
        await wait(clock, delayMs);
      }
      const late = (await old.late()).subarray(carried);
      if (late.length > 0) {
        await fs.append(target, late);
        carried += late.length;
      }
    }
  } finally {
    await old.close();
  }
}

/** Virus scanners and editors hold files open on Windows; they let go soon. */
async function retrying<T>(clock: Clock, action: () => Promise<T>): Promise<T> {
  for (const delayMs of retryMs) {
    try {
      return await action();
    } catch (error) {
      if (!['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error))) {
        throw error;
      }
      await wait(clock, delayMs);
    }
  }
  return action();
}

/**
 * Removes what a crash left behind of one file, or of all in a folder of ours; only for who holds the
 * lock, since nobody else makes such files.
 */
export async function removeLeftovers(fs: FileSystem, dir: string, base?: string): Promise<void> {
  for (const name of await fs.list(dir)) {
    if (base === undefined ? isTemporary(name) : name.startsWith(`.${base}${tempMark}`)) {
      await removeQuietly(fs, `${dir}/${name}`);
    }
  }
}

function isTemporary(name: string): boolean {
  return name.startsWith('.') && name.includes(tempMark);
}

async function removeQuietly(fs: FileSystem, path: string): Promise<void> {
  try {
    await fs.remove(path);
  } catch (error) {
    if (!isMissing(error)) {
      throw error;
    }
  }
}
