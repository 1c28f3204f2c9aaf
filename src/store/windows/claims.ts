import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../util/errorCode';

/** An older claim can't matter any more; its file would only fill the disk (ms). */
const keepMs = 400 * 24 * 3_600_000;

/** Events that happen once over all windows and restarts, each marked by a file that only one window can create. */
export class Claims {
  private swept: Promise<void> | undefined;

  constructor(
    private readonly folder: string,
    private readonly now: () => number = Date.now,
  ) {}

  /** Returns true for the first claim of a key, ever. Rejects when the disk refuses, so that no window acts. */
  async claim(key: string): Promise<boolean> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const name = createHash('sha256').update(key).digest('hex').slice(0, 32);
    try {
      const file = await open(join(this.folder, name), 'wx', 0o600);
      await file.close();
      // Sweeps once per window, without waiting; files that a failed sweep leaves are swept another time.
      this.swept ??= this.sweep().catch(() => undefined);
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') {
        return false;
      }
      throw error;
    }
  }

  private async sweep(): Promise<void> {
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name);
      if (this.now() - (await stat(path)).mtimeMs > keepMs) {
        await rm(path, { force: true });
      }
    }
  }
}
