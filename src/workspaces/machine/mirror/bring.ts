import { copyFile, link, lstat, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { canBeNamed, sameNameKey, stampOf } from '../../../ssh/fileTree';
import { hashOfFile } from '../../../ssh/localFiles';
import { partName, reasons, type LeftOut } from '../../../ssh/transfer';
import { actingPart } from '../../../util/actingNames';
import { linkOrCopyNew } from '../../../util/linkNew';
import { ifPresent } from '../../../util/missing';
import { openPlace, realFile, realPlace, type Place } from '../../../util/realPlace';
import { isPlainName } from './farSide';

/** What has to be here, so that nothing of the user's is lost: this content, or no file. */
export interface Before {
  readonly stamp: string;
  readonly hash: string;
}

/**
 * Returns why a name of the instance gets no file here: it may not run a program by its name, be another file on this
 * computer, or replace what was never sent.
 */
export function whyNotHere(
  name: string,
  here: Iterable<string>,
  platform: NodeJS.Platform,
): LeftOut['why'] | undefined {
  if (!isPlainName(name)) {
    return reasons.hostileName;
  }
  if (actingPart(name) !== undefined) {
    return reasons.acts;
  }
  if (!canBeNamed(name, platform)) {
    return reasons.windowsName;
  }
  const own = new Map(partsOf(name).map((part) => [sameNameKey(part, platform), part]));
  for (const other of here) {
    // A folder with another spelling would be that folder, and its files would get its name.
    const taken = partsOf(other).find((part) => (own.get(sameNameKey(part, platform)) ?? part) !== part);
    if (taken !== undefined) {
      return reasons.sameName(taken);
    }
  }
  return undefined;
}

/** Returns the names of the folders above a file, and its own. */
function partsOf(name: string): readonly string[] {
  return name.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
}

/** Gives a fetched file its place, if what is there is what it was; false where it is not. */
export async function bringFile(
  root: Place['root'] & { readonly opened: string },
  name: string,
  from: string,
  before: Before | undefined,
): Promise<boolean> {
  const place: Place = { path: join(root.opened, ...name.split('/')), root };
  await mkdir(await realPlace({ path: dirname(place.path), root }), { recursive: true });
  const path = await realFile(place);
  const old = await ifPresent(lstat(path));
  const facts = await lstat(from);
  const part: Place = {
    path: join(
      root.opened,
      ...partName(name, { size: facts.size, modified: Math.floor(facts.mtimeMs / 1000) }).split('/'),
    ),
    root,
  };
  const partPath = await realFile(part);
  await rm(partPath, { force: true });
  try {
    await copySynced(from, part, old?.isFile() === true ? old.mode & 0o777 : facts.mode & 0o666);
    // Right before the name changes hands.
    if (!before) {
      return await linkOrCopyNew(partPath, await realFile(place));
    }
    if (!(await isStill(await realFile(place), before))) {
      return false;
    }
    await rename(partPath, path);
    return true;
  } finally {
    await rm(partPath, { force: true });
  }
}

async function copySynced(from: string, to: Place, mode: number): Promise<void> {
  const source = await openPlace({ path: from, root: { opened: dirname(from) } }, 'read');
  try {
    const target = await openPlace(to, 'create', mode);
    try {
      const content: AsyncIterable<Buffer> = source.createReadStream({ autoClose: false });
      for await (const piece of content) {
        await target.writeFile(piece);
      }
      await target.chmod(mode);
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** The stamp is compared after the hash: a change while the file was read shows in it. */
async function isStill(path: string, { stamp, hash }: Before): Promise<boolean> {
  const facts = await ifPresent(lstat(path));
  if (facts?.isFile() !== true) {
    return false;
  }
  const now = stampOf(facts);
  if (now === stamp) {
    return true;
  }
  const isSame = (await hashOfFile(path)) === hash;
  const after = await ifPresent(lstat(path));
  return isSame && after !== undefined && stampOf(after) === now;
}

/** Keeps a version of this computer before another one replaces it. */
export async function keepAside(path: string, aside: string): Promise<void> {
  await mkdir(dirname(aside), { recursive: true, mode: 0o700 });
  await link(path, aside).catch(() => copyFile(path, aside));
}
