import type { ByteReader } from './byteReader';
import { isPrivateMode } from './transfer';

/** One entry of an archive. */
export interface TarEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'hardLink' | 'other';
  /** Bytes of a file; 0 for everything else. */
  readonly size: number;
  /** Seconds since 1970. */
  readonly modified: number;
  /** The target of a link, as it is in the archive. */
  readonly target: string;
  readonly isPrivate: boolean;
  readonly mode: number;
  /** The pax attributes, as they are in the archive. */
  readonly attributes: Readonly<Partial<Record<string, string>>>;
}

export interface ReadTarOptions {
  /** By default `utf8`; `latin1` keeps each byte of names and attributes as one character. */
  readonly encoding?: 'utf8' | 'latin1';
  /** Ends after the blocks that end the first archive, and does not read on. */
  readonly isOne?: boolean;
}

/** What an archive is read from. */
export type TarBytes = Pick<ByteReader, 'read' | 'pieces'>;

/** The stream is not an archive, or a damaged one. */
export class TarError extends Error {
  override readonly name = 'TarError';
}

const blockBytes = 512;
/** The most bytes of a name or of a list of attributes; a machine that sends more is not trusted. */
const longestName = 65_536;

/** The most blocks of zeros at a time: each archive ends with some, up to the size of a record. */
const mostZeros = 4_096;

const kinds: ReadonlyMap<string, TarEntry['kind']> = new Map([
  ['0', 'file'],
  ['\0', 'file'],
  ['7', 'file'],
  ['1', 'hardLink'],
  ['2', 'link'],
  ['5', 'folder'],
]);

/**
 * Reads concatenated archives until the stream ends: old tar, ustar, GNU's long names and pax attributes. `body`
 * receives the content of a file; unread content is skipped.
 */
export async function readTar(
  bytes: TarBytes,
  body: (entry: TarEntry, content: AsyncGenerator<Buffer>) => Promise<void>,
  { encoding = 'utf8', isOne = false }: ReadTarOptions = {},
): Promise<void> {
  let zeros = 0;
  let more: Partial<Record<string, string>> = {};
  for (;;) {
    const header = await bytes.read(blockBytes);
    if (header.length === 0) {
      return;
    }
    if (header.length < blockBytes) {
      throw new TarError('The archive ends within a header');
    }
    if (header.every((byte) => byte === 0)) {
      zeros += 1;
      if (isOne && zeros === 2) {
        return;
      }
      if (zeros > mostZeros) {
        throw new TarError('The archive does not end');
      }
      continue;
    }
    zeros = 0;
    checkSum(header);
    const type = String.fromCharCode(header[156] ?? 0);
    const { path, linkpath, size, mtime } = more;
    const length = size === undefined ? number(header, 124, 12) : Number(size);
    if (!Number.isSafeInteger(length) || length < 0) {
      throw new TarError('The archive gives a size that is none');
    }
    if (type === 'L' || type === 'K' || type === 'x' || type === 'g') {
      const value = await extra(bytes, length);
      if (type === 'L') {
        more['path'] = upToZero(value, encoding);
      } else if (type === 'K') {
        more['linkpath'] = upToZero(value, encoding);
      } else if (type === 'x') {
        more = { ...more, ...attributes(value, encoding) };
      }
      continue;
    }
    const entry: TarEntry = {
      name: path ?? nameOf(header, encoding),
      kind: kinds.get(type) ?? 'other',
      size: type === '1' || type === '2' || type === '5' ? 0 : length,
      modified: Math.floor(mtime === undefined ? number(header, 136, 12) : Number(mtime)),
      target: linkpath ?? upToZero(header.subarray(157, 257), encoding),
      isPrivate: isPrivateMode(number(header, 100, 8)),
      mode: number(header, 100, 8) & 0o7777,
      attributes: more,
    };
    more = {};
    await readBody(bytes, entry, body);
  }
}

async function readBody(
  bytes: TarBytes,
  entry: TarEntry,
  body: (entry: TarEntry, content: AsyncGenerator<Buffer>) => Promise<void>,
): Promise<void> {
  let remaining = entry.size;
  async function* content() {
    for await (const piece of bytes.pieces(entry.size)) {
      remaining -= piece.length;
      yield piece;
    }
  }
  await body(entry, content());
  const padding = paddingOf(entry.size);
  for await (const piece of bytes.pieces(remaining + padding)) {
    remaining -= piece.length;
  }
  if (remaining > -padding) {
    throw new TarError('The archive ends within a file');
  }
}

