import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServedInstance } from '../../../ssh/hostDownload';
import { copyFromDaemon } from '../../../ssh/rsync/daemonCopy';
import type { ListedFile } from '../../../ssh/rsync/fileList';
import { tarEnd, tarHeader, tarPadding } from '../../../ssh/tar';
import { errorCode } from '../../../util/errorCode';
import { CancelledError } from '../../../util/errors';
import { inParallel } from '../../../util/inParallel';
import { ifPresent } from '../../../util/missing';
import type { FolderLook, Manifest, OnParkedProgress, ParkedEntry } from '../../model/parkedSet';
import { shownName } from '../rawPath';
import { diskFullHere, freeOf, reserveBytes, type FreeHere } from './fetchPieces';
import { folderLookOf } from './folderLook';
import { checkNames, exactTime, type Listed } from './listing';
import { readManifest, writeManifest } from './manifestFile';
import { parkedEntries, tokenNames } from './parkedEntries';
import { sizeOfFile } from './partFile';
import { recordBytes } from './pieceCheck';
import { pieceFile, piecesOf, type ParkedPiece } from './pieces';

/** A folder of a stopped instance, whose host states no hashes, no further names of files and no holes. */
export interface ServedFolder {
  readonly served: Pick<ServedInstance, 'module' | 'open'>;
  /** Absolute there, raw. */
  readonly root: string;
  readonly leftOut: readonly string[];
}

const tries = 2;
const width = 8;
/** How often free space is asked for. */
const checkedBytes = 256_000_000;

/** Lists a folder as its host states it. @throws HostileNameError */
export async function listServed(folder: ServedFolder, signal?: AbortSignal): Promise<readonly Listed[]> {
  const listed = await listAllServed(folder, signal);
  const secrets = new Set(tokenNames(folder.root, listed));
  return listed.filter(({ name }) => !secrets.has(name));
}

async function listAllServed(
  { served, root, leftOut }: ServedFolder,
  signal?: AbortSignal,
): Promise<readonly Listed[]> {
  let found: readonly Listed[] = [];
  await copyFromDaemon(served.open, {
    module: served.module,
    folder: shownName(root),
    signal,
    choose: (files) => {
      found = files.map(listedOf);
      return [];
    },
    write: () => Promise.resolve(),
  });
  const isWanted = ({ name }: Listed) => !leftOut.some((one) => name === one || name.startsWith(`${one}/`));
  const listed = found.filter(isWanted).sort((one, other) => (one.name < other.name ? -1 : 1));
  checkNames(listed);
  return listed;
}

/** Looks at a folder before anything of it is fetched. */
export async function lookAtServed(folder: ServedFolder, signal?: AbortSignal): Promise<FolderLook> {
  const entries = await listAllServed(folder, signal);
  return folderLookOf(folder.root, { at: 0, isOtherDisk: false, entries });
}

/** Returns the names that the host does not list as the manifest has them; contents can't be compared. */
export async function changedServed(
  folder: ServedFolder,
  { entries }: Manifest,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const open = new Map(entries.map((entry) => [entry.name, factsOf(entry)]));
  const changed: string[] = [];
  for (const entry of parkedEntries(await listServed(folder, signal))) {
    if (open.get(entry.name) !== factsOf(entry)) {
      changed.push(entry.name);
    }
    open.delete(entry.name);
  }
  return [...changed, ...open.keys()];
}

/** Saves a folder that a host serves as the archives and the list of a set. Returns the names that it does not give. */
export function saveServed(
  folder: ServedFolder,
  into: string,
  {
    onProgress,
    signal,
    free = freeOf,
  }: {
    readonly onProgress?: OnParkedProgress;
    readonly signal?: AbortSignal;
    readonly free?: FreeHere;
  } = {},
): Promise<readonly string[]> {
  return new ServedSave(folder, into, onProgress, signal, free).run();
}

function listedOf({ path, kind, mode, size, modified, rawTarget = '' }: ListedFile): Listed {
  const name = path.toString('latin1');
  const bytes = kind === 'file' ? size : 0;
  return {
    name: name === '.' ? '' : name,
    kind: kind === 'other' ? 'special' : kind,
    isReadable: true,
    mode,
    size: bytes,
    usedBytes: bytes,
    inode: '',
    links: 1,
    // An archive has no earlier times.
    modified: exactTime(String(Math.max(0, modified))),
    changed: exactTime('0'),
    target: rawTarget,
  };
}

