import { actingPart } from '../util/actingNames';
import { ByteReader } from './byteReader';
import { quoteForShell } from './commandLine';
import { canBeNamed, sameNameKey } from './fileTree';
import type { RunOptions, RunResult } from './run';
import {
  beginMark,
  beginScript,
  isPrivateMode,
  lastLines,
  reasons,
  runStep,
  TransferError,
  zeroEnded,
  type LeftOut,
  type TransferDeps,
  type Version,
} from './transfer';

/** One name on the machine. */
export interface RemoteEntry extends Version {
  /** The name below the listed folder, with forward slashes. */
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** True for a file that its owner can execute. */
  readonly isExecutable?: true;
  /** Whether only its owner can read it there, if the list states it. */
  readonly isPrivate?: boolean;
}

export interface RemoteTree {
  readonly entries: readonly RemoteEntry[];
  /** Names that the machine could not, or must not, list. */
  readonly leftOut: readonly LeftOut[];
}

/** Returns the listed names, after their parent folders. */
export function treeOf(
  entries: readonly RemoteEntry[],
  /** Folders that only their owner can read there. */
  privateFolders: ReadonlySet<string> = new Set(),
): RemoteTree {
  const folders = new Set(entries.flatMap(({ name }) => parentsOf(name)));
  return {
    entries: [
      ...[...folders].sort().map((name) => ({
        name,
        kind: 'folder' as const,
        size: 0,
        modified: 0,
        isPrivate: privateFolders.has(name),
      })),
      ...entries,
    ],
    leftOut: [],
  };
}

function parentsOf(name: string): readonly string[] {
  const steps = name.split('/');
  return steps.slice(1).map((_, index) => steps.slice(0, index + 1).join('/'));
}

/** Leaves out names that this computer can't use, or would confuse with another file. */
export function possibleHere({ entries, leftOut }: RemoteTree, platform: NodeJS.Platform): RemoteTree {
  const taken = new Map<string, string>();
  const more: LeftOut[] = [];
  const possible = entries.filter(({ name }) => {
    const key = sameNameKey(name, platform);
    const other = taken.get(key);
    if (!canBeNamed(name, platform)) {
      more.push({ name, why: reasons.windowsName });
    } else if (other !== undefined) {
      more.push({ name, why: reasons.sameName(other) });
    } else {
      taken.set(key, name);
      return true;
    }
    return false;
  });
  return { entries: possible, leftOut: [...leftOut, ...more] };
}

/** Leaves out what a program on this computer acts on by its name; a folder once, with all that is in it. */
export function withoutActing({ entries, leftOut }: RemoteTree): RemoteTree {
  const acting = new Set<string>();
  const others = entries.filter(({ name, kind }) => {
    const part = actingPart(name, kind);
    if (part !== undefined) {
      acting.add(part);
    }
    return part === undefined;
  });
  return {
    entries: others,
    leftOut: [...leftOut, ...[...acting].map((name) => ({ name, why: reasons.acts }))],
  };
}

/** No path contains two slashes in a row, so they separate the records for any names. */
const record = "'//%f %s %Y %n'";
const longestRecord = 65_536;
/** A machine that lists more is not trusted, to protect this computer's memory. */
const mostEntries = 2_000_000;

/** Lists everything at and below `name` in a folder of the machine; the first component may be a link. */
export async function remoteTree(
  deps: TransferDeps,
  alias: string,
  folder: string,
  name: string,
  signal: AbortSignal | undefined,
): Promise<RemoteTree> {
  const root = quoteForShell(`./${name}`);
  const script = [
    'export LC_ALL=C',
    `cd ${quoteForShell(folder)} || exit 3`,
    beginScript,
    `stat -L -c ${record} ${root} || exit 4`,
    `find -H ${root} -mindepth 1 -exec stat -c ${record} {} +`,
  ];
  const entries: RemoteEntry[] = [];
  const leftOut: LeftOut[] = [];
  const result = await askForRecords(deps, alias, script, { signal }, (entry) => {
    const why = remoteProblem(entry, name);
    if (why) {
      leftOut.push({ name: entry.name, why });
    } else {
      entries.push(entry);
    }
  });
  if (entries.length === 0) {
    throw new TransferError(lastLines(result));
  }
  return { entries, leftOut: [...leftOut, ...unreadable(result, name)] };
}

