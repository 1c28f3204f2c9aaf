import type { Place } from '../../src/util/realPlace';

/** A folder that the user opened, as the place of what is read or written in it. */
export function openedFolder(path: string): Place {
  return { path, root: { opened: path } };
}
