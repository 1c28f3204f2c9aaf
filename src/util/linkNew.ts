import { constants, copyFile, link } from 'node:fs/promises';
import { errorCode } from './errorCode';

/** Gives a complete file a second path in one step; returns false if the path exists already. */
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

/** The error codes of a file system without hard links. */
export const noHardLinks: readonly string[] = ['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP', 'EMLINK'];

/** Does the same for a file that may be copied, on file systems without hard links as well. */
export async function linkOrCopyNew(file: string, path: string, linked = linkNew): Promise<boolean> {
  try {
    return await linked(file, path);
  } catch (error) {
    if (!noHardLinks.includes(errorCode(error))) {
      throw error;
    }
  }
  try {
    await copyFile(file, path, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') {
      return false;
    }
    throw error;
  }
}
