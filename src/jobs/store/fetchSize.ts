import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { FetchSize } from '../model/fetchSize';
import type { JobOutput } from '../model/onMachine';
import { inParallel } from '../../util/inParallel';
import type { Traffic } from './traffic';

/** Returns the bytes that a folder of this computer has room for; `undefined` if its disk does not say. */
export type FreeBytes = (folder: string) => Promise<number | undefined>;

export const freeBytes: FreeBytes = async (folder) => {
  const facts = await statfs(folder).catch(() => undefined);
  return facts && facts.bavail * facts.bsize;
};

/** The number of local files that are looked at at a time. */
const width = 8;

/** Returns what a fetch of these files into a folder would bring. */
export async function fetchSizeOf(
  free: FreeBytes | undefined,
  files: readonly JobOutput[],
  folder: string,
  traffic: Traffic,
): Promise<FetchSize> {
  let bytes = 0;
  await inParallel(files, width, async ({ path, size }) => {
    const here = await stat(join(folder, ...path.split('/'))).catch(() => undefined);
    bytes += here?.isFile() === true && here.size === size ? 0 : size;
  });
  return { bytes, traffic: traffic.costOf(bytes), freeBytes: await (free ?? freeBytes)(folder) };
}
