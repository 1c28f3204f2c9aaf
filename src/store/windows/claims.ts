import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../jsonFile';

/** Things that happen once over all windows and restarts, each marked by a file that only one can create. */
export class Claims {
  constructor(private readonly folder: string) {}

  /** True for the first who asks for a key, ever. Rejects when the disk refuses: then nobody may act. */
  async claim(key: string): Promise<boolean> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const name = createHash('sha256').update(key).digest('hex').slice(0, 32);
    try {
      const file = await open(join(this.folder, name), 'wx', 0o600);
      await file.close();
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') {
        return false;
      }
      throw error;
    }
  }
}
