/** Reads a stream of bytes in portions of a requested size. */
export class ByteReader {
  private readonly source: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(bytes: AsyncIterable<Buffer>) {
    this.source = bytes[Symbol.asyncIterator]();
  }

  /** Returns the next `length` bytes; fewer only at the end of the stream. */
  async read(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.pieces(length)) {
      pieces.push(piece);
    }
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  }

  /** Yields the next `length` bytes in pieces, for content that is too large for memory. */
  async *pieces(length: number): AsyncGenerator<Buffer> {
    let remaining = length;
    while (remaining > 0 && (await this.fill())) {
      const piece = this.rest.subarray(0, remaining);
      this.rest = this.rest.subarray(piece.length);
      remaining -= piece.length;
      yield piece;
    }
  }

  /**
   * Returns the bytes before the mark and skips the mark. Returns `undefined` if the stream ends or `limit` is
   * exceeded first; no bytes are lost then.
   */
  async until(mark: string, limit: number): Promise<Buffer | undefined> {
    for (;;) {
      const at = this.rest.indexOf(mark);
      if (at >= 0) {
        const before = this.rest.subarray(0, at);
        this.rest = this.rest.subarray(at + Buffer.byteLength(mark));
        return before;
      }
      const value = this.rest.length > limit ? undefined : await this.next();
      if (!value) {
        return undefined;
      }
      this.rest = this.rest.length === 0 ? value : Buffer.concat([this.rest, value]);
    }
  }

  /** Reads to the end and discards the bytes, so that the program behind the stream can exit. */
  async drain(): Promise<void> {
    while (await this.fill()) {
      this.rest = Buffer.alloc(0);
    }
  }

  private async fill(): Promise<boolean> {
    while (this.rest.length === 0) {
      const value = await this.next();
      if (!value) {
        return false;
      }
      this.rest = value;
    }
    return true;
  }

  private async next(): Promise<Buffer | undefined> {
    const result = await this.source.next();
    return result.done === true ? undefined : result.value;
  }
}