/** Returns the facts of the given names that exist in a folder of the machine, which is created if it is missing. */
export async function remoteFacts(
  deps: TransferDeps,
  alias: string,
  folder: string,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, RemoteEntry>> {
  const script = [
    'export LC_ALL=C',
    `mkdir -p -- ${quoteForShell(folder)} && cd ${quoteForShell(folder)} || exit 3`,
    beginScript,
    `xargs -0 stat -c ${record} 2>/dev/null`,
    // 123: some names don't exist. A higher code means that nothing was read.
    'code=$?; [ "$code" -le 123 ] || { echo "stat: $code" >&2; exit 5; }',
  ];
  const found = new Map<string, RemoteEntry>();
  const result = await askForRecords(deps, alias, script, { signal, input: zeroEnded(names) }, (entry) => {
    found.set(entry.name, entry);
  });
  if (result.code !== 0) {
    throw new TransferError(lastLines(result));
  }
  return found;
}

/** The most bytes of hashes that are read; more files than that can't be proved so. */
const mostHashBytes = 100_000_000;

/** Returns the SHA-256 of files in a folder of the machine; none where no program computes them. */
export async function remoteHashes(
  deps: TransferDeps,
  alias: string,
  folder: string,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, string>> {
  const script = [
    'export LC_ALL=C',
    `cd ${quoteForShell(folder)} || exit 3`,
    beginScript,
    'xargs -0 sha256sum 2>/dev/null',
  ];
  let lines: readonly string[] = [];
  await runStep(deps, alias, script.join('\n'), {
    signal,
    input: zeroEnded(names),
    output: async (bytes) => {
      const reader = new ByteReader(bytes);
      if (await reader.until(beginMark, longestRecord)) {
        lines = (await reader.read(mostHashBytes)).toString('utf8').split('\n');
      }
      await reader.drain();
    },
  });
  return new Map(lines.map(hashOf));
}

/**
 * Parses `<hash> ./name`, with a star if OpenSSL hashed; GNU's program puts a backslash before a line with escapes.
 */
export function hashOf(line: string): readonly [name: string, hash: string] {
  const [, escaped, hash = '', found = ''] = /^(\\?)([0-9a-f]{64}) [ *](?:\.\/)?(.*)$/.exec(line) ?? [];
  return [escaped === '\\' ? found.replace(/\\(.)/g, '$1') : found, hash];
}

/** Reads the records after the mark; returns false if one of them can't be parsed. */
async function readRecords(
  bytes: AsyncIterable<Buffer>,
  add: (entry: RemoteEntry) => void,
): Promise<boolean> {
  const reader = new ByteReader(bytes);
  let isWhole = (await reader.until(beginMark, longestRecord)) !== undefined;
  let next = isWhole ? await reader.until('//', longestRecord) : undefined;
  for (let count = 1; next && isWhole; count += 1) {
    next = await reader.until('//', longestRecord);
    const entry = parseRecord(next ?? (await reader.read(longestRecord)));
    isWhole = entry !== undefined && count <= mostEntries;
    if (entry) {
      add(entry);
    }
  }
  await reader.drain();
  return isWhole;
}

/** Runs a script that prints records. */
async function askForRecords(
  deps: TransferDeps,
  alias: string,
  script: readonly string[],
  options: Pick<RunOptions, 'signal' | 'input'>,
  add: (entry: RemoteEntry) => void,
): Promise<RunResult> {
  const read = { isWhole: false };
  const result = await runStep(deps, alias, script.join('\n'), {
    ...options,
    output: async (bytes) => {
      read.isWhole = await readRecords(bytes, add);
    },
  });
  if (!read.isWhole) {
    throw new TransferError(lastLines(result));
  }
  return result;
}

/** Parses `81a4 12 1700000000 ./name` and a line end; a name that is not UTF-8 stays readable. */
export function parseRecord(bytes: Buffer): RemoteEntry | undefined {
  const [, mode, size, modified, name] =
    /^([0-9a-f]{1,8}) (\d{1,16}) (-?\d{1,16}) (?:\.\/|(?=\/))([^]+)\n$/.exec(bytes.toString('utf8')) ?? [];
  if (mode === undefined || name === undefined) {
    return undefined;
  }
  const bits = parseInt(mode, 16);
  const kind = kindOf(bits);
  return {
    name,
    kind,
    size: Number(size),
    modified: Number(modified),
    isPrivate: isPrivateMode(bits),
    ...(kind === 'file' && (bits & executableBit) !== 0 ? { isExecutable: true } : {}),
  };
}

/** The bit of a mode for the owner. */
export const executableBit = 0o100;

function kindOf(mode: number): RemoteEntry['kind'] {
  const kinds: Readonly<Record<number, RemoteEntry['kind']>> = { 0x8: 'file', 0x4: 'folder', 0xa: 'link' };
  return kinds[mode >> 12] ?? 'other';
}

/**
 * Returns the problem of a name. Names come from an untrusted machine: none may lead out of the folder, or differ
 * from the requested one.
 */
export function remoteProblem({ name, kind }: RemoteEntry, root: string): LeftOut['why'] | undefined {
  const parts = name.split('/');
  if (parts[0] !== root || parts.some((part) => ['', '.', '..'].includes(part)) || name.includes('\0')) {
    return reasons.hostileName;
  }
  if (name.includes('\uFFFD')) {
    return reasons.notUtf8;
  }
  return kind === 'other' ? reasons.noFile : undefined;
}

/** Returns folders that could not be read; those that disappeared since don't count. */
function unreadable({ code, stderr }: RunResult, root: string): readonly LeftOut[] {
  if (code === 0) {
    return [];
  }
  const lines = stderr.split('\n').filter((line) => /^(?:find|stat): /.test(line));
  const found = lines
    .filter((line) => !line.includes('No such file or directory'))
    .map((line) => {
      const [, name = root, reason = line] = /^(?:find|stat): [^/]*\.\/(.+?)['’]?: (.+)$/.exec(line) ?? [];
      return { name, why: reasons.said(reason) };
    });
  // An unexplained exit code leaves open what else exists.
  return found.length > 0 || lines.length > 0
    ? found
    : [{ name: root, why: reasons.said(lastLines({ stderr })) }];
}
