import { readFile } from 'node:fs/promises';
import type { Log } from '../../util/log';
import { ifPresent } from '../../util/missing';
import { replaceFile } from '../../util/replaceFile';

/**
 * A small file that states whether anything costs money or is pending, so that a
 * starting editor knows without loading the whole extension.
 */
export class Attention {
  private queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: string,
    private readonly log: Log,
  ) {}

  /** Writes only a changed state: other windows write it too. Never rejects. */
  set(needed: boolean): Promise<void> {
    this.queue = this.queue.then(() => this.write(JSON.stringify({ needed })));
    return this.queue;
  }

  private async write(content: string): Promise<void> {
    try {
      if ((await ifPresent(readFile(this.file, 'utf8'))) !== content) {
        await replaceFile(this.file, content);
      }
    } catch (error) {
      this.log.warn(`Could not note whether instances need attention: ${String(error)}`);
    }
  }
}
