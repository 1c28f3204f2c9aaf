import type { ServedInstance } from '../ssh/hostDownload';
import { changedServed, listServed, saveServed, type ServedFolder } from './machine/parked/servedFolder';
import type { ParkedPieces } from './model/parkedSet';
import type { ParkedWork } from './model/parkedWork';
import type { ParkedSet } from './model/parking';

/** Returns the work on a set whose old machine can't start: its host serves the files. All else is as for any set. */
export function createRescuedWork(
  work: ParkedWork,
  served: ServedInstance,
  own: Pick<ParkedPieces, 'saved'>,
  setFolder: string,
  { root, leftOut }: ParkedSet,
): ParkedWork {
  const folder: ServedFolder = { served, root, leftOut };
  return {
    ...work,
    list: async (signal) => {
      const files = (await listServed(folder, signal)).filter(({ kind }) => kind === 'file');
      return { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
    },
    fetch: (onProgress, signal) => saveServed(folder, setFolder, { onProgress, signal }),
    changed: async (signal) => {
      const manifest = await own.saved();
      return manifest ? changedServed(folder, manifest, signal) : [''];
    },
  };
}
