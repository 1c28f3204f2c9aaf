import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hostFiles, ownMark, type EngineHost } from '../../model/engines/hostFiles';
import { errorCode } from '../../util/errorCode';
import { replaceFile } from '../jsonFile';

/** This file has no comment of ours; it belongs to the set if the others do. */
const unmarked = 'hosts.txt';

/** Returns names of files that occupy our file names but are not ours. Throws when the disk refuses. */
export async function strangersIn(folder: string, name: string): Promise<readonly string[]> {
  const found = await Promise.all(
    hostFiles(name, []).map(async ({ path }) => ({ path, content: await contentOf(join(folder, path)) })),
  );
  const isOurs = found.some(({ content }) => content?.startsWith(ownMark));
  return found
    .filter(({ content }) => content !== undefined)
    .filter(({ path, content }) => (path === unmarked ? !isOurs : !content?.startsWith(ownMark)))
    .map(({ path }) => path);
}

/** Returns the group that the first line of our files names. */
export async function groupIn(folder: string): Promise<string | undefined> {
  const content = await contentOf(join(folder, 'inventory.yml'));
  return content?.startsWith(ownMark) ? /^[^\n]* group "(\w+)"/.exec(content)?.[1] : undefined;
}

/**
 * Writes the files that differ, each in one step. Returns false if the folder was removed; it is not
 * recreated.
 */
export async function writeHostFiles(
  folder: string,
  name: string,
  hosts: readonly EngineHost[],
): Promise<boolean> {
  if (!(await isFolder(folder))) {
    return false;
  }
  for (const { path, content } of hostFiles(name, hosts)) {
    const file = join(folder, path);
    if ((await contentOf(file)) !== content) {
      await replaceFile(file, content);
    }
  }
  return true;
}

/** Removes our files from the folder; all other files stay. */
export async function removeHostFiles(folder: string, name: string): Promise<void> {
  if ((await groupIn(folder)) !== name) {
    return;
  }
  for (const { path } of hostFiles(name, [])) {
    await rm(join(folder, path), { force: true });
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      return false;
    }
    throw error;
  }
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}
