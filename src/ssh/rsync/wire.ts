import type { ByteReader } from '../byteReader';
import { plainText } from '../plainText';
import { TransferError } from '../transfer';

/** The host closed the connection in the middle. */
export class EndedError extends TransferError {
  constructor() {
    super('the host ended the copy');
  }
}

/** Reads numbers as protocol 29 of rsync writes them: low byte first. Throws `EndedError` if bytes are missing. */
export class RsyncReader {
  constructor(private readonly reader: ByteReader) {}

  async bytes(length: number): Promise<Buffer> {
    const bytes = await this.reader.read(length);
    if (bytes.length < length) {
      throw new EndedError();
    }
    return bytes;
  }

  async byte(): Promise<number> {
    return (await this.bytes(1)).readUInt8();
  }

  async short(): Promise<number> {
    return (await this.bytes(2)).readUInt16LE();
  }

  async int(): Promise<number> {
    return (await this.bytes(4)).readInt32LE();
  }

  /** Reads unsigned seconds since 1970. */
  async time(): Promise<number> {
    return (await this.bytes(4)).readUInt32LE();
  }

  /** Reads four bytes, or eight after four that are all ones. */
  async long(): Promise<number> {
    const short = await this.int();
    if (short !== -1) {
      return checkSize(short);
    }
    return checkSize(Number((await this.bytes(8)).readBigInt64LE()));
  }

  /** Returns up to this many bytes, as many as are available. */
  async some(length: number): Promise<Buffer> {
    for await (const piece of this.reader.pieces(length)) {
      return piece;
    }
    throw new EndedError();
  }
}

export function ints(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeInt32LE(value, index * 4));
  return bytes;
}

function checkSize(size: number): number {
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new TransferError('the host named an impossible size');
  }
  return size;
}

const longestMessage = 2_000;

/** Yields the data of a stream that also carries messages; those are passed to `onMessage`. */
export async function* withoutMessages(
  reader: ByteReader,
  onMessage: (message: string) => void,
): AsyncGenerator<Buffer> {
  for (;;) {
    const header = await reader.read(4);
    if (header.length < 4) {
      return;
    }
    const word = header.readUInt32LE();
    const [kind, length] = [(word >>> 24) - 7, word & 0xff_ff_ff];
    if (kind < 0) {
      throw new TransferError('the host sent what is no copy');
    }
    if (kind === 0) {
      yield* reader.pieces(length);
      continue;
    }
    const message = await reader.read(length);
    // Errors, warnings and notes are text; the other messages are numbers for programs.
    if (kind <= 4) {
      onMessage(plainText(message.subarray(0, longestMessage).toString('utf8')));
    }
  }
}
