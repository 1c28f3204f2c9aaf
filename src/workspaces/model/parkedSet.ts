/** Names and link targets are raw: one character (U+0000–U+00FF) for each byte; relative to the root, '' is the root. */
export interface ParkedEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'hardLink';
  /** Permission bits. */
  readonly mode: number;
  /** Seconds since 1970, with nanoseconds: `1700000000.123456789`. */
  readonly modified: string;
  /** Bytes of a file; 0 for everything else. */
  readonly size: number;
  /** Bytes on the disk there; much less than the size where a file has holes. */
  readonly usedBytes: number;
  /** SHA-256 of a file. */
  readonly hash?: string;
  /** Of a link; of a hard link the first name. */
  readonly target?: string;
  /** When the machine's disk last noted a change, and the number of the file there; for `changedSince`. */
  readonly changed: string;
  readonly inode: string;
}

/** What a set consists of, parents before what is in them. */
export interface Manifest {
  /** Absolute there, raw. */
  readonly root: string;
  /** Names below the root that are no part of the set, with all that is in them. */
  readonly leftOut: readonly string[];
  /** When it was listed, in seconds since 1970 by the clock of the machine. */
  readonly listedAt: number;
  readonly entries: readonly ParkedEntry[];
}

export interface SparseFile {
  readonly name: string;
  readonly size: number;
  readonly usedBytes: number;
}

/** A folder before anything of it is saved. */
export interface FolderLook {
  readonly files: number;
  /** Of all files, caches included. */
  readonly bytes: number;
  readonly usedBytes: number;
  /** What programs fetch or make again, the largest first; none is in another. */
  readonly caches: readonly { readonly name: string; readonly bytes: number }[];
  readonly unreadable: readonly string[];
  /** Tokens, which no set holds. */
  readonly secrets: readonly string[];
  /** Sockets, pipes and devices, which no set holds. */
  readonly special: readonly string[];
  readonly sparse: readonly SparseFile[];
  /** Files by which git notes that it is at work: a lock, a rebase, a merge. */
  readonly gitAtWork: readonly string[];
  /** It, or a folder in it, is on another disk than the machine's own, where other instances may write. */
  readonly isSharedVolume: boolean;
}

type Sized = Pick<ParkedEntry, 'size' | 'usedBytes'>;

/** Whether most of a file is holes, on a disk that does not compress. */
export function isSparse({ size, usedBytes }: Sized): boolean {
  // One with fewer bytes missing is not worth a question.
  return size - usedBytes > 1_000_000 && usedBytes < size / 2;
}

/**
 * Whether the disk of files compresses them: a file there takes fewer blocks than it has bytes without a hole, and needs
 * all of them on another disk.
 */
export function isCompressedDisk(files: readonly Sized[], unlessShown: boolean): boolean {
  // Smaller ones may be kept beside their name.
  const telling = files.filter((file) => file.size >= 4096 && !isSparse(file));
  return telling.length === 0
    ? unlessShown
    : telling.filter(({ size, usedBytes }) => usedBytes >= size).length < telling.length * 0.9;
}

/** Returns the bytes that files take on any disk: without holes, where those are known. */
export function bytesElsewhere(files: readonly Sized[]): number {
  const isCompressed = isCompressedDisk(files, true);
  return files.reduce(
    (sum, file) => sum + (!isCompressed && isSparse(file) ? Math.min(file.size, file.usedBytes) : file.size),
    0,
  );
}

/** Bytes that were there already count as done. */
export interface ParkedProgress {
  readonly bytes: number;
  readonly totalBytes: number;
}

export type CarryStep = 'begin' | 'look' | 'drop';
export interface Carried {
  /** Where the service copies to, with a slash at its end. */
  readonly path: string;
  /** The folder, once all of it was proved to be there. */
  readonly root?: string | undefined;
  /** Changes while more arrives. */
  readonly seen: string;
  /** All has arrived, and is not as listed. */
  readonly isWrong?: boolean;
}

export type OnParkedProgress = (progress: ParkedProgress) => void;

/** Works on one machine and one folder of this computer that holds a set. */
export interface ParkedPieces {
  /** Reads, and changes nothing. */
  look(root: string, signal?: AbortSignal): Promise<FolderLook>;
  /**
   * Lists with hashes, and writes the list beside the pieces. Files that can't be read are an error unless they are left out.
   */
  list(
    root: string,
    leftOut: readonly string[],
    signal?: AbortSignal,
    onProgress?: OnParkedProgress,
  ): Promise<Manifest>;
  /** Returns the list beside the pieces; `undefined` where there is none, or a damaged one. */
  saved(): Promise<Manifest | undefined>;
  /** Returns the names that are not what they were when they were listed. */
  changedSince(manifest: Manifest, signal?: AbortSignal): Promise<readonly string[]>;
  /**
   * Fetches what lacks here, and proves each piece by the hashes of its files. Throws `FilesChangedError` for files that
   * twice were not what the manifest has; everything else is there then.
   */
  fetch(manifest: Manifest, onProgress?: OnParkedProgress, signal?: AbortSignal): Promise<void>;
  /**
   * Reads all that is here, and returns what lacks or is wrong; '' for the list. Needs no machine. With `isFetchedAgain`,
   * the next `fetch` mends that.
   */
  proveHere(manifest: Manifest, signal?: AbortSignal, isFetchedAgain?: boolean): Promise<readonly string[]>;
  /** Has a timer on the machine wait some minutes longer. */
  hold(signal?: AbortSignal): Promise<void>;
  /**
   * What the service copies to a machine: makes its place, or drops what is there. `look` proves by the hashes of the list
   * what arrived, and gives it its name.
   */
  carry(manifest: Manifest, step: CarryStep, signal?: AbortSignal): Promise<Carried>;
  /**
   * Sends the set, has the machine list it with hashes, and only then gives it its name: the root, or one beside it where
   * the root is not empty.
   */
  place(
    manifest: Manifest,
    onProgress?: OnParkedProgress,
    signal?: AbortSignal,
  ): Promise<{ readonly root: string }>;
}

/** Whether a path names a folder that another instance can have: not the root of a disk, and no way through others. */
export function canBeParked(path: string): boolean {
  const parts = path
    .replace(/(?<!\/)\/+$/, '')
    .split('/')
    .slice(1);
  return parts.length > 0 && !parts.some((part) => part === '' || part === '.' || part === '..');
}
