import { createReadStream } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import type { ByteReader } from '../../../ssh/byteReader';
import { lastLines, TransferError } from '../../../ssh/transfer';
import { UserError } from '../../../util/errors';
import { text } from '../../../util/text';
import type { Carried, CarryStep, Manifest, OnParkedProgress, ParkedEntry } from '../../model/parkedSet';
import { diskFull } from '../mirror/farSide';
import { nameOf, shownName } from '../rawPath';
import { hashesThere, listFolder } from './listing';
import { FolderGoneError, runParkedStep, type ParkedCall } from './parkedCall';
import { parkedEntries } from './parkedEntries';
import { sizeOfFile } from './partFile';
import { piecesOf, type ParkedPiece } from './pieces';
import { parkedPrograms } from './programs';
import { Reported } from './reported';
import { shownNames } from './shownNames';

/** What arrives of an archive of at least this size is kept, so that it can be continued. */
const keptBytes = 32_000_000;
const reserveBytes = 64_000_000;
const answerBytes = 10_000_000;
const rounds = 2;

interface Ready {
  /** Which of its names the folder got. */
  readonly placed: number | undefined;
  readonly freeBytes: number;
  readonly done: ReadonlySet<string>;
  readonly begun: ReadonlyMap<string, number>;
}

/** Sends the archives of a set, and gives the folder its name once the machine lists what the manifest has. */
export class PiecePlacement {
  private readonly pieces: readonly ParkedPiece[];
  private readonly progress: Reported;
  private readonly set: string;

  constructor(
    private readonly call: ParkedCall,
    private readonly folder: string,
    private readonly manifest: Manifest,
    onProgress: OnParkedProgress | undefined,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.pieces = piecesOf(manifest);
    this.progress = new Reported(call.clock, this.pieces, onProgress);
    this.set = basename(folder);
    if (!/^[\w-]{1,64}$/.test(this.set)) {
      throw new Error('Not a name of a set');
    }
  }

  async run(): Promise<{ readonly root: string }> {
    if (nameOf(this.manifest.root) === '') {
      throw new FolderGoneError(this.manifest.root);
    }
    let ready = await this.ready();
    for (let round = 1; ready.placed === undefined; round += 1) {
      await this.send(ready);
      const wrong = await this.wrongThere();
      if (wrong.size === 0) {
        return { root: this.nameAt(await this.name()) };
      }
      if (round === rounds) {
        throw new UserError(
          text('Different on the instance after it was sent: {0}', shownNames([...wrong])),
          { nextStep: 'retry' },
        );
      }
      const again = this.pieces.filter(({ entries }) => entries.some(({ name }) => wrong.has(name)));
      const known = new Set(this.manifest.entries.map(({ name }) => name));
      ready = await this.ready(
        again,
        [...wrong].some((name) => !known.has(name)),
      );
    }
    return { root: this.nameAt(ready.placed) };
  }

  /** The service copies without a proof, and leaves nothing out. */
  async carry(step: CarryStep): Promise<Carried> {
    const path = `${shownName(this.tree)}/`;
    if (step !== 'look') {
      const { placed } = await this.ready([], true);
      return { path, seen: '', root: placed === undefined ? undefined : this.nameAt(placed) };
    }
    const { placed } = await this.ready();
    if (placed !== undefined) {
      return { path, seen: '', root: this.nameAt(placed) };
    }
    const { manifest, call, signal } = this;
    const there = parkedEntries((await listFolder(call, this.tree, manifest.leftOut, signal)).entries);
    const open = new Map(manifest.entries.map((entry) => [entry.name, entry]));
    const isWhole = there.length === open.size && there.every((one) => isAsListed(one, open.get(one.name)));
    if (!isWhole) {
      return { path, seen: `${there.length} ${there.reduce((sum, { size }) => sum + size, 0)}` };
    }
    await this.leaveOut();
    return (await this.wrongThere()).size > 0
      ? { path, seen: '', isWrong: true }
      : { path, seen: '', root: this.nameAt(await this.name()) };
  }