function factsOf({ name, kind, mode, modified, size, target }: ParkedEntry): string {
  return JSON.stringify([name, kind, mode, modified, size, target]);
}

class ServedSave {
  private readonly spool: string;
  private done = 0;
  private unchecked = 0;

  constructor(
    private readonly from: ServedFolder,
    private readonly folder: string,
    private readonly onProgress: OnParkedProgress | undefined,
    private readonly signal: AbortSignal | undefined,
    private readonly free: FreeHere,
  ) {
    this.spool = join(folder, 'arrived');
  }

  async run(): Promise<readonly string[]> {
    try {
      await mkdir(this.spool, { recursive: true, mode: 0o700 });
      const entries = parkedEntries(await listServed(this.from, this.signal));
      const files = entries.filter(({ kind }) => kind === 'file');
      const hashes = await this.inPieces(entries);
      const lacking = await this.bring(files.filter((file) => !hashes.has(factsOf(file))));
      return lacking.length > 0 ? lacking : await this.save(entries, hashes);
    } catch (error) {
      throw ['ENOSPC', 'EDQUOT'].includes(errorCode(error)) ? diskFullHere() : error;
    }
  }

  /** Returns the hashes of files that an earlier try brought into archives; of another list, no archive is used. */
  private async inPieces(entries: readonly ParkedEntry[]): Promise<Map<string, string>> {
    const hashes = new Map<string, string>();
    const before = await readManifest(this.folder);
    if (before?.entries.map(factsOf).join('\n') !== entries.map(factsOf).join('\n')) {
      return hashes;
    }
    for (const piece of piecesOf(before)) {
      if ((await sizeOfFile(join(this.folder, piece.file))) > 0) {
        piece.entries.forEach((entry) => hashes.set(factsOf(entry), entry.hash ?? ''));
      }
    }
    return hashes;
  }

  /** Fetches files, each whole. Returns the names of those that twice did not come. */
  private async bring(files: readonly ParkedEntry[]): Promise<readonly string[]> {
    const totalBytes = sumOf(files);
    let missing = await this.missingOf(files);
    for (let round = 1; missing.length > 0 && round <= tries; round += 1) {
      this.done = totalBytes - sumOf(missing);
      // An archive is beside the files in it until it is whole.
      await this.refuseFull(sumOf(missing) + files.reduce((most, { size }) => Math.max(most, size), 0));
      await this.copy(missing, totalBytes);
      missing = await this.missingOf(missing);
    }
    return missing.map(({ name }) => name);
  }

  private async missingOf(files: readonly ParkedEntry[]): Promise<readonly ParkedEntry[]> {
    const missing = new Set<ParkedEntry>();
    await inParallel(files, width, async (file) => {
      if ((await ifPresent(stat(this.arrived(file))))?.size !== file.size) {
        missing.add(file);
      }
    });
    return files.filter((file) => missing.has(file));
  }

  private async copy(files: readonly ParkedEntry[], totalBytes: number): Promise<void> {
    const wanted = new Map(files.map((file) => [file.name, file]));
    const asked = new Map<ListedFile, ParkedEntry>();
    const { served, root } = this.from;
    await copyFromDaemon(served.open, {
      module: served.module,
      folder: shownName(root),
      signal: this.signal,
      choose: (all) => {
        for (const one of all) {
          const file = wanted.get(one.path.toString('latin1'));
          const [now] = file ? parkedEntries([listedOf(one)]) : [];
          // Another list has other files under these names.
          if (file && now && factsOf(now) === factsOf(file)) {
            asked.set(one, file);
          }
        }
        return [...asked.keys()];
      },
      write: async (one, content) => {
        const file = asked.get(one);
        if (file) {
          await this.keep(file, content, totalBytes);
        }
      },
    });
  }

