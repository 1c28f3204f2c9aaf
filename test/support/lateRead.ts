import { execFileSync } from 'node:child_process';
import { link, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { settle } from './fakeClock';

/**
 * Has a file read twice, where the disk answers the first reading last: with what the file held before `newer`. `read`
 * begins a reading.
 */
export async function readLate(path: string, newer: string, read: () => void): Promise<void> {
  const older = await readFile(path, 'utf8');
  const pipe = `${path}.pipe`;
  await rm(path);
  execFileSync('mkfifo', [pipe]);
  await link(pipe, path);
  read();
  await writeFile(`${path}.new`, newer);
  await rename(`${path}.new`, path);
  read();
  // By then the second reading has ended, unless it waits for the first.
  for (let reads = 0; reads < 20; reads += 1) {
    await readFile(path);
  }
  const late = await open(pipe, 'r+');
  await late.writeFile(older);
  await late.close();
  await settle();
  await rm(pipe);
}