  private get tree(): string {
    return `${this.manifest.root}.part-${this.set}/tree`;
  }

  /** Removes what the set leaves out, such as tokens. */
  private async leaveOut(): Promise<void> {
    const names = this.manifest.leftOut.map((name) => Buffer.from(`./${name}\0`, 'latin1'));
    await this.step('leave', ['fresh='], Readable.from([Buffer.concat(names)]), (line) => {
      if (line !== 'left') {
        throw new TransferError('');
      }
      return Promise.resolve();
    });
  }

  /** Asks what is there; `again` is sent again, and where it is fresh, all is. */
  private async ready(again: readonly ParkedPiece[] = [], isFresh = false): Promise<Ready> {
    const folders = again.length > 0 ? this.pieces.slice(-1) : [];
    const names = [...again, ...folders].map(({ file }) => file).join(' ');
    const lines: string[] = [];
    let first = '';
    await this.step(
      'ready',
      [`again='${names}'`, isFresh ? 'fresh=yes' : 'fresh='],
      undefined,
      async (line, reader) => {
        first = line;
        lines.push(...(await reader.read(answerBytes)).toString('latin1').split('\n'));
      },
    );
    const [, free] = /^place (\d{1,15})$/.exec(first) ?? [];
    const placed = placedOf(first);
    if (placed === undefined && (free === undefined || lines.at(-2) !== 'end')) {
      throw new TransferError('');
    }
    const found = (pattern: RegExp) =>
      lines.flatMap((line) => {
        const [, name, bytes] = pattern.exec(line) ?? [];
        return name === undefined ? [] : [[name, Number(bytes)] as const];
      });
    return {
      placed,
      freeBytes: Number(free) * 1024,
      done: new Set(found(/^done (\S+)$/).map(([name]) => name)),
      begun: new Map(found(/^begun (\S+) (\d{1,16})$/)),
    };
  }

  private async send({ freeBytes, done, begun }: Ready): Promise<void> {
    const todo = this.pieces.filter(({ file }) => !done.has(file));
    const sizes = new Map<ParkedPiece, number>();
    for (const piece of todo) {
      const size = await sizeOfFile(join(this.folder, piece.file));
      if (size === 0) {
        throw new UserError(
          text('The parked set lacks files: {0}', shownNames(piece.entries.map(({ name }) => name))),
        );
      }
      sizes.set(piece, size);
    }
    const sizeOf = (piece: ParkedPiece) => sizes.get(piece) ?? 0;
    const needed = todo.reduce((sum, piece) => sum + sizeOf(piece) - (begun.get(piece.file) ?? 0), 0);
    const spare = freeBytes - needed - reserveBytes;
    if (spare < 0) {
      throw diskFull(needed, freeBytes);
    }
    this.progress.restart(this.pieces.reduce((sum, one) => sum + (done.has(one.file) ? one.bytes : 0), 0));
    // What arrived of a large one is beside what is unpacked of it for a moment.
    const orders = todo.map((piece) => {
      const size = sizeOf(piece);
      const isKept = size >= keptBytes && size <= spare;
      const at = begun.get(piece.file) ?? 0;
      return { piece, whole: isKept ? size : 0, at: isKept && at <= size ? at : 0, size };
    });
    const failed = { line: '' };
    let count = 0;
    const result = await this.step('take', ['fresh='], this.archives(orders), async (line, reader) => {
      if (line !== 'take') {
        failed.line = line;
        return;
      }
      for (
        let next = await reader.until('\n', answerBytes);
        next;
        next = await reader.until('\n', answerBytes)
      ) {
        const words = next.toString('latin1');
        if (words.startsWith('done ')) {
          count += 1;
        } else {
          failed.line = words;
        }
      }
    });
    if (count < todo.length) {
      const [, free] = /^failed (\d{1,15})$/.exec(failed.line) ?? [];
      if (free !== undefined && /No space left on device|Disk quota exceeded/.test(result.stderr)) {
        throw diskFull(needed, Number(free) * 1024);
      }
      throw new TransferError(lastLines(result));
    }
  }

