import { isPrivateMode, TransferError, type Version } from '../transfer';
import { EndedError, type RsyncReader } from './wire';

/** A file in the host's list. */
export interface ListedFile extends Version {
  /** The path below the requested folder, as bytes: a machine may use names that are not UTF-8. */
  readonly path: Buffer;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** The target of a link. */
  readonly target?: string;
  /** The same, with one character for each byte. */
  readonly rawTarget?: string;
  /** Permission bits. */
  readonly mode: number;
  /** Whether only its owner can read it. */
  readonly isPrivate: boolean;
}

const flag = { sameMode: 2, extended: 4, sameName: 32, longName: 64, sameTime: 128 } as const;

/** A host that lists more is not trusted, to protect this computer's memory. */
const mostFiles = 2_000_000;
const longestPath = 4096;

/**
 * Reads the list of protocol 29 (docs/service/commands.md#copy-to-this-computer), in the order by which both sides
 * number the files.
 */
export async function readFileList(reader: RsyncReader): Promise<readonly ListedFile[]> {
  const files: ListedFile[] = [];
  let last = { path: Buffer.alloc(0) as Buffer, modified: 0, mode: 0 };
  for (;;) {
    let flags = await reader.byte();
    if (flags === 0) {
      break;
    }
    if ((flags & flag.extended) !== 0) {
      flags |= (await reader.byte()) << 8;
    }
    const shared = (flags & flag.sameName) === 0 ? 0 : await reader.byte();
    const more = (flags & flag.longName) === 0 ? await reader.byte() : await reader.int();
    if (more < 0 || shared > last.path.length || shared + more > longestPath || files.length >= mostFiles) {
      throw new TransferError('the host sent an impossible list');
    }
    const path = Buffer.concat([last.path.subarray(0, shared), await reader.bytes(more)]);
    const size = await reader.long();
    const modified = (flags & flag.sameTime) === 0 ? await reader.time() : last.modified;
    const mode = (flags & flag.sameMode) === 0 ? await reader.int() : last.mode;
    last = { path, modified, mode };
    const kind = kindOf(mode);
    const target = kind === 'link' ? await readTarget(reader) : undefined;
    const isPrivate = isPrivateMode(mode);
    const targets = target && { target: target.toString('utf8'), rawTarget: target.toString('latin1') };
    files.push({ path, kind, size, modified, mode: mode & 0o7777, isPrivate, ...targets });
  }
  // If the host could not read everything, the list does not contain all outputs of a job.
  if ((await reader.int()) !== 0) {
    throw new EndedError();
  }
  return files.sort(inOrder);
}

async function readTarget(reader: RsyncReader): Promise<Buffer> {
  const length = await reader.int();
  if (length < 0 || length > longestPath) {
    throw new TransferError('the host sent an impossible list');
  }
  return reader.bytes(length);
}

function kindOf(mode: number): ListedFile['kind'] {
  const format = mode & 0o170_000;
  return format === 0o100_000
    ? 'file'
    : format === 0o040_000
      ? 'folder'
      : format === 0o120_000
        ? 'link'
        : 'other';
}

const slash = Buffer.from('/');

/** Compares two files: in each folder first non-folders, then folders with their content, both by their bytes. */
function inOrder(one: ListedFile, other: ListedFile): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  for (let index = 0; ; index += 1) {
    const [left, right] = [a[index], b[index]];
    if (!left || !right) {
      return (left ? 1 : 0) - (right ? 1 : 0);
    }
    const difference = Number(left.isFolder) - Number(right.isFolder) || left.name.compare(right.name);
    if (difference !== 0) {
      return difference;
    }
  }
}

interface Part {
  readonly name: Buffer;
  readonly isFolder: boolean;
}

/** Returns the parts of a path; the requested folder has none, so it comes first. */
function partsOf({ path, kind }: ListedFile): readonly Part[] {
  if (path.length === 1 && path[0] === 0x2e) {
    return [];
  }
  const parts: Part[] = [];
  let from = 0;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', from)) {
    parts.push({ name: path.subarray(from, at + 1), isFolder: true });
    from = at + 1;
  }
  const name = path.subarray(from);
  const isFolder = kind === 'folder';
  return [...parts, { name: isFolder ? Buffer.concat([name, slash]) : name, isFolder }];
}
