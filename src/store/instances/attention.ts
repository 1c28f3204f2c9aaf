import type { Log } from '../../util/log';
import { replaceFile } from '../jsonFile';

/**
 * A small file that says whether anything costs money or is pending, so that a starting editor knows without loading
 * the whole extension.
 */
export class Attention {
  private written: boolean | undefined;
  private queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: string,
    private readonly log: Log,
  ) {}

  /** Writes only if the answer changed; never rejects. */
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
      await replaceFile(this.file, JSON.stringify({ needed }));
    } catch (error) {
      this.written = undefined;
      this.log.warn(`Could not note whether instances need attention: ${String(error)}`);
    }
  }
}
