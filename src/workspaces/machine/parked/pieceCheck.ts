import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { ByteReader } from '../../../ssh/byteReader';
import { readTar, TarError, type TarBytes, type TarEntry } from '../../../ssh/tar';
import { TransferError } from '../../../ssh/transfer';
import { text } from '../../../util/text';
import type { ParkedEntry } from '../../model/parkedSet';
import { shownName } from '../rawPath';
import { exactTime } from './listing';
import type { ParkedPiece } from './pieces';

/** The archive has what was not asked for. */
export class UnaskedError extends TransferError {
  constructor(name: string) {
    super(text('The instance sent {0}, which was not asked for.', shownName(name)));
  }
}

/** What follows a wrong file of an archive can't be read, or is not worth it. */
export class PieceBrokenError extends Error {}

/** `tar` fills its archives up to this. */
export const recordBytes = 64 * 512;
const zeros = Buffer.alloc(1_000_000);
/** So many bytes are hashed before the process has time for other work. */
const atOnce = 64;

/**
 * Compares one archive with the manifest while its bytes pass, to the end of its last record. Returns the names that are
 * wrong or missing.
 * @throws UnaskedError, and PieceBrokenError with the name in `wrong`.
 */
export async function checkPiece(
  bytes: TarBytes,
  { entries }: ParkedPiece,
  wrong: Set<string>,
  onBytes: (count: number) => void = () => undefined,
): Promise<void> {
  const position = new Map(entries.map(({ name }, index) => [name, index]));
  let next = 0;
  let taken = 0;
  const count = (length: number) => {
    taken += length;
    onBytes(length);
  };
  const counted: TarBytes = {
    read: async (length) => {
      const piece = await bytes.read(length);
      count(piece.length);
      return piece;
    },
    pieces: async function* (length) {
      for await (const piece of bytes.pieces(length)) {
        count(piece.length);
        yield piece;
      }
    },
  };
  const skipTo = (end: number) => {
    entries.slice(next, end).forEach(({ name }) => wrong.add(name));
    next = end;
  };
  try {
    await readTar(
      counted,
      async (entry, content) => {
        const name = rawName(entry.attributes['GNU.sparse.name'] ?? entry.name);
        const at = position.get(name);
        const expected = at === undefined ? undefined : entries[at];
        if (at === undefined || at < next || !expected) {
          throw new UnaskedError(name);
        }
        skipTo(at);
        next += 1;
        if (!isSame(entry, expected)) {
          wrong.add(name);
          // Of a file that grew, nothing is worth its bytes.
          if (entry.size > expected.size) {
            throw new PieceBrokenError();
          }
        } else if (entry.kind === 'file' && (await hashOfContent(entry, content)) !== expected.hash) {
          wrong.add(name);
        }
      },
      { encoding: 'latin1', isOne: true },
    );
  } catch (error) {
    if (error instanceof TarError) {
      const [unread] = entries.slice(Math.max(0, next - 1));
      wrong.add(unread?.name ?? '');
      throw new PieceBrokenError(error.message);
    }
    throw error;
  }
  skipTo(entries.length);
  const rest = (recordBytes - (taken % recordBytes)) % recordBytes;
  if ((await counted.read(rest)).length < rest) {
    throw new PieceBrokenError();
  }
}

function rawName(path: string): string {
  return path.replace(/^\.(?:\/|$)/, '').replace(/\/$/, '');
}

function isSame(entry: TarEntry, expected: ParkedEntry): boolean {
  const { kind, mode, modified, size, target = '' } = expected;
  const time = exactTime(entry.attributes['mtime'] ?? String(entry.modified));
  const linked =
    entry.kind === 'hardLink' ? rawName(entry.target) : entry.kind === 'link' ? entry.target : '';
  const realSize = Number(entry.attributes['GNU.sparse.realsize'] ?? entry.size);
  return (
    entry.kind === kind &&
    // A link has no bits of its own.
    (entry.mode === mode || kind === 'link') &&
    time === modified &&
    realSize === size &&
    linked === target
  );
}

async function hashOfContent(entry: TarEntry, content: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  const isSparse = entry.attributes['GNU.sparse.major'] === '1';
  for await (const piece of isSparse ? withHoles(entry, content) : content) {
    hash.update(piece);
  }
  return hash.digest('hex');
}

/** Yields a file with its holes filled (format 1.0 of GNU: a map of what is there, in whole blocks, then what is there). */
async function* withHoles(entry: TarEntry, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const reader = new ByteReader(content);
  let mapBytes = 0;
  const number = async () => {
    const digits = (await reader.until('\n', 1_024))?.toString('latin1') ?? '';
    mapBytes += digits.length + 1;
    if (!/^\d{1,16}$/.test(digits)) {
      throw new TarError('The archive has a file with holes that no one can read');
    }
    return Number(digits);
  };
  const parts: (readonly [at: number, length: number])[] = [];
  for (let left = await number(); left > 0; left -= 1) {
    parts.push([await number(), await number()]);
  }
  await reader.read(blockRest(mapBytes));
  const size = Number(entry.attributes['GNU.sparse.realsize']);
  let at = 0;
  for (const [start, length] of [...parts, [size, 0] as const]) {
    if (start < at || start + length > size) {
      throw new TarError('The archive has a file with holes that no one can read');
    }
    for (let steps = 1; at < start; steps += 1) {
      const hole = zeros.subarray(0, start - at);
      at += hole.length;
      yield hole;
      if (steps % atOnce === 0) {
        await setImmediate();
      }
    }
    for await (const piece of reader.pieces(length)) {
      at += piece.length;
      yield piece;
    }
    await reader.read(blockRest(length));
  }
}

function blockRest(length: number): number {
  return (512 - (length % 512)) % 512;
}
