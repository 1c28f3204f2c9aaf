import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  listedTree,
  sameNameKey,
  stampOf,
  whyNotRead,
  type LocalFile,
  type LocalTree,
} from '../../../ssh/fileTree';
import { hashOfFile } from '../../../ssh/localFiles';
import { repositoryAround } from '../../../ssh/localGit';
import { joinedBytes, readPiece } from '../../../ssh/pieces';
import { executableBit } from '../../../ssh/remoteTree';
import type { Run } from '../../../ssh/run';
import { findSentFiles } from '../../../ssh/sentFiles';
import { tarEnd, tarHeader, tarPadding } from '../../../ssh/tar';
import { reasons, type LeftOut } from '../../../ssh/transfer';
import { wait, type Clock } from '../../../util/clock';
import { errorCode } from '../../../util/errorCode';
import { inOrder } from '../../../util/inParallel';
import { ifPresent, isMissing } from '../../../util/missing';
import { identityOf, realFile } from '../../../util/realPlace';
import type { FileHere } from '../../model/mirrorPlan';
import { isPlainName } from './farSide';

export interface NearDeps {
  readonly run: Run;
  readonly home: string;
  readonly clock: Clock;
  readonly platform: NodeJS.Platform;
}

/** The folder of this computer as it was when it was looked at. */
export interface NearLook {
  readonly files: ReadonlyMap<string, NearFile>;
  readonly leftOut: readonly LeftOut[];
  readonly localId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A file with the place of its bytes, or a link with its target. */
export interface NearFile extends FileHere {
  readonly file?: LocalFile;
  readonly target?: string;
}

/** What a mirror sends of a folder beyond the rules of the product: the same as a job. */
const part = { workdir: '.', sync: { include: [], exclude: [], git: false } };
/** A change within this time (ms) may have left the times as they were: some disks keep two seconds. */
const sameMomentMs = 2_000;
/** Git has to leave its index alone for so long (ms), and no lock of it is waited for for ever. */
const quietMs = 1_000;
const lockMs = 30_000;
const askMs = 250;

export async function lookAtNearSide(
  deps: NearDeps,
  folder: string,
  signal?: AbortSignal,
): Promise<NearLook> {
  await gitIsQuiet(deps, folder, signal);
  const at = deps.clock.now();
  const sent = await findSentFiles({ ...deps, signal }, folder, part, []);
  const { files, leftOut } = usable(deps, sent.tree);
  return {
    files,
    // In an order of its own, because each file system lists a folder in another.
    leftOut: [...sent.leftOut, ...leftOut].sort((one, other) => (one.name < other.name ? -1 : 1)),
    localId: (await identityOf(folder)) ?? '',
    at,
  };
}

/** Looks at known files alone; those that are gone or no longer files are missing. */
export async function lookAtNearFiles(
  deps: NearDeps,
  folder: string,
  names: readonly string[],
): Promise<Pick<NearLook, 'files' | 'at'>> {
  const at = deps.clock.now();
  return { files: usable(deps, await listedTree(folder, names)).files, at };
}

/** Leaves out names that the instance, or this computer, would take for another one. */
function usable({ platform }: NearDeps, tree: Pick<LocalTree, 'files' | 'links'>) {
  const files = new Map<string, NearFile>();
  const leftOut: LeftOut[] = [];
  const taken = new Map<string, string>();
  const add = (name: string, file: NearFile) => {
    const key = sameNameKey(name, platform);
    const other = taken.get(key);
    if (!isPlainName(name)) {
      leftOut.push({ name, why: reasons.control });
    } else if (other !== undefined) {
      leftOut.push({ name, why: reasons.sameName(other) });
    } else {
      taken.set(key, name);
      files.set(name, file);
    }
  };
  for (const file of tree.files) {
    const { size, stamp, mode } = file;
    add(file.name, {
      size,
      stamp,
      isExecutable: (mode & executableBit) !== 0,
      file,
    });
  }
  for (const [name, target] of tree.links) {
    const hash = `l${createHash('sha256').update(target).digest('hex')}`;
    add(name, {
      size: 0,
      stamp: `link ${target}`,
      isExecutable: false,
      hash,
      target,
    });
  }
  return { files, leftOut };
}

/** Returns what the disk states of a file, or nothing where a change in the same moment would not show in it. */
export function settledHere(stamp: string, at: number): string {
  const [, modified, changed] = stamp.split(' ').map(Number);
  const isSettled = Math.max(modified ?? 0, changed ?? 0) < at - sameMomentMs;
  return stamp.startsWith('link ') || isSettled ? stamp : '';
}

export async function hashHereOf({ file }: NearFile): Promise<string | undefined> {
  try {
    return file && (await realFile(file).then(hashOfFile));
  } catch {
    // Gone, or not readable: the next look, or the attempt to send it, shows why.
    return undefined;
  }
}

/**
 * Returns those of the names that exist here, though they are no part of the mirror any more. Where case does not count,
 * the other name of a file that was renamed is none of them.
 */
export async function hiddenNames(
  { platform }: NearDeps,
  folder: string,
  names: readonly string[],
  here: ReadonlyMap<string, NearFile>,
): Promise<ReadonlySet<string>> {
  const keys = new Set([...here.keys()].map((name) => sameNameKey(name, platform)));
  const found = new Set<string>();
  for (const name of names) {
    if (!keys.has(sameNameKey(name, platform)) && (await isNamed(join(folder, ...name.split('/'))))) {
      found.add(name);
    }
  }
  return found;
}

/** Returns whether anything but a folder has the name, or may have it: what the disk refuses to state is not gone. */
export async function isNamed(path: string): Promise<boolean> {
  return lstat(path).then(
    (facts) => !facts.isDirectory(),
    (error: unknown) => !isMissing(error) && errorCode(error) !== 'ENOTDIR',
  );
}

/** A checkout changes many files one after the other, while a lock stands beside its index. */
async function gitIsQuiet(
  { clock }: NearDeps,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const repository = await repositoryAround(folder);
  const git = repository === undefined ? undefined : await gitFolder(repository);
  if (git === undefined) {
    return;
  }
  const since = clock.elapsed();
  let isBusy = await isNamed(join(git, 'index.lock'));
  let quietSince = isBusy ? undefined : since - quietMs;
  while (
    (quietSince === undefined || clock.elapsed() - quietSince < quietMs) &&
    clock.elapsed() - since < lockMs
  ) {
    await wait(clock, askMs, signal);
    isBusy = await isNamed(join(git, 'index.lock'));
    quietSince = isBusy ? undefined : (quietSince ?? clock.elapsed());
  }
}

async function gitFolder(repository: string): Promise<string | undefined> {
  const path = join(repository, '.git');
  const facts = await ifPresent(stat(path));
  if (facts?.isFile() !== true) {
    return path;
  }
  const [, named] = /^gitdir: (.+)$/m.exec((await ifPresent(readFile(path, 'utf8'))) ?? '') ?? [];
  return named === undefined ? undefined : resolve(repository, named.trim());
}

/** What was sent of a file: the bytes that are in the archive. */
export interface Archived {
  readonly hash: string;
  /** The file changed while it was read, so that these bytes are no version of it. */
  readonly isTorn: boolean;
  /** Why it could not be read. */
  readonly problem?: LeftOut['why'] | undefined;
}

const width = 16;

/**
 * Writes an archive of files and links below `tree/`, and at its end what `order` returns: it is asked once the content
 * of all that was sent is known.
 */
export async function* mirrorArchive(
  files: ReadonlyMap<string, NearFile>,
  order: (
    sent: ReadonlyMap<string, Archived>,
  ) => Promise<Readonly<Record<'list' | 'names' | 'large', string>>>,
): AsyncGenerator<Uint8Array> {
  const sent = new Map<string, Archived>();
  const opened = inOrder(files, width, async ([name, one]) => ({
    name,
    one,
    held: one.file && one.file.size <= joinedBytes ? await heldFile(one.file) : undefined,
  }));
  for await (const { name, one, held } of opened) {
    if (held) {
      sent.set(name, held);
      yield held.bytes;
    } else if (one.file) {
      const { file } = one;
      yield headerOf(file);
      sent.set(name, yield* contentOf(file));
      yield tarPadding(file.size);
    } else {
      const header = {
        name: `tree/${name}`,
        kind: 'link',
        size: 0,
        modified: 0,
        mode: 0o777,
      } as const;
      yield tarHeader({ ...header, target: one.target ?? '' });
      sent.set(name, { hash: one.hash ?? '', isTorn: false });
    }
  }
  // A cut may end an archive between two files; the last one shows that it is whole.
  for (const [name, text] of Object.entries({
    ...(await order(sent)),
    whole: '',
  })) {
    const bytes = Buffer.from(text);
    const header = {
      name,
      kind: 'file',
      size: bytes.length,
      modified: 0,
      mode: 0o600,
    } as const;
    yield Buffer.concat([tarHeader(header), bytes, tarPadding(bytes.length)]);
  }
  yield tarEnd;
}

function headerOf({ name, size, modified, mode }: LocalFile): Buffer {
  return tarHeader({
    name: `tree/${name}`,
    kind: 'file',
    size,
    modified,
    mode,
  });
}

async function heldFile(file: LocalFile): Promise<Archived & { readonly bytes: Buffer }> {
  const pieces: Uint8Array[] = [headerOf(file)];
  const content = contentOf(file);
  let next = await content.next();
  while (next.done !== true) {
    pieces.push(next.value);
    next = await content.next();
  }
  return {
    ...next.value,
    bytes: Buffer.concat([...pieces, tarPadding(file.size)]),
  };
}

/** Opening a pipe in the place of a file would wait, and a link leads elsewhere; Windows has neither flag. */
const flag = (name: string) => (constants as Readonly<Record<string, number | undefined>>)[name] ?? 0;
const reading = constants.O_RDONLY | flag('O_NOFOLLOW') | flag('O_NONBLOCK');

/**
 * Yields as many bytes as the file had, whatever becomes of it, so that the archive stays whole. Only the file that was listed
 * is read: its stamp has the number that the disk gives to no other one.
 */
async function* contentOf(file: LocalFile): AsyncGenerator<Uint8Array, Archived> {
  const hash = createHash('sha256');
  let problem: LeftOut['why'] | undefined;
  const opened = await open(file.path, reading).catch((error: unknown) => {
    problem = isMissing(error) ? undefined : whyNotRead(file.name, error);
    return undefined;
  });
  try {
    let isTorn = opened === undefined || stampOf(await opened.stat()) !== file.stamp;
    const handle = isTorn ? undefined : opened;
    for (let at = 0; at < file.size;) {
      const piece = handle
        ? await readPiece(handle, file.size, at)
        : Buffer.alloc(Math.min(joinedBytes, file.size - at));
      hash.update(piece);
      at += piece.length;
      yield piece;
    }
    isTorn ||= handle !== undefined && stampOf(await handle.stat()) !== file.stamp;
    return { hash: hash.digest('hex'), isTorn, problem };
  } finally {
    await opened?.close();
  }
}
