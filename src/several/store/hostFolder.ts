import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifPresent } from '../../util/missing';
import { LeadsOutError, readPlace, realFile, realPlace, type Place } from '../../util/realPlace';
import { replaceFile } from '../../util/replaceFile';
import type { HostFiles } from '../model/hostFiles';

/** Returns false if the folder was removed, or a link took its place. */
export async function isFolder(folder: string): Promise<boolean> {
  try {
    const real = await realPlace({ path: folder, root: { chosen: folder } });
    return (await ifPresent(stat(real)))?.isDirectory() === true;
  } catch (error) {
    if (error instanceof LeadsOutError) {
      return false;
    }
    throw error;
  }
}

/**
 * Writes the files that differ, each in one step, and returns the hashes of all; nothing, and `undefined`, if
 * `mayReplace` answers no. It is asked about files that are not as they were saved last. The folder is named by its
 * real path.
 */
export async function writeHostFiles(
  folder: string,
  files: HostFiles,
  lastHashes: Readonly<Record<string, string>>,
  mayReplace: (names: readonly string[]) => Promise<boolean>,
): Promise<Record<string, string> | undefined> {
  const placeOf = (path: string): Place => ({ path: join(folder, path), root: { chosen: folder } });
  const differing: (readonly [path: string, content: string])[] = [];
  const unknown: string[] = [];
  for (const [path, content] of Object.entries(files)) {
    const before = await readPlace(placeOf(path));
    if (before !== content) {
      differing.push([path, content]);
      if (before !== undefined && hashOf(before) !== lastHashes[path]) {
        unknown.push(path);
      }
    }
  }
  if (unknown.length > 0 && !(await mayReplace(unknown))) {
    return undefined;
  }
  for (const [path, content] of differing) {
    await replaceFile(await realFile(placeOf(path)), content);
  }
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [path, hashOf(content)]));
}

function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}
