import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../../util/json';
import { ifPresent } from '../../../util/missing';
import { replaceFile } from '../../../util/replaceFile';
import type { Manifest } from '../../model/parkedSet';

const manifestName = 'manifest.jsonl';

const headLine = z.object({
  version: z.literal(1),
  root: z.string(),
  leftOut: z.array(z.string()),
  listedAt: z.number(),
});
const entryLine = z.object({
  name: z.string(),
  kind: z.enum(['file', 'folder', 'link', 'hardLink']),
  mode: z.number().int(),
  modified: z.string(),
  size: z.number().int(),
  usedBytes: z.number().int(),
  hash: z.string().exactOptional(),
  target: z.string().exactOptional(),
  changed: z.string(),
  inode: z.string(),
});

/** In the order of the file, so that the same manifest has the same text wherever it comes from. */
const keys = [headLine, entryLine].flatMap(({ shape }) => Object.keys(shape));

/** Returns the manifest as JSON lines: what it is of, then an entry each. */
function manifestText({ entries, ...head }: Manifest): string {
  return [{ version: 1, ...head }, ...entries].map((line) => `${JSON.stringify(line, keys)}\n`).join('');
}

export function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  return replaceFile(join(folder, manifestName), manifestText(manifest));
}

/** Returns whether the list beside the pieces is this one. */
export async function isManifestOf(folder: string, manifest: Manifest): Promise<boolean> {
  return (await ifPresent(readFile(join(folder, manifestName), 'utf8'))) === manifestText(manifest);
}

/** Returns the manifest of a set; `undefined` where there is none, or a damaged one. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const content = await ifPresent(readFile(join(folder, manifestName), 'utf8'));
  if (content === undefined) {
    return undefined;
  }
  try {
    const [head, ...lines] = content.split('\n').slice(0, -1).map(parseJson);
    const { root, leftOut, listedAt } = headLine.parse(head);
    return { root, leftOut, listedAt, entries: lines.map((line) => entryLine.parse(line)) };
  } catch {
    return undefined;
  }
}
