import { randomBytes } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { wait, type Clock } from '../util/clock';
import { errorCode } from '../util/errorCode';
import { noHardLinks } from '../util/linkNew';
import { ifPresent, isMissing } from '../util/missing';
import { whileHeld } from '../util/replaceFile';
import type { FileFacts, FileSystem, OldFile } from './fileSystem';

export interface Replacement {
  readonly bytes: Buffer;
  /** The content that `bytes` are based on; `undefined` if there was no file. */
  readonly expected: Buffer | undefined;
  readonly mode: number;
  /** When to check the old file again for lines that another program appends, as consecutive waits (ms). */
  readonly lateMs?: readonly number[];
  /** Whether extended attributes of the old file are copied, which runs a program. */
  readonly keepsAttributes?: boolean;
  /** Copied if the file belongs to another user than the writer. */
  readonly owner?: Pick<FileFacts, 'uid' | 'gid'> | undefined;
}

const tempMark = '.gpu-rental-';

/**
 * Replaces the content of a file in one step: a reader, even after a power failure, finds all of the old or all of
 * the new. Returns `false`, with nothing changed, if the file no longer holds `expected`.
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
    // The process's umask restricts the mode at creation.
    await fs.setMode(temp, mode);
    if (owner) {
      await fs.setOwner(temp, owner.uid, owner.gid);
    }
    if (expected === undefined) {
      return await linkInPlace(fs, temp, target);
    }
    const old = await whileHeld(clock, () => fs.replaceIfSame(temp, target, expected));
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
      await ifPresent(fs.remove(temp));
    }
    await fs.syncDir(dirname(target));
  }
}

/** Links the file in place: a new file must not overwrite one that another program has created since. */
async function linkInPlace(fs: FileSystem, temp: string, target: string): Promise<boolean> {
  try {
    return await fs.linkNew(temp, target);
  } catch (error) {
    if (!noHardLinks.includes(errorCode(error))) {
      throw error;
    }
  }
  // For a file system without hard links: an empty file claims the name first, exclusively.
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

/**
 * Copies lines that were appended late: a program that opened the old file before the rename appends to a file
 * without a name.
 */
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

/**
 * Removes what a crash left of one file, or of all files in our folder. Call it only with the lock, since only its
 * holder creates such files.
 */
export async function removeLeftovers(fs: FileSystem, dir: string, base?: string): Promise<void> {
  for (const name of await fs.list(dir)) {
    if (base === undefined ? isTemporary(name) : name.startsWith(`.${base}${tempMark}`)) {
      await ifPresent(fs.remove(`${dir}/${name}`));
    }
  }
}

function isTemporary(name: string): boolean {
  return name.startsWith('.') && name.includes(tempMark);
}
