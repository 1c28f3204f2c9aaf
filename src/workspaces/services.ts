import type { Services as CoreServices } from '../services';
import type { Account } from '../store/accounts/accounts';
import type { FolderMirrors } from './model/mirror';
import type { FolderLook } from './model/parkedSet';
import type { Parkings } from './store/parkings';

/** What the features of this wing know. */
export type Services = CoreServices & {
  readonly mirrors: FolderMirrors;
  readonly parkings: Parkings;
  /** Returns what of a set is missing or damaged on this computer; '' for its list. */
  readonly provedHere: (setId: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Looks at a folder of a machine, by its alias and a raw path, before it is saved. */
  readonly lookAtFolder: (alias: string, root: string, signal: AbortSignal) => Promise<FolderLook>;
  /** Looks at a folder of an instance that can't start, through its host. */
  readonly lookAtServed: (
    account: Account,
    instanceId: number,
    root: string,
    signal: AbortSignal,
  ) => Promise<FolderLook>;
};
