import { mkdir, readdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ByteReader } from '../../../ssh/byteReader';
import { lastLines, SentTooMuchError, spareBytes, TransferError } from '../../../ssh/transfer';
import { bytesText } from '../../../util/bytes';
import { errorCode } from '../../../util/errorCode';
import { UserError } from '../../../util/errors';
import { whileHeld } from '../../../util/replaceFile';
import { text } from '../../../util/text';
import type { Manifest, OnParkedProgress } from '../../model/parkedSet';
import { isManifestOf, writeManifest } from './manifestFile';
import { runParkedStep, type ParkedCall } from './parkedCall';
import { PartFile, sizeOfFile } from './partFile';
import { checkPiece, PieceBrokenError, UnaskedError } from './pieceCheck';
import { mostBytesOf, pieceFile, piecesOf, type ParkedPiece } from './pieces';
import { parkedPrograms } from './programs';
import { Reported } from './reported';
import { shownNames } from './shownNames';

/** Files were twice not what the manifest has: they change there, or the machine reads them wrongly. */
export class FilesChangedError extends UserError {
  constructor(readonly names: readonly string[]) {
    super(text('Changed on the instance while they were saved: {0}', shownNames(names)), {
      nextStep: 'retry',
    });
  }
}

/** Returns the bytes that a folder has room for. */
export type FreeHere = (folder: string) => Promise<number>;

/** What stays free on the disk of this computer. */
export const reserveBytes = 200_000_000;
/** How often free space is asked for. */
const checkedBytes = 256_000_000;
const tries = 2;

export const freeOf: FreeHere = async (folder) => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

interface Ordered {
  readonly piece: ParkedPiece;
  /** Bytes that are here. */
  readonly begun: number;
}

/** Fetches the archives of a set that lack here, each of which counts once its files have the hashes of the manifest. */
export class PieceFetch {
  private readonly pieces: readonly ParkedPiece[];
  private readonly tried = new Map<ParkedPiece, number>();
  private readonly wrong = new Map<ParkedPiece, ReadonlySet<string>>();
  private readonly progress: Reported;
  private unchecked = 0;

  constructor(
    private readonly call: ParkedCall,
    private readonly folder: string,
    private readonly manifest: Manifest,
    onProgress: OnParkedProgress | undefined,
    private readonly signal: AbortSignal | undefined,
    private readonly free: FreeHere = freeOf,
  ) {
    this.pieces = piecesOf(manifest);
    this.progress = new Reported(call.clock, this.pieces, onProgress);
  }

  async run(): Promise<void> {
    const { folder, manifest, pieces } = this;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (!(await isManifestOf(folder, manifest))) {
      await writeManifest(folder, manifest);
    }
    for (let todo = await this.lacking(); todo.length > 0; todo = await this.lacking()) {
      await this.checkSpace(todo);
      await this.stream(todo);
    }
    const lost = pieces.filter((piece) => this.wrong.has(piece));
    if (lost.length > 0) {
      throw new FilesChangedError(lost.flatMap((piece) => [...(this.wrong.get(piece) ?? [])]));
    }
    const own = new Set(pieces.map(({ file }) => file));
    for (const name of await readdir(folder)) {
      const file = name.replace(/\.part$/, '');
      if (pieceFile.test(file) && !(own.has(file) && name === file)) {
        await whileHeld(this.call.clock, () => rm(join(folder, name)));
      }
    }
  }

  /** Returns what is to be fetched by now. */
  private async lacking(): Promise<readonly Ordered[]> {
    const todo: Ordered[] = [];
    let done = 0;
    for (const piece of this.pieces) {
      const path = join(this.folder, piece.file);
      if ((await sizeOfFile(path)) > 0) {
        done += piece.bytes;
      } else if ((this.tried.get(piece) ?? 0) < tries) {
        todo.push({ piece, begun: await sizeOfFile(`${path}.part`) });
      }
    }
    this.progress.restart(done);
    return todo;
  }

