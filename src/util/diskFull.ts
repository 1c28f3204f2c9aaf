import { errorCode } from './errorCode';
import { text, type Text } from './text';

/** Why nothing more can be written here, and what mends it. */
export const diskFull = text('The disk of this computer is full. Free some space on it.');

/** Nothing can be written any more: the disk or what the user may use of it is full. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(errorCode(error));
}

/** True for the reason as it comes back from a file. */
export function saysDiskFull(why: Text | undefined): boolean {
  return why?.template === diskFull.template;
}
