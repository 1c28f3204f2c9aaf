import { createReadStream } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { ByteReader } from '../../../ssh/byteReader';
import type { TarBytes } from '../../../ssh/tar';
import { ifPresent } from '../../../util/missing';

const heldBytes = 1_000_000;

/** An archive that grows: what is on the disk is read first, then what arrives, which is written behind it. */
export class PartFile implements TarBytes {
  private readonly begun: ByteReader;
  private readonly onDisk: Readable | undefined;
  private held: Buffer[] = [];
  private heldSize = 0;
  private writing: Promise<unknown> = Promise.resolve();
  private taken = 0;
  private written: number;
  /** The stream ended before what was to be read. */
  isCut = false;

  private constructor(
    private readonly handle: FileHandle,
    path: string,
    private readonly size: number,
    private readonly arriving: ByteReader,
    /** Called before a write. */
    private readonly beforeWrite: (bytes: number) => Promise<void>,
  ) {
    this.onDisk = size > 0 ? createReadStream(path, { end: size - 1, highWaterMark: heldBytes }) : undefined;
    this.begun = new ByteReader(this.onDisk ?? Readable.from([]));
    this.written = size;
  }

  static async open(
    path: string,
    size: number,
    arriving: ByteReader,
    beforeWrite: (bytes: number) => Promise<void>,
  ): Promise<PartFile> {
    return new PartFile(await open(path, size > 0 ? 'r+' : 'w', 0o600), path, size, arriving, beforeWrite);
  }

  async read(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.pieces(length)) {
      pieces.push(piece);
    }
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  }

  async *pieces(length: number): AsyncGenerator<Buffer> {
    let left = length;
    while (left > 0) {
      const isBegun = this.taken < this.size;
      const wanted = isBegun ? Math.min(left, this.size - this.taken) : left;
      let got = 0;
      for await (const piece of (isBegun ? this.begun : this.arriving).pieces(wanted)) {
        got += piece.length;
        this.taken += piece.length;
        if (!isBegun) {
          await this.keep(piece);
        }
        yield piece;
      }
      if (got < wanted) {
        this.isCut = true;
        return;
      }
      left -= got;
    }
  }

  /** Cuts off what a damaged disk has behind an archive that was read to its end. */
  async trim(): Promise<void> {
    if (this.taken < this.size) {
      await this.handle.truncate(this.taken);
    }
  }

  /** Writes what is held, and closes; the bytes are on the disk then. */
  async close(): Promise<void> {
    this.onDisk?.destroy();
    try {
      await this.flush();
      await this.writing;
      await this.handle.sync();
    } finally {
      await this.handle.close();
    }
  }

  private async keep(piece: Buffer): Promise<void> {
    this.held.push(piece);
    this.heldSize += piece.length;
    if (this.heldSize >= heldBytes) {
      await this.flush();
    }
  }

  /** The next write begins when the last one has ended, while more bytes arrive. */
  private async flush(): Promise<void> {
    const [held, size, at] = [this.held, this.heldSize, this.written];
    if (size === 0) {
      return;
    }
    await this.writing;
    await this.beforeWrite(size);
    [this.held, this.heldSize, this.written] = [[], 0, at + size];
    const bytes = Buffer.concat(held);
    const writing = this.writeAll(bytes, at);
    // It is thrown by the next flush.
    writing.catch(() => undefined);
    this.writing = writing;
  }

  private async writeAll(bytes: Buffer, at: number): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await this.handle.write(bytes, done, bytes.length - done, at + done);
      done += bytesWritten;
    }
  }
}

/** Returns the bytes of a file; 0 where there is none. */
export async function sizeOfFile(path: string): Promise<number> {
  return (await ifPresent(stat(path)))?.size ?? 0;
}
