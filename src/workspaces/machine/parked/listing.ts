import type { ByteReader } from '../../../ssh/byteReader';
import { lastLines, TransferError, zeroEnded } from '../../../ssh/transfer';
import { UserError } from '../../../util/errors';
import { text } from '../../../util/text';
import type { OnParkedProgress } from '../../model/parkedSet';
import { shownName } from '../rawPath';
import { leaveOut, runParkedStep, type ParkedCall } from './parkedCall';
import { parkedPrograms } from './programs';

/** One name there. */
export interface Listed {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'special';
  readonly isReadable: boolean;
  readonly mode: number;
  readonly size: number;
  readonly usedBytes: number;
  readonly inode: string;
  /** Names of the file. */
  readonly links: number;
  readonly modified: string;
  readonly changed: string;
  readonly target: string;
}

export interface FolderListing {
  /** Seconds, by the clock of the machine. */
  readonly at: number;
  /** It, or a folder in it, is not on the disk of the machine's root folder. */
  readonly isOtherDisk: boolean;
  /** Sorted by their bytes, so that parents precede what is in them. */
  readonly entries: readonly Listed[];
}

/** A machine that lists more is not trusted, to protect this computer's memory. */
const mostEntries = 2_000_000;
const mostBytes = 2_000_000_000;
const longest = 65_536;
/** Each of these is hashed by a core of its own. */
const largeBytes = 16_000_000;

/** A name that no machine may have leads out of the folder, or below something that is no folder. */
class HostileNameError extends UserError {
  constructor(name: string) {
    super(text('The instance lists a name that leads elsewhere: {0}', shownName(name)));
  }
}

/** Lists a folder with everything in it. */
export async function listFolder(
  call: ParkedCall,
  root: string,
  leftOut: readonly string[],
  signal?: AbortSignal,
): Promise<FolderListing> {
  let head: RegExpExecArray | null = null;
  const entries: Listed[] = [];
  let end: string | undefined;
  const step = {
    program: parkedPrograms.list,
    root,
    before: leaveOut(leftOut),
    most: () => mostBytes,
    signal,
  };
  const result = await runParkedStep(call, step, async (line, reader) => {
    head = /^list (\d+\.\d+) (\d+)$/.exec(line);
    end = await readListing(reader, (entry) => entries.push(entry));
  });
  const [, at, ofMachine] = (head as RegExpExecArray | null) ?? [];
  // What was removed since is no fault, and what can't be read is marked.
  const isExplained = result.stderr
    .split('\n')
    .every((line) => line === '' || /: (?:Permission denied|No such file or directory)$/.test(line));
  if (at === undefined || !(end === 'end 0' || (end === 'end 1' && isExplained))) {
    throw new TransferError(lastLines(result));
  }
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  checkNames(entries);
  const isOtherDisk = entries.some(
    ({ kind, inode }) => kind === 'folder' && !inode.startsWith(`${ofMachine}:`),
  );
  return { at: Number(at), isOtherDisk, entries };
}

/** Reads records until the last line, which it returns. */
async function readListing(reader: ByteReader, add: (entry: Listed) => void): Promise<string | undefined> {
  for (let count = 0; ; count += 1) {
    const facts = await reader.until('\0', longest);
    if (!facts) {
      return /^(end \d+)\n$/.exec((await reader.read(64)).toString('latin1'))?.[1];
    }
    const target = await reader.until('\0', longest);
    const entry = target && parseListed(facts.toString('latin1'), target.toString('latin1'));
    if (!entry || count >= mostEntries) {
      return undefined;
    }
    add(entry);
  }
}

const kinds: Readonly<Record<string, Listed['kind']>> = { f: 'file', d: 'folder', l: 'link' };
const record =
  /^([r-])([a-zA-Z?]) ([0-7]{1,5}) (\d{1,16}) (\d{1,16}) (\d{1,20}:\d{1,20}) (\d{1,10}) (-?\d{1,12}(?:\.\d+)?) (-?\d{1,12}(?:\.\d+)?) \.(?:\/([^]+))?$/;