  private archives(
    orders: readonly {
      readonly piece: ParkedPiece;
      readonly whole: number;
      readonly at: number;
      readonly size: number;
    }[],
  ): AsyncIterable<Buffer> {
    const { folder, progress } = this;
    async function* bytes() {
      for (const { piece, whole, at, size } of orders) {
        yield Buffer.from(`${piece.file} ${size - at} ${whole}\n`);
        progress.add(at);
        if (at < size) {
          const stream: AsyncIterable<Buffer> = createReadStream(join(folder, piece.file), {
            start: at,
            end: size - 1,
            highWaterMark: 1_000_000,
          });
          for await (const part of stream) {
            progress.add(part.length);
            yield part;
          }
        }
      }
    }
    return Readable.from(bytes());
  }

  /** Has the machine list what arrived, with hashes, and returns the names that are not as in the manifest. */
  private async wrongThere(): Promise<ReadonlySet<string>> {
    const { manifest, call, signal } = this;
    const { tree } = this;
    const listed = (await listFolder(call, tree, [], signal)).entries;
    const entries = parkedEntries(listed);
    const files = entries.filter(({ kind }) => kind === 'file');
    const hashes = await hashesThere(call, tree, files, signal);
    const open = new Map(manifest.entries.map((entry) => [entry.name, entry]));
    const wrong = new Set(listed.flatMap(({ name, kind }) => (kind === 'special' ? [name] : [])));
    for (const entry of entries) {
      const expected = open.get(entry.name);
      open.delete(entry.name);
      if (!isAsListed(entry, expected) || expected?.hash !== hashes.get(entry.name)) {
        wrong.add(entry.name);
      }
    }
    [...open.keys()].forEach((name) => wrong.add(name));
    return wrong;
  }

  private async name(): Promise<number> {
    let first = '';
    const result = await this.step('name', ['fresh='], undefined, (line) => {
      first = line;
      return Promise.resolve();
    });
    const placed = placedOf(first);
    if (placed === undefined) {
      throw new TransferError(first === 'taken' ? shownName(this.manifest.root) : lastLines(result));
    }
    return placed;
  }

  private nameAt(placed: number): string {
    return placed === 1 ? this.manifest.root : `${this.manifest.root}-${placed}`;
  }

  private step(
    program: 'ready' | 'take' | 'name' | 'leave',
    before: readonly string[],
    input: AsyncIterable<Buffer> | undefined,
    read: (line: string, reader: ByteReader) => Promise<void>,
  ) {
    return runParkedStep(
      this.call,
      {
        program: parkedPrograms[program],
        root: this.manifest.root,
        before: [`set=${this.set}`, ...before],
        most: () => answerBytes,
        input,
        signal: this.signal,
      },
      async (line, reader) => {
        const place = `${this.manifest.root}.part-${this.set}`;
        if (line === 'denied') {
          throw new UserError(
            text('Could not create {0} on the instance. Check its disk and permissions.', shownName(place)),
          );
        }
        if (line === 'link') {
          throw new UserError(text('{0} is in the way on the instance. Remove it there.', shownName(place)));
        }
        await read(line, reader);
      },
    );
  }
}

function placedOf(line: string): number | undefined {
  const [, count] = /^placed ([1-9]\d?)$/.exec(line) ?? [];
  return count === undefined ? undefined : Number(count);
}

/** Compares all but the content. */
function isAsListed(entry: ParkedEntry, expected: ParkedEntry | undefined): boolean {
  return (
    expected?.kind === entry.kind &&
    (expected.mode === entry.mode || entry.kind === 'link') &&
    expected.modified === entry.modified &&
    expected.size === entry.size &&
    expected.target === entry.target
  );
}
