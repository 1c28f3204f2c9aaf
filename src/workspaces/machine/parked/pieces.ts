import { createHash } from 'node:crypto';
import type { Manifest, ParkedEntry } from '../../model/parkedSet';

/** One archive of a set. */
export interface ParkedPiece {
  /** Belongs to what is in it, so that an archive of other files never counts as this one. */
  readonly file: string;
  /** In the order of the archive. */
  readonly entries: readonly ParkedEntry[];
  /** About the bytes of the archive. */
  readonly bytes: number;
}

/** The archives of a set; those of files precede that of the folders, also in the order of their names. */
export const pieceFile = /^(?:files|folders)-[0-9a-f]{24}\.tar$/;

/** A file of at least this size has an archive of its own. */
const largeBytes = 32_000_000;
/** An archive of small files may end once it has so much, and ends when it has so much. */
const least = { bytes: 64_000_000, entries: 5_000 };
const most = { bytes: 192_000_000, entries: 20_000 };

/**
 * Divides a set. Where small files are divided depends on few names only, so that most archives stay the same when a file
 * changes, appears or goes. The further names of a file are in its archive. Folders are in the last one: files that are
 * unpacked change the times of their folders.
 */
export function piecesOf({ entries }: Manifest): readonly ParkedPiece[] {
  const further = new Map<string, ParkedEntry[]>();
  for (const entry of entries) {
    if (entry.kind === 'hardLink' && entry.target !== undefined) {
      further.set(entry.target, [...(further.get(entry.target) ?? []), entry]);
    }
  }
  const pieces: ParkedPiece[] = [];
  let open: ParkedEntry[] = [];
  let bytes = 0;
  const close = () => {
    if (open.length > 0) {
      pieces.push(pieceOf('files', open));
    }
    [open, bytes] = [[], 0];
  };
  for (const entry of entries.filter(({ kind }) => kind === 'file' || kind === 'link')) {
    const names = [entry, ...(further.get(entry.name) ?? [])];
    if (entry.size >= largeBytes) {
      pieces.push(pieceOf('files', names));
      continue;
    }
    open.push(...names);
    bytes += archivedBytes(entry);
    const mayEnd = bytes >= least.bytes || open.length >= least.entries;
    if (bytes >= most.bytes || open.length >= most.entries || (mayEnd && isBorder(entry.name))) {
      close();
    }
  }
  close();
  const folders = entries.filter(({ kind }) => kind === 'folder');
  return [...pieces, pieceOf('folders', folders)];
}

function isBorder(name: string): boolean {
  return createHash('sha256').update(name, 'latin1').digest('hex').startsWith('0');
}

function pieceOf(kind: 'files' | 'folders', entries: readonly ParkedEntry[]): ParkedPiece {
  const hash = createHash('sha256');
  for (const { name, kind: one, mode, modified, size, hash: content, target } of entries) {
    hash.update(`${JSON.stringify([name, one, mode, modified, size, content, target])}\n`);
  }
  return {
    file: `${kind}-${hash.digest('hex').slice(0, 24)}.tar`,
    entries,
    bytes: entries.reduce((sum, entry) => sum + archivedBytes(entry), 0),
  };
}

/** Returns about the bytes of an entry with its headers; a file with holes has only what is on the disk. */
function archivedBytes({ size, usedBytes }: ParkedEntry): number {
  return (usedBytes < size / 2 ? usedBytes : size) + 1_536;
}

/** Returns the most bytes that an honest machine needs for an archive. */
export function mostBytesOf({ entries }: ParkedPiece): number {
  return entries.reduce(
    (sum, { size, name, target = '' }) => sum + size + 8_192 + 2 * (name.length + target.length),
    65_536,
  );
}
