import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hostFiles, ownMark, type EngineHost } from '../../model/engines/hostFiles';
import { errorCode } from '../../util/errorCode';
import { replaceFile } from '../jsonFile';

/** Without a comment of ours in it; it belongs to the set when the others do. */
const unmarked = 'hosts.txt';

/** The names of files that stand where ours would go and are not ours. Throws where the disk refuses. */
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

/** The first line of our files names their group. */
export async function groupIn(folder: string): Promise<string | undefined> {
  const content = await contentOf(join(folder, 'inventory.yml'));
  return content?.startsWith(ownMark) ? /^[^\n]* group "(\w+)"/.exec(content)?.[1] : undefined;
}

/** Writes what differs, each file in one step. A folder that was removed is not made again: false then. */
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

/** Takes our files out of the folder; what else is in it stays. */
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
