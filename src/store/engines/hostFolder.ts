import { readFile, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hostFiles, ownMark, type EngineHost } from '../../model/engines/hostFiles';
import { replaceFile } from '../../util/replaceFile';
import { ifPresent } from '../../util/missing';

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

/** Returns the group whose files are in the folder. */
export async function groupIn(folder: string): Promise<string | undefined> {
  return groupOf(await contentOf(join(folder, 'inventory.yml')));
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
  /** The folder was removed; it is not recreated. */
  | { readonly kind: 'gone' }
  /** Files that are not ours have our names, so nothing is written. */
  | { readonly kind: 'strangers'; readonly paths: readonly string[] };

/** Writes the files that differ, each in one step. */
export async function writeHostFiles(
  folder: string,
  name: string,
  hosts: readonly EngineHost[],
): Promise<HostFilesWritten> {
  if (!(await isFolder(folder))) {
    return { kind: 'gone' };
  }
  const paths = await strangersIn(folder, name);
  if (paths.length > 0) {
    return { kind: 'strangers', paths };
  }
  for (const { path, content } of hostFiles(name, hosts)) {
    const file = join(folder, path);
    if ((await contentOf(file)) !== content) {
      await replaceFile(file, content);
    }
  }
  return { kind: 'written' };
}

/** Removes our files of this group from the folder; all other files stay. */
export async function removeHostFiles(folder: string, name: string): Promise<void> {
  const ours: string[] = [];
  for (const { path } of hostFiles(name, [])) {
    if (groupOf(await contentOf(join(folder, path))) === name) {
      ours.push(path);
    }
  }
  for (const path of ours.length > 0 ? [...ours, unmarked] : []) {
    await rm(join(folder, path), { force: true });
  }
}

/** Returns the group that the first line of a file of ours names. */
function groupOf(content: string | undefined): string | undefined {
  return content?.startsWith(ownMark) === true ? /^[^\n]* group "(\w+)"/.exec(content)?.[1] : undefined;
}

async function isFolder(path: string): Promise<boolean> {
  return (await ifPresent(stat(path)))?.isDirectory() === true;
}

function contentOf(path: string): Promise<string | undefined> {
  return ifPresent(readFile(path, 'utf8'));
}
