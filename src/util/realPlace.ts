import { constants } from 'node:fs';
import { lstat, open, realpath, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { actingPart } from './actingNames';
import { errorCode } from './errorCode';
import { UserError } from './errors';
import { ifPresent } from './missing';
import { text } from './text';

/** The folder that work may not leave, wherever links lead. */
export type Root =
  /** A folder that the user opened; links on the way to it are the user's own. */
  | { readonly opened: string }
  /** The real path of a folder that the user chose by hand: no part of it may have become a link since. */
  | { readonly chosen: string };

/** A path that a file of a folder, a machine or an earlier choice names, and the folder that it must be in. */
export interface Place {
  readonly path: string;
  readonly root: Root;
}

/** A link on the way to a place leads where nothing may be read or written. */
export class LeadsOutError extends UserError {
  constructor({ path, root }: Place) {
    const folder = folderOf(root);
    super(
      path === folder
        ? text('A link leads from {0} to another folder. Choose the folder again.', path)
        : text(
            'A link at or above {0} leads out of {1}, to nothing, or to a folder on which programs act. Remove the link and try again.',
            path,
            folder,
          ),
      { nextStep: 'retry' },
    );
  }
}

/**
 * Returns where a place really is at this moment, so that later steps follow no link; missing parts are
 * kept as named. Call it right before each read and each write, since links can be made at any time.
 * @throws LeadsOutError if a link leads out of the root, to nothing, or to a name on which programs act.
 */
export async function realPlace(place: Place): Promise<string> {
  const { path, root } = place;
  const folder = folderOf(root);
  const base = await existing(folder);
  const real = await existing(path);
  const inner = base === undefined || real === undefined ? undefined : await nameBelow(base, real);
  const isMoved = 'chosen' in root && base !== folder;
  if (real === undefined || inner === undefined || isMoved || leadsToActing(inner, relative(folder, path))) {
    throw new LeadsOutError(place);
  }
  return real;
}

/** Returns the path of a file at a place, itself perhaps a link, in its real folder. @throws LeadsOutError like `realPlace`. */
export async function realFile(place: Place): Promise<string> {
  return join(await realPlace({ ...place, path: dirname(place.path) }), basename(place.path));
}

/** Windows lacks some flags; there, only the check of the open file protects. */
const flag = (name: string) => (constants as Readonly<Record<string, number | undefined>>)[name] ?? 0;
const noFollow = flag('O_NOFOLLOW');
const flags = {
  // Opening a pipe in the place of a file would wait.
  read: constants.O_RDONLY | noFollow | flag('O_NONBLOCK'),
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
  append: constants.O_WRONLY | constants.O_APPEND | noFollow,
} as const;

/**
 * Opens a file at a place, itself no link, and checks that it is there: a link that is made after the
 * check leads to another file, which is neither read nor written. Creates only what does not exist yet.
 * @throws LeadsOutError like `realPlace`.
 */
export async function openPlace(place: Place, how: keyof typeof flags, mode = 0o666): Promise<FileHandle> {
  const path = await realFile(place);
  const handle = await open(path, flags[how], mode).catch((error: unknown) => {
    throw errorCode(error) === 'ELOOP' ? new LeadsOutError(place) : error;
  });
  try {
    if (!(await isFileAt(handle, path))) {
      throw new LeadsOutError(place);
    }
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads a text at a place; `undefined` if there is none. @throws LeadsOutError like `realPlace`. */
export async function readPlace(place: Place): Promise<string | undefined> {
  const handle = await ifPresent(openPlace(place, 'read'));
  try {
    return await handle?.readFile('utf8');
  } finally {
    await handle?.close();
  }
}

async function isFileAt(handle: FileHandle, path: string): Promise<boolean> {
  const opened = await handle.stat({ bigint: true });
  const [named, real] = await Promise.all([
    ifPresent(lstat(path, { bigint: true })),
    ifPresent(realpath(path)),
  ]);
  const isSame = named?.ino === opened.ino && named.dev === opened.dev;
  return isSame && opened.isFile() && real !== undefined && dirname(real) === dirname(path);
}

function folderOf(root: Root): string {
  return 'opened' in root ? root.opened : root.chosen;
}

/** Resolves what exists of a path; `undefined` where a link leads to nothing or in a circle. */
async function existing(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) === 'ELOOP') {
      return undefined;
    }
    if (!isAbsent(error)) {
      throw error;
    }
  }
  const parent = dirname(path);
  if (parent === path || (await isThere(path))) {
    return undefined;
  }
  const above = await existing(parent);
  return above === undefined ? undefined : join(above, basename(path));
}

/** Below a file there is nothing either. */
function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errorCode(error));
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) {
      return false;
    }
    throw error;
  }
}

/**
 * Returns the name of a real path below a real folder, with forward slashes; `undefined`
 * if it is not in the folder. The disk decides what is the same folder, because its path
 * can differ in case or normal form, such as that of a home folder `José`.
 */
async function nameBelow(base: string, real: string): Promise<string | undefined> {
  const start = base.endsWith(sep) ? base : `${base}${sep}`;
  if (real === base || real.startsWith(start)) {
    return real.slice(start.length).split(sep).join('/');
  }
  const own = await identityOf(base);
  const names: string[] = [];
  for (let folder = real; own !== undefined; folder = dirname(folder)) {
    if ((await identityOf(folder)) === own) {
      return names.join('/');
    }
    if (dirname(folder) === folder) {
      break;
    }
    names.unshift(basename(folder));
  }
  return undefined;
}

/** Identifies a folder by the numbers of the disk; `undefined` if it does not exist, or the disk numbers nothing. */
export async function identityOf(folder: string): Promise<string | undefined> {
  const facts = await stat(folder, { bigint: true }).catch(() => undefined);
  return facts === undefined || facts.ino === 0n ? undefined : `${facts.dev} ${facts.ino}`;
}

/** A name that acts is refused where it is named; here, a link must not lead to another one. */
function leadsToActing(inner: string, asked: string): boolean {
  const [part, named] = [actingPart(inner, 'folder'), actingPart(asked.split(sep).join('/'), 'folder')];
  return part !== undefined && part.toLowerCase() !== named?.toLowerCase();
}
