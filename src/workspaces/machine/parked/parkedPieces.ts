import { runStep } from '../../../ssh/transfer';
import { UserError } from '../../../util/errors';
import { text } from '../../../util/text';
import type {
  Carried,
  CarryStep,
  FolderLook,
  Manifest,
  OnParkedProgress,
  ParkedEntry,
  ParkedPieces,
} from '../../model/parkedSet';
import { FilesChangedError, PieceFetch, type FreeHere } from './fetchPieces';
import { folderLookOf } from './folderLook';
import { hashesThere, listFolder, type Listed } from './listing';
import { readManifest, writeManifest } from './manifestFile';
import type { ParkedCall } from './parkedCall';
import { parkedEntries, tokenNames } from './parkedEntries';
import { PiecePlacement } from './placePieces';
import { parkedPrograms } from './programs';
import { proveHere } from './proveHere';
import { shownNames } from './shownNames';

/** A change within this time (s) may have left the times as they were. */
const sameMomentS = 2;
/** A machine that does not answer within this time delays no copy of the service. */
const holdMs = 10_000;

/** Works on one machine, by its alias, and on the folder of this computer that holds the set. */
export function createParkedPieces(
  { free, ...deps }: Omit<ParkedCall, 'alias'> & { readonly free?: FreeHere },
  { alias, folder }: { readonly alias: string; readonly folder: string },
): ParkedPieces {
  return new Pieces({ ...deps, alias }, folder, free);
}

class Pieces implements ParkedPieces {
  constructor(
    private readonly call: ParkedCall,
    private readonly folder: string,
    private readonly free: FreeHere | undefined,
  ) {}

  async look(root: string, signal?: AbortSignal): Promise<FolderLook> {
    return folderLookOf(root, await listFolder(this.call, root, [], signal));
  }

  saved(): Promise<Manifest | undefined> {
    return readManifest(this.folder);
  }

  async list(
    folder: string,
    leftOut: readonly string[],
    signal?: AbortSignal,
    onProgress?: OnParkedProgress,
  ): Promise<Manifest> {
    const root = folder.replace(/(?<=[^/])\/+$/, '');
    const { at, entries: all } = await listFolder(this.call, root, leftOut, signal);
    const secret = tokenNames(root, all);
    const listed = all.filter(({ name }) => !secret.includes(name));
    refuseUnreadable(listed.filter(({ isReadable, kind }) => !isReadable && kind !== 'special'));
    const entries = parkedEntries(listed);
    const files = entries.filter(({ kind }) => kind === 'file');
    const hashes = await hashesThere(this.call, root, files, signal, onProgress);
    const gone = files.flatMap(({ name }) => (hashes.has(name) ? [] : [name]));
    if (gone.length > 0) {
      throw new FilesChangedError(gone);
    }
    const manifest = {
      root,
      leftOut: [...leftOut, ...secret],
      listedAt: at,
      entries: entries.map((entry) => {
        const hash = hashes.get(entry.name);
        return hash === undefined ? entry : { ...entry, hash };
      }),
    };
    await writeManifest(this.folder, manifest);
    return manifest;
  }

  async changedSince({ root, leftOut, listedAt, entries }: Manifest, signal?: AbortSignal) {
    const now = (await listFolder(this.call, root, leftOut, signal)).entries.filter(
      ({ kind }) => kind !== 'special',
    );
    const before = new Map(entries.map((entry) => [entry.name, entry]));
    const changed = new Set(before.keys());
    const open: Listed[] = [];
    for (const entry of now) {
      const known = before.get(entry.name);
      if (!known || !isSameThere(entry, known)) {
        changed.add(entry.name);
      } else {
        changed.delete(entry.name);
        if (known.hash !== undefined && Number(known.changed) > listedAt - sameMomentS) {
          open.push(entry);
        }
      }
    }
    const hashes = open.length === 0 ? new Map() : await hashesThere(this.call, root, open, signal);
    open
      .filter(({ name }) => hashes.get(name) !== before.get(name)?.hash)
      .forEach(({ name }) => changed.add(name));
    return [...changed];
  }

  fetch(manifest: Manifest, onProgress?: OnParkedProgress, signal?: AbortSignal): Promise<void> {
    return new PieceFetch(this.call, this.folder, manifest, onProgress, signal, this.free).run();
  }

  async hold(signal?: AbortSignal): Promise<void> {
    await runStep(this.call, this.call.alias, parkedPrograms.hold, {
      signal,
      timeoutMs: holdMs,
      isLook: true,
    });
  }

  place(manifest: Manifest, onProgress?: OnParkedProgress, signal?: AbortSignal) {
    return new PiecePlacement(this.call, this.folder, manifest, onProgress, signal).run();
  }

  carry(manifest: Manifest, step: CarryStep, signal?: AbortSignal): Promise<Carried> {
    return new PiecePlacement(this.call, this.folder, manifest, undefined, signal).carry(step);
  }

  proveHere(manifest: Manifest, signal?: AbortSignal, isFetchedAgain?: boolean): Promise<readonly string[]> {
    return proveHere(this.folder, manifest, signal, isFetchedAgain);
  }
}

/** Compares what the disk there states of a name; the times of the machine are compared with each other only. */
function isSameThere(entry: Listed, known: ParkedEntry): boolean {
  const kind = known.kind === 'hardLink' ? entry.kind : known.kind;
  const size = known.kind === 'hardLink' ? entry.size : known.size;
  return (
    entry.kind === kind &&
    entry.size === size &&
    entry.modified === known.modified &&
    entry.changed === known.changed &&
    entry.inode === known.inode
  );
}

function refuseUnreadable(entries: readonly { readonly name: string }[]): void {
  const names = entries.map(({ name }) => name);
  if (names.length > 0) {
    throw new UserError(
      text("Can't be read on the instance: {0}. Make it readable, or leave it out.", shownNames(names)),
      { nextStep: 'retry' },
    );
  }
}
