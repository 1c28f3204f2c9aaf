import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemClock, wait, type Clock } from './clock';
import { errorCode } from './errorCode';

const heldMs = [10, 20, 50, 100, 200, 500, 1000, 2000];

/** Retries an action on a file: virus scanners and editors on Windows hold files open for a short time. */
export async function whileHeld<T>(clock: Clock, action: () => Promise<T>): Promise<T> {
  for (const delayMs of heldMs) {
    try {
      return await action();
    } catch (error) {
      if (!['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error))) {
        throw error;
      }
      await wait(clock, delayMs);
    }
  }
  return action();
}

/** Replaces a file with a finished one (mode 0600); readers see the old or the new content, never a part. */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  parts: { readonly clock: Clock; readonly rename: typeof rename } = { clock: systemClock, rename },
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await whileHeld(parts.clock, () => parts.rename(temporary, path));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
