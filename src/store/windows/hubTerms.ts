import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../util/errorCode';
import { ifPresent } from '../../util/missing';
import { filled, type HubAddress } from './hubAddress';

/**
 * Counts how often an unresponsive leader was abandoned. Each term has its own address, because a hanging window may
 * still hold the earlier one.
 */
export class HubTerms {
  private readonly folder: string;

  constructor(storageDir: string) {
    this.folder = join(storageDir, 'windows.terms');
  }

  /** Returns the current term; 0 if no leader was ever abandoned. */
  async read(): Promise<number> {
    return Math.max(0, ...(await this.all()));
  }

  /** Ends a term for all windows; any number of windows may call it. */
  async end(term: number): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    try {
      await writeFile(join(this.folder, String(term + 1)), '', { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') {
        throw error;
      }
    }
    const over = (await this.all()).filter((one) => one <= term);
    await Promise.all(over.map((one) => rm(join(this.folder, String(one)), { force: true })));
  }

  private async all(): Promise<readonly number[]> {
    const names = (await ifPresent(readdir(this.folder))) ?? [];
    return names.filter((name) => /^\d{1,9}$/.test(name)).map(Number);
  }
}

export function addressInTerm(address: HubAddress, term: number): HubAddress {
  return term === 0
    ? address
    : { ...address, path: filled(`${address.path.replace(/(?<!\0)\0+$/, '')}-${term}`) };
}