async function extra(bytes: TarBytes, length: number): Promise<Buffer> {
  if (length > longestName) {
    throw new TarError('A name in the archive is too long');
  }
  const value = await bytes.read(length + paddingOf(length));
  return value.subarray(0, length);
}

function paddingOf(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}

/** Parses octal digits or, if the first bit is set, a binary number. */
function number(header: Buffer, start: number, length: number): number {
  const field = header.subarray(start, start + length);
  if (((field[0] ?? 0) & 0x80) !== 0) {
    return field.subarray(1).reduce((value, byte) => value * 256 + byte, 0);
  }
  const digits = upToZero(field).trim();
  return digits === '' ? 0 : /^[0-7]+$/.test(digits) ? parseInt(digits, 8) : Number.NaN;
}

function upToZero(field: Buffer, encoding: BufferEncoding = 'utf8'): string {
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? field.length : end).toString(encoding);
}

function nameOf(header: Buffer, encoding: BufferEncoding): string {
  const name = upToZero(header.subarray(0, 100), encoding);
  // GNU's own format stores times in place of the prefix.
  const isPosix = header.subarray(257, 263).toString('latin1') === 'ustar\0';
  const prefix = isPosix ? upToZero(header.subarray(345, 500), encoding) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Parses `length key=value` lines, each as long as it states. */
function attributes(value: Buffer, encoding: BufferEncoding): Partial<Record<string, string>> {
  const found: Partial<Record<string, string>> = {};
  for (let at = 0; at < value.length;) {
    const blank = value.indexOf(0x20, at);
    const length = Number(value.subarray(at, blank).toString('latin1'));
    const end = at + length;
    const [, key, text] = /^([^=]*)=([^]*)\n$/.exec(value.subarray(blank + 1, end).toString(encoding)) ?? [];
    const isWhole = blank >= 0 && end > blank && end <= value.length;
    if (!isWhole || key === undefined || text === undefined) {
      throw new TarError("The archive has attributes that can't be read");
    }
    found[key] = text;
    at = end;
  }
  return found;
}

function checkSum(header: Buffer): void {
  if (number(header, 148, 8) !== sumOf(header)) {
    throw new TarError('What comes is no archive');
  }
}

/** Returns the sum of all bytes, counting those of the checksum itself as blanks. */
function sumOf(header: Buffer): number {
  let sum = 0;
  for (let index = 0; index < header.length; index += 1) {
    sum += index >= 148 && index < 156 ? 0x20 : (header[index] ?? 0);
  }
  return sum;
}

export interface NewTarEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link';
  readonly size: number;
  readonly modified: number;
  readonly mode: number;
  readonly target?: string;
}

/**
 * Returns the header of one entry in GNU's format, which the tars of GNU, BSD and busybox read. With `latin1`, names and
 * targets have one character for each byte.
 */
export function tarHeader(entry: NewTarEntry, encoding: 'utf8' | 'latin1' = 'utf8'): Buffer {
  const { kind, target = '', ...facts } = entry;
  const [name, link] = [Buffer.from(entry.name, encoding), Buffer.from(target, encoding)];
  return Buffer.concat([
    ...longName('L', name),
    ...longName('K', link),
    block({ ...facts, name, target: link, type: { file: '0', folder: '5', link: '2' }[kind] }),
  ]);
}

/** Returns the padding after the content of a file. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc(paddingOf(size));
}

export const tarEnd: Buffer = Buffer.alloc(2 * blockBytes);

function longName(type: 'L' | 'K', name: Buffer): readonly Buffer[] {
  if (name.length <= 100) {
    return [];
  }
  const [marker, size] = [Buffer.from('././@LongLink'), name.length + 1];
  const header = block({ name: marker, type, size, modified: 0, mode: 0o644 });
  return [header, name, Buffer.alloc(1), tarPadding(size)];
}

interface Block extends Omit<NewTarEntry, 'kind' | 'name' | 'target'> {
  readonly name: Buffer;
  readonly target?: Buffer;
  readonly type: string;
}

function block(entry: Block): Buffer {
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, at: number, length: number) => {
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, length, 'latin1');
  };
  entry.name.copy(header, 0, 0, 100);
  octal(entry.mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  if (entry.size < 8 ** 11) {
    octal(entry.size, 124, 12);
  } else {
    // More than octal digits hold is a binary number.
    header.writeUInt8(0x80, 124);
    header.writeBigUInt64BE(BigInt(entry.size), 128);
  }
  octal(Math.max(0, entry.modified), 136, 12);
  header.write(entry.type, 156, 'latin1');
  entry.target?.copy(header, 157, 0, 100);
  header.write('ustar  \0', 257, 'latin1');
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}