  private async checkSpace(todo: readonly Ordered[]): Promise<void> {
    const needed = todo.reduce((sum, { piece, begun }) => sum + Math.max(0, piece.bytes - begun), 0);
    await this.refuseFull(needed);
  }

  private async refuseFull(needed: number): Promise<void> {
    const free = await this.free(this.folder);
    if (free < needed + reserveBytes) {
      throw diskFullHere(needed, Math.max(0, free - reserveBytes));
    }
  }

  /** Fetches one archive after the other in one login, until one of them can't be read on. */
  private async stream(todo: readonly Ordered[]): Promise<void> {
    const got = { pieces: 0, allowed: spareBytes };
    const step = {
      program: parkedPrograms.fetch,
      root: this.manifest.root,
      input: Readable.from(orders(todo)),
      most: () => got.allowed,
      signal: this.signal,
    };
    const result = await runParkedStep(this.call, step, async (_, reader) => {
      for (const one of todo) {
        got.allowed += mostBytesOf(one.piece);
        if (!(await this.take(one, reader))) {
          return;
        }
        got.pieces += 1;
      }
    }).catch((error: unknown) => {
      if (error instanceof StoppedError) {
        return undefined;
      }
      throw errorCode(error) === 'ENOSPC' || errorCode(error) === 'EDQUOT' ? diskFullHere() : error;
    });
    if (result && got.pieces < todo.length) {
      throw new TransferError(lastLines(result));
    }
  }

  /** Returns false where the stream ended before the archive. @throws StoppedError where the rest can't be read. */
  private async take({ piece, begun }: Ordered, arriving: ByteReader): Promise<boolean> {
    const path = join(this.folder, piece.file);
    const part = await PartFile.open(`${path}.part`, begun, arriving, (bytes) => this.beforeWrite(bytes));
    const wrong = new Set<string>();
    let [isBroken, isLie] = [false, false];
    try {
      await checkPiece(part, piece, wrong, (bytes) => this.progress.add(bytes));
      await part.trim();
    } catch (error) {
      // What was not asked for, or more than was announced.
      isLie = error instanceof UnaskedError || error instanceof SentTooMuchError;
      isBroken = error instanceof PieceBrokenError && !part.isCut;
      if (!(error instanceof PieceBrokenError)) {
        throw error;
      }
    } finally {
      await part.close();
      // Nothing of a machine that lies is continued.
      if (isLie) {
        await rm(`${path}.part`);
      }
    }
    if (part.isCut) {
      return false;
    }
    if (wrong.size > 0 || isBroken) {
      this.tried.set(piece, (this.tried.get(piece) ?? 0) + 1);
      this.wrong.set(piece, wrong);
      await whileHeld(this.call.clock, () => rm(`${path}.part`));
      if (isBroken) {
        throw new StoppedError();
      }
      return true;
    }
    this.wrong.delete(piece);
    await whileHeld(this.call.clock, () => rename(`${path}.part`, path));
    return true;
  }

  private async beforeWrite(bytes: number): Promise<void> {
    this.unchecked += bytes;
    if (this.unchecked >= checkedBytes) {
      this.unchecked = 0;
      await this.refuseFull(0);
    }
  }
}

/** We end the login. */
class StoppedError extends Error {}

export function diskFullHere(needed = 0, free = 0): UserError {
  return new UserError(
    needed === 0
      ? text('The disk of this computer is full. Free some space on it.')
      : text('The disk of this computer is full: {0} needed, {1} free.', bytesText(needed), bytesText(free)),
    { nextStep: 'retry' },
  );
}

/** Returns the input of the program: for each archive what to skip, and its names. */
function* orders(todo: readonly Ordered[]): Generator<Buffer> {
  for (const { piece, begun } of todo) {
    const names = Buffer.from(piece.entries.map(({ name }) => `./${name}\0`).join(''), 'latin1');
    yield Buffer.concat([Buffer.from(`${begun} ${names.length}\n`), names]);
  }
}
