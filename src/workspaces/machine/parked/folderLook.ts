import { basename } from 'node:path/posix';
import { isCompressedDisk, isSparse, type FolderLook } from '../../model/parkedSet';
import type { FolderListing, Listed } from './listing';
import { tokenNames } from './parkedEntries';

/** Folders that programs fetch or make again. */
const cacheNames = new Set([
  'node_modules',
  '__pycache__',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.ipynb_checkpoints',
  '.hf_home',
  '.cache',
]);
/** Environments of Python, by what their programs put into them. */
const environmentNames = new Set(['.venv', 'venv']);
const environmentMarks = ['pyvenv.cfg', 'conda-meta'];
/** Pointers that the service's images put into the work folder at every start. */
const pointers = new Set(['AGENTS.md', 'CLAUDE.md']);
const gitMarks =
  /(?:^|\/)\.git(?:\/(?:modules|worktrees)\/.+)?\/(?:[^/]+\.lock|rebase-merge|rebase-apply|MERGE_HEAD|CHERRY_PICK_HEAD|REVERT_HEAD|BISECT_LOG)$/;
/** Says what a listed folder holds. */
export function folderLookOf(root: string, { entries, isOtherDisk }: FolderListing): FolderLook {
  const files = entries.filter(({ kind }) => kind === 'file');
  const isCompressed = isCompressedDisk(files, false);
  const named = (some: readonly Listed[]) => some.map(({ name }) => name);
  return {
    files: files.length,
    bytes: sum(files, 'size'),
    usedBytes: sum(files, 'usedBytes'),
    caches: cachesOf(entries),
    unreadable: named(entries.filter(({ isReadable }) => !isReadable)),
    special: named(entries.filter(({ kind }) => kind === 'special')),
    sparse: files.filter((file) => !isCompressed && isSparse(file)),
    secrets: tokenNames(root, entries),
    gitAtWork: named(entries.filter(({ name }) => gitMarks.test(name))),
    isSharedVolume: isOtherDisk,
  };
}

function sum(files: readonly Listed[], what: 'size' | 'usedBytes'): number {
  return files.reduce((all, file) => all + file[what], 0);
}

function cachesOf(entries: readonly Listed[]): FolderLook['caches'] {
  const caches = new Map<string, number>();
  const names = new Set(entries.map(({ name }) => name));
  /** A package of the user may be called `venv` as well. */
  const isCache = (name: string) =>
    cacheNames.has(basename(name)) ||
    (environmentNames.has(basename(name)) && environmentMarks.some((mark) => names.has(`${name}/${mark}`)));
  let open: string | undefined;
  // What is in a folder need not follow it at once: `a-b` is between `a` and `a/b`.
  const byFolder = entries.map((entry) => ({ ...entry, at: `${entry.name}/` }));
  for (const { name, kind, size, at, target } of byFolder.sort((one, other) =>
    one.at < other.at ? -1 : 1,
  )) {
    if (open !== undefined && at.startsWith(open)) {
      caches.set(open, (caches.get(open) ?? 0) + size);
    } else if (kind === 'folder' && isCache(name)) {
      open = at;
      caches.set(at, 0);
    } else if (kind === 'link' && pointers.has(basename(name)) && target.startsWith('/etc/')) {
      caches.set(at, 0);
    }
  }
  return [...caches]
    .map(([at, bytes]) => ({ name: at.slice(0, -1), bytes }))
    .sort((one, other) => other.bytes - one.bytes);
}
