import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './removeFolder';

/** An empty folder for each test, which is removed after it. */
export function useFolder(take: (folder: string) => void): void {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gpu-rental-test-'));
    take(folder);
  });
  afterEach(() => removeFolder(folder));
}