function parseListed(facts: string, target: string): Listed | undefined {
  const [
    ,
    flag,
    type = '',
    mode = '',
    size,
    blocks,
    inode = '',
    links,
    modified = '',
    changed = '',
    name = '',
  ] = record.exec(facts) ?? [];
  if (flag === undefined) {
    return undefined;
  }
  const kind = kinds[type] ?? 'special';
  const isFile = kind === 'file';
  return {
    name,
    kind,
    isReadable: flag === 'r',
    mode: parseInt(mode, 8),
    size: isFile ? Number(size) : 0,
    usedBytes: isFile ? Number(blocks) * 512 : 0,
    inode,
    links: kind === 'folder' ? 1 : Number(links),
    modified: exactTime(modified),
    changed: exactTime(changed),
    target: kind === 'link' ? target : '',
  };
}

/** Returns seconds with nine digits after the point. */
export function exactTime(seconds: string): string {
  const [whole = '', part = ''] = seconds.split('.');
  return `${whole}.${part.slice(0, 9).padEnd(9, '0')}`;
}

/** Each name is there once, below folders of the list. @throws HostileNameError */
export function checkNames(entries: readonly Listed[]): void {
  const folders = new Set<string>();
  let last: string | undefined;
  for (const { name, kind } of entries) {
    const parts = name.split('/');
    const isPlain = name === '' || !parts.some((part) => part === '' || part === '.' || part === '..');
    const isBelow = name === '' ? kind === 'folder' : folders.has(parts.slice(0, -1).join('/'));
    if (!isPlain || !isBelow || name === last) {
      throw new HostileNameError(name);
    }
    if (kind === 'folder') {
      folders.add(name);
    }
    last = name;
  }
}

/** Returns the SHA-256 of files, without those that can't be read or are gone. */
export async function hashesThere(
  call: ParkedCall,
  root: string,
  files: readonly Pick<Listed, 'name' | 'size'>[],
  signal?: AbortSignal,
  onProgress?: OnParkedProgress,
): Promise<ReadonlyMap<string, string>> {
  const open = new Map(files.map(({ name, size }) => [name, size]));
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
  const hashes = new Map<string, string>();
  let bytes = 0;
  const bySize = [...files].sort((one, other) => other.size - one.size).map(({ name }) => name);
  const large = bySize.filter((name) => (open.get(name) ?? 0) >= largeBytes);
  const nameBytes = large.reduce((sum, name) => sum + name.length + 3, 0);
  await runParkedStep(
    call,
    {
      program: parkedPrograms.hash,
      root,
      before: [`large=${nameBytes}`],
      input: zeroEnded(bySize, 'latin1'),
      most: () => mostBytes,
      signal,
    },
    async (_, reader) => {
      for (let line = await reader.until('\n', longest); line; line = await reader.until('\n', longest)) {
        const [name, hash] = hashLine(line.toString('latin1'));
        const size = open.get(name);
        if (size !== undefined && hash !== '' && !hashes.has(name)) {
          hashes.set(name, hash);
          bytes += size;
          onProgress?.({ bytes, totalBytes });
        }
      }
    },
  );
  return hashes;
}

/** Parses `<hash>  ./name`; GNU's program puts a backslash before a line with escapes. */
function hashLine(line: string): readonly [name: string, hash: string] {
  const [, escaped, hash = '', found = ''] = /^(\\?)([0-9a-f]{64}) [ *]\.\/([^]*)$/.exec(line) ?? [];
  const characters: Readonly<Record<string, string>> = { n: '\n', r: '\r' };
  const plain = (_: string, code: string) => characters[code] ?? code;
  return [escaped === '\\' ? found.replace(/\\([^])/g, plain) : found, hash];
}