  private async keep(file: ParkedEntry, content: AsyncIterable<Buffer>, totalBytes: number): Promise<void> {
    const path = this.arrived(file);
    const handle = await open(`${path}.part`, 'w', 0o600);
    let size = 0;
    try {
      for await (const piece of content) {
        await this.beforeWrite(piece.length);
        await handle.writeFile(piece);
        size += piece.length;
        this.done += piece.length;
        this.onProgress?.({ bytes: Math.min(this.done, totalBytes), totalBytes });
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (size === file.size) {
      await rename(`${path}.part`, path);
    }
  }

  private async save(
    entries: readonly ParkedEntry[],
    hashes: ReadonlyMap<string, string>,
  ): Promise<readonly string[]> {
    const hashed: ParkedEntry[] = [];
    for (const entry of entries) {
      const hash = hashes.get(factsOf(entry)) ?? (await this.hashOf(entry));
      hashed.push(entry.kind === 'file' ? { ...entry, hash } : entry);
    }
    const { root, leftOut } = this.from;
    const manifest = { root, leftOut, listedAt: 0, entries: hashed };
    await writeManifest(this.folder, manifest);
    const pieces = piecesOf(manifest);
    for (const piece of pieces) {
      if ((await sizeOfFile(join(this.folder, piece.file))) === 0) {
        await this.archive(piece);
      }
      await inParallel(piece.entries, width, (entry) => rm(this.arrived(entry), { force: true }));
    }
    const own = new Set(pieces.map(({ file }) => file));
    for (const name of await readdir(this.folder)) {
      if (pieceFile.test(name.replace(/\.part$/, '')) && !own.has(name)) {
        await rm(join(this.folder, name));
      }
    }
    await rm(this.spool, { recursive: true, force: true });
    return [];
  }

  private async archive(piece: ParkedPiece): Promise<void> {
    const path = join(this.folder, piece.file);
    const handle = await open(`${path}.part`, 'w', 0o600);
    try {
      for await (const bytes of this.bytesOf(piece)) {
        await handle.writeFile(bytes);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(`${path}.part`, path);
  }

  /** Yields an archive as `tar` would make it on the instance. */
  private async *bytesOf({ entries }: ParkedPiece): AsyncGenerator<Buffer> {
    let written = tarEnd.length;
    for (const entry of entries) {
      const { name, kind, mode, modified, size, target = '' } = entry;
      const path = kind === 'folder' && name !== '' ? `./${name}/` : `./${name}`;
      const facts = { name: path, size, mode, modified: parseInt(modified, 10), target };
      const header = tarHeader({ ...facts, kind: kind as 'file' | 'folder' | 'link' }, 'latin1');
      written += header.length + size + tarPadding(size).length;
      yield header;
      if (kind === 'file' && size > 0) {
        yield* this.contentOf(entry);
        yield tarPadding(size);
      }
    }
    yield tarEnd;
    yield Buffer.alloc((recordBytes - (written % recordBytes)) % recordBytes);
  }

  private async *contentOf(file: ParkedEntry): AsyncGenerator<Buffer> {
    const stream: AsyncIterable<Buffer> = createReadStream(this.arrived(file), { highWaterMark: 1_000_000 });
    for await (const piece of stream) {
      if (this.signal?.aborted === true) {
        throw new CancelledError();
      }
      yield piece;
    }
  }

  private async hashOf(entry: ParkedEntry): Promise<string> {
    const hash = createHash('sha256');
    if (entry.kind === 'file') {
      for await (const piece of this.contentOf(entry)) {
        hash.update(piece);
      }
    }
    return hash.digest('hex');
  }

  /** The name belongs to what the host states of a file, so that one that changes there never counts as this one. */
  private arrived(file: ParkedEntry): string {
    return join(this.spool, createHash('sha256').update(factsOf(file)).digest('hex').slice(0, 32));
  }

  private async beforeWrite(bytes: number): Promise<void> {
    if (this.signal?.aborted === true) {
      throw new CancelledError();
    }
    this.unchecked += bytes;
    if (this.unchecked >= checkedBytes) {
      this.unchecked = 0;
      await this.refuseFull(0);
    }
  }

  private async refuseFull(needed: number): Promise<void> {
    const free = await this.free(this.folder);
    if (free < needed + reserveBytes) {
      throw diskFullHere(needed, Math.max(0, free - reserveBytes));
    }
  }
}

function sumOf(files: readonly ParkedEntry[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
