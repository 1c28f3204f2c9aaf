import { link } from 'node:fs/promises';
import { errorCode } from './errorCode';

/** Gives a complete file a second path in one step; returns false if something lies there already. */
export async function linkNew(file: string, path: string): Promise<boolean> {
  try {
    await link(file, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') {
      return false;
    }
    throw error;
  }
}
