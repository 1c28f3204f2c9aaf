import { realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ifPresent } from '../../util/missing';
import { LeadsOutError, readPlace, realFile, realPlace, type Place } from '../../util/realPlace';
import { replaceFile } from '../../util/replaceFile';
import { hostFiles, ownMark, type EngineHost } from '../model/hostFiles';

/** This file has no comment of ours; it belongs to the set if the others do. */
const unmarked = 'hosts.txt';

/** Returns names of files that occupy our file names but are not ours. Throws when the disk refuses. */
export async function strangersIn(folder: string, name: string): Promise<readonly string[]> {
  const found = await Promise.all(
    hostFiles(name, []).map(async ({ path }) => ({ path, content: await contentOf(folder, path) })),
  );
  const isOurs = found.some(({ content }) => content?.startsWith(ownMark));
  return found
    .filter(({ content }) => content !== undefined)
    .filter(({ path, content }) => (path === unmarked ? !isOurs : !content?.startsWith(ownMark)))
    .map(({ path }) => path);
}

/** Returns the group whose files are in the folder. */
export async function groupIn(folder: string): Promise<string | undefined> {
  return groupOf(await contentOf(folder, 'inventory.yml'));
}

/** Returns the path without links, as far as it exists. */
export async function realFolder(folder: string): Promise<string> {
  const parent = dirname(folder);
  return realpath(folder).catch(async () =>
    parent === folder ? folder : join(await realFolder(parent), basename(folder)),
  );
}

export type HostFilesWritten =
  | { readonly kind: 'written' }
  /** The folder was removed, or a link took its place; it is not recreated. */
  | { readonly kind: 'gone' }
  /** Files that are not ours have our names, so nothing is written. */
  | { readonly kind: 'strangers'; readonly paths: readonly string[] };

/** Writes the files that differ, each in one step. The folder is named by its real path. */
export async function writeHostFiles(
  folder: string,
  name: string,
  hosts: readonly EngineHost[],
): Promise<HostFilesWritten> {
  if (!(await isThere(folder))) {
    return { kind: 'gone' };
  }
  const paths = await strangersIn(folder, name);
  if (paths.length > 0) {
    return { kind: 'strangers', paths };
  }
  for (const { path, content } of hostFiles(name, hosts)) {
    if ((await contentOf(folder, path)) !== content) {
      await replaceFile(await realFile(placeOf(folder, path)), content);
    }
  }
  return { kind: 'written' };
}

/** Removes our files of this group from the folder; all other files stay. */
export async function removeHostFiles(folder: string, name: string): Promise<void> {
  const ours: string[] = [];
  for (const { path } of hostFiles(name, [])) {
    if (groupOf(await contentOf(folder, path)) === name) {
      ours.push(path);
    }
  }
  for (const path of ours.length > 0 ? [...ours, unmarked] : []) {
    await rm(await realFile(placeOf(folder, path)), { force: true });
  }
}

/** Returns the group that the first line of a file of ours names. */
function groupOf(content: string | undefined): string | undefined {
  return content?.startsWith(ownMark) === true ? /^[^\n]* group "(\w+)"/.exec(content)?.[1] : undefined;
}

async function isThere(folder: string): Promise<boolean> {
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

function contentOf(folder: string, name: string): Promise<string | undefined> {
  return readPlace(placeOf(folder, name));
}

function placeOf(folder: string, name: string): Place {
  return { path: join(folder, name), root: { chosen: folder } };
}
