import { constants } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifPresent, isMissing } from '../../util/missing';

export interface LogPiece {
  /** At most `logPieceBytes`. */
  readonly bytes: Buffer;
  /** The number of log bytes before this piece. */
  readonly at: number;
}

/** The most bytes of a log that are read at once or shown in a document. */
export const logPieceBytes = 2_000_000;

/**
 * The logs of jobs on this computer. Each is a row of files, named by the offset of their first byte, of which the last
 * two are kept, so that a log does not grow without a bound.
 */
export class JobLogFiles {
  constructor(
    private readonly folder: string,
    /** The size (bytes) from which a log continues in another file. */
    private readonly fileBytes: number,
  ) {}

  /** Returns the path of the whole log; `undefined` if its beginning was removed. */
  async path(jobId: string): Promise<string | undefined> {
    const starts = await this.starts(jobId);
    const [first = 0] = starts;
    return first === 0 && starts.length < 2 ? this.file(jobId, 0) : undefined;
  }

  /** Writes a piece at its offset. Later bytes were stored by a window that was killed before it noted them. */
  async write(jobId: string, at: number, piece: Buffer): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const starts = await this.starts(jobId);
    for (const later of starts.filter((one) => one > at)) {
      await rm(this.file(jobId, later), { force: true });
    }
    const kept = starts.filter((one) => one <= at);
    const last = kept.at(-1) ?? at;
    const start = at - last >= this.fileBytes ? at : last;
    const file = await open(this.file(jobId, start), constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      await file.truncate(at - start);
      await file.write(piece, 0, piece.length, at - start);
    } finally {
      await file.close();
    }
    for (const old of kept.filter((one) => one < last)) {
      await rm(this.file(jobId, old), { force: true });
    }
  }

  /** Returns a piece from an offset, or from the first byte that is left; otherwise the end. */
  async read(jobId: string, from?: number): Promise<LogPiece> {
    try {
      const starts = await this.starts(jobId);
      const last = starts.at(-1) ?? 0;
      const end = starts.length === 0 ? 0 : last + (await stat(this.file(jobId, last))).size;
      const at = Math.min(end, Math.max(starts[0] ?? 0, from ?? end - logPieceBytes));
      const bytes = Buffer.alloc(Math.min(end - at, logPieceBytes));
      let length = 0;
      for (const [index, start] of starts.entries()) {
        const next = starts[index + 1] ?? end;
        const wanted = Math.min(next - (at + length), bytes.length - length);
        length +=
          wanted > 0
            ? await this.readFile(jobId, start, at + length, bytes.subarray(length, length + wanted))
            : 0;
      }
      return { bytes: bytes.subarray(0, length), at };
    } catch (error) {
      // Another window may have removed it just now.
      if (isMissing(error)) {
        return { bytes: Buffer.alloc(0), at: from ?? 0 };
      }
      throw error;
    }
  }

  async remove(jobId: string): Promise<void> {
    for (const start of await this.starts(jobId)) {
      await rm(this.file(jobId, start), { force: true });
    }
  }

  private async readFile(jobId: string, start: number, at: number, into: Buffer): Promise<number> {
    const file = await open(this.file(jobId, start), 'r');
    try {
      return (await file.read(into, 0, into.length, at - start)).bytesRead;
    } finally {
      await file.close();
    }
  }

  /** Returns the offsets of the first bytes of its files, in order. */
  private async starts(jobId: string): Promise<readonly number[]> {
    const names = (await ifPresent(readdir(this.folder))) ?? [];
    return names
      .flatMap((name) => {
        const [, id, start = '0'] = /^([0-9a-f]{16})\.log(?:\.(\d+))?$/.exec(name) ?? [];
        return id === jobId ? [Number(start)] : [];
      })
      .sort((a, b) => a - b);
  }

  private file(jobId: string, start: number): string {
    return join(this.folder, start === 0 ? `${jobId}.log` : `${jobId}.log.${start}`);
  }
}
