import { runCommand } from '../editor/commands';
import { TransferError } from '../ssh/transfer';
import type { Account } from '../store/accounts/accounts';
import { text } from '../util/text';
import { FilesChangedError } from './machine/parked/fetchPieces';
import { bytesElsewhere, type Manifest, type ParkedPieces } from './model/parkedSet';
import type { ParkedWork } from './model/parkedWork';
import type { MachineOfSet, ParkedSet } from './model/parking';
import { reachedAlias, type ReachDeps } from './reachedAlias';

/** Returns what is done with the files of a set on a machine of an account. */
export function createParkedWork(
  deps: ReachDeps,
  pieces: (alias: string) => ParkedPieces,
  account: Account,
  { root, leftOut, host, from }: ParkedSet,
  { instanceId }: MachineOfSet,
): ParkedWork {
  const alias = deps.ssh.aliasOf(account, instanceId);
  const own = pieces(alias);
  const reached = async (signal: AbortSignal) => {
    await reachedAlias(deps, account, instanceId, signal);
    return own;
  };
  /** Without the list, nothing that is here counts. */
  const withList = async (action: (list: Manifest) => Promise<readonly string[]>) => {
    const manifest = await own.saved();
    return manifest ? action(manifest) : [''];
  };
  const listed = async (): Promise<Manifest> => {
    const manifest = await own.saved();
    if (!manifest) {
      throw new TransferError(text('The list of its files is missing or damaged.'));
    }
    return manifest;
  };
  // A window hangs on host and path, so a folder with another path gets no window of the old one.
  const nameHost = async (placed: string | undefined) => {
    if (host !== undefined && placed === root) {
      await runCommand('gpuRental.instance.nameHost', { instanceId, host, oldId: from.instanceId });
    }
  };
  return {
    list: async (signal) => {
      const { entries } = await (await reached(signal)).list(root, leftOut, signal);
      const files = entries.filter(({ kind }) => kind === 'file');
      return {
        files: files.length,
        bytes: bytesElsewhere(files),
      };
    },
    fetch: (onMoved, signal) =>
      withList(async (list) => {
        try {
          await (await reached(signal)).fetch(list, onMoved, signal);
          return [];
        } catch (error) {
          if (error instanceof FilesChangedError) {
            return error.names;
          }
          throw error;
        }
      }),
    lacking: (signal, isFetchedAgain) => withList((list) => own.proveHere(list, signal, isFetchedAgain)),
    changed: (signal) => withList(async (list) => (await reached(signal)).changedSince(list, signal)),
    hold: (signal) => own.hold(signal),
    carry: async (step, signal) => {
      const carried = await (await reached(signal)).carry(await listed(), step, signal);
      await nameHost(carried.root);
      return carried;
    },
    place: async (onMoved, signal) => {
      const manifest = await listed();
      const placed = await (await reached(signal)).place(manifest, onMoved, signal);
      await nameHost(placed.root);
      return placed;
    },
  };
}
