import { UserError } from '../../../util/errors';
import { text } from '../../../util/text';
import type {
  FolderLook,
  Manifest,
  OnParkedProgress,
  ParkedEntry,
  ParkedPieces,
} from '../../model/parkedSet';
import { shownName } from '../rawPath';
import { folderLookOf } from './folderLook';
import { hashesThere, listFolder, type Listed } from './listing';
import { readManifest, writeManifest } from './manifestFile';
import type { ParkedCall } from './parkedCall';

/** What these return where they are read: the token of Hugging Face, which no set may hold. */
const secrets = /(?:^|\/)\.hf_home\/(?:token|stored_tokens)$/;
const mostNames = 5;

/** Works on one machine, by its alias, and on the folder of this computer that holds the set. */
export function createParkedPieces(
  deps: Omit<ParkedCall, 'alias'>,
  { alias, folder }: { readonly alias: string; readonly folder: string },
): Pick<ParkedPieces, 'look' | 'list' | 'saved'> {
  return new Pieces({ ...deps, alias }, folder);
}

class Pieces {
  constructor(
    private readonly call: ParkedCall,
    private readonly folder: string,
  ) {}

  async look(root: string, signal?: AbortSignal): Promise<FolderLook> {
    return folderLookOf(await listFolder(this.call, root, [], signal));
  }

  saved(): Promise<Manifest | undefined> {
    return readManifest(this.folder);
  }

  async list(
    root: string,
    leftOut: readonly string[],
    signal?: AbortSignal,
    onProgress?: OnParkedProgress,
  ): Promise<Manifest> {
    const { at, entries: all } = await listFolder(this.call, root, leftOut, signal);
    const secret = all.flatMap(({ name }) => (secrets.test(name) ? [name] : []));
    const listed = all.filter(({ name, kind }) => kind !== 'special' && !secret.includes(name));
    refuseUnreadable(listed.filter(({ isReadable }) => !isReadable));
    const entries = withHardLinks(listed);
    const files = entries.filter(({ kind }) => kind === 'file');
    const hashes = await hashesThere(this.call, root, files, signal, onProgress);
    refuseUnreadable(files.filter(({ name }) => !hashes.has(name)));
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
}

function refuseUnreadable(entries: readonly { readonly name: string }[]): void {
  if (entries.length > 0) {
    throw new UserError(
      text("Can't be read on the instance: {0}. Make it readable, or leave it out.", shownNames(entries)),
      { nextStep: 'retry' },
    );
  }
}

function shownNames(entries: readonly { readonly name: string }[]): string {
  const names = entries.slice(0, mostNames).map(({ name }) => shownName(name === '' ? '.' : name));
  return names.join(', ') + (entries.length > mostNames ? ` … (${entries.length})` : '');
}

/** Names the further names of a file as such. */
function withHardLinks(listed: readonly Listed[]): readonly ParkedEntry[] {
  const first = new Map<string, string>();
  return listed.map(({ name, kind, mode, modified, changed, size, usedBytes, inode, links, target }) => {
    const facts = { name, mode, modified, changed, inode };
    const other = first.get(inode);
    if (other !== undefined) {
      return { ...facts, kind: 'hardLink', size: 0, usedBytes: 0, target: other };
    }
    if (links > 1) {
      first.set(inode, name);
    }
    return {
      ...facts,
      kind: kind as ParkedEntry['kind'],
      size,
      usedBytes,
      ...(kind === 'link' ? { target } : {}),
    };
  });
}
