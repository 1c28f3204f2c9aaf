import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Log } from '../../util/log';

/**
 * The one small file that says whether anything bills or waits, so that a starting editor knows without
 * loading the product.
 */
export class Attention {
  private written: boolean | undefined;
  private queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: string,
    private readonly log: Log,
  ) {}

  /** Writes only when the answer changes; never rejects. */
  set(needed: boolean): Promise<void> {
    if (needed === this.written) {
      return this.queue;
    }
    this.written = needed;
    this.queue = this.queue.then(() => this.write(needed));
    return this.queue;
  }

  private async write(needed: boolean): Promise<void> {
    try {
      await mkdir(dirname(this.file), { recursive: true });
      const temporary = `${this.file}.${process.pid}`;
      await writeFile(temporary, JSON.stringify({ needed }));
      await rename(temporary, this.file);
    } catch (error) {
      this.written = undefined;
      this.log.warn(`Could not note whether instances need attention: ${String(error)}`);
    }
  }
}
