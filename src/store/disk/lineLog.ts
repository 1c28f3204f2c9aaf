import { appendFile, mkdir, readFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../util/clock';
import { fileLock } from '../../util/fileLock';
import type { Log } from '../../util/log';
import { ifPresent } from '../../util/missing';
import { FileUnreadableError } from './jsonFile';

/**
 * A log with one line of JSON for each entry, readable by this user only, to which several windows may append. Two files
 * are kept: the second begins once the first has `maxBytes`, and replaces the older one.
 */
export class LineLog {
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: string,
    private readonly deps: { readonly maxBytes: number; readonly clock: Clock; readonly log: Log },
  ) {}

  /** Appends entries in order. Never rejects, because a disk that refuses stops nothing that is written down. */
  add(entry: object): Promise<void> {
    this.last = this.last
      .then(() => this.write(`${JSON.stringify(entry)}\n`))
      .catch((error: unknown) => {
        this.deps.log.warn(`An entry could not be written down: ${String(error)}`);
      });
    return this.last;
  }

  /** Returns both files, oldest entries first. Throws `FileUnreadableError` if the disk refuses. */
  async read(): Promise<string> {
    await this.last;
    const parts = [`${this.file}.old`, this.file].map((file) => ifPresent(readFile(file, 'utf8')));
    try {
      return (await Promise.all(parts)).join('');
    } catch (error) {
      throw new FileUnreadableError(this.file, error);
    }
  }

  private async write(line: string): Promise<void> {
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    if (await this.isFull()) {
      await fileLock(
        `${this.file}.lock`,
        this.deps.clock,
      )(async () => {
        // Another window may just have done it, and the file that it began is not the older one.
        if (await this.isFull()) {
          await rename(this.file, `${this.file}.old`);
        }
      });
    }
    // One write at the end of the file, so that the lines of two windows do not mix.
    await appendFile(this.file, line, { mode: 0o600 });
  }

  private async isFull(): Promise<boolean> {
    return ((await ifPresent(stat(this.file)))?.size ?? 0) >= this.deps.maxBytes;
  }
}
