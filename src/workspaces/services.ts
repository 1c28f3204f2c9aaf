import type { Services as CoreServices } from '../services';
import type { FolderMirrors } from './model/mirror';
import type { ParkedPieces } from './model/parkedSet';

/** What the features of this wing know. */
export type Services = CoreServices & {
  readonly mirrors: FolderMirrors;
  /** Works on a machine, by its alias, and on a folder here that holds a parked set. */
  readonly parkedPieces: (alias: string, folder: string) => ParkedPieces;
};
