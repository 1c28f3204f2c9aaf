import { rmSync } from 'node:fs';
import { until } from './until';

/** Removes a folder into which a process that is just ending may still put a file. */
export async function removeFolder(folder: string): Promise<void> {
  await until(`the removal of ${folder}`, () => {
    try {
      rmSync(folder, { recursive: true, force: true });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOTEMPTY') {
        return false;
      }
      throw error;
    }
  });
}
