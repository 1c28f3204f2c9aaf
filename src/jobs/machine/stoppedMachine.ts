import { createHash } from 'node:crypto';
import { fetchServed, type ServedInstance } from '../../ssh/hostDownload';
import { treeOf } from '../../ssh/remoteTree';
import { copyFromDaemon } from '../../ssh/rsync/daemonCopy';
import type { ListedFile } from '../../ssh/rsync/fileList';
import { TransferError, type LeftOut } from '../../ssh/transfer';
import type { Place } from '../../util/realPlace';
import { text } from '../../util/text';
import type { MoveOptions, Moved, StoppedMachine } from '../model/jobMachine';
import type { JobCheck, JobOutput, JobOutputs } from '../model/onMachine';
import { readCheck } from './jobCheck';
import { problemOf, readOutputs } from './jobOutputs';
import { checkHex } from './machineCall';
import { listStoppedJobs } from './otherJobs';
import { matcherOf } from './outputPatterns';

export interface StoppedMachineDeps extends ServedInstance {
  /** Called once all that is needed of the machine is on this computer. */
  readonly onFetched: () => void;
}

/** The files of the runner next to the files of a job; all are small except the log. */
const notes = ['phase', 'exit', 'beat', 'times', 'outputs.list', 'log', 'log.1', 'log.base'];
/** The most bytes of a log that are fetched from a stopped machine: its end is the most useful. */
const mostLog = 16_000_000;
const mostNote = 100_000_000;

interface Folder {
  readonly files: readonly ListedFile[];
  readonly notes: ReadonlyMap<string, Buffer>;
}

/** Returns the stopped machine of a job, whose files the host serves. */
export function createStoppedMachine(deps: StoppedMachineDeps): StoppedMachine {
  // The files do not change while the machine is stopped.
  const read = new Map<string, Promise<Folder>>();
  const folderOf = (id: string, signal: AbortSignal | undefined) => {
    const known = read.get(id) ?? readFolder(deps, id, signal);
    read.set(id, known);
    known.catch(() => read.delete(id));
    return known;
  };
  return {
    check: async (id, offset, _maxBytes, signal) =>
      checkOf(await folderOf(id, signal), offset, deps.clock.now()),
    outputs: async (id, patterns, signal) => outputsOf(await folderOf(id, signal), patterns),
    jobsThere: (signal) => listStoppedJobs(deps.open, { module: deps.module, folder: jobsPath, signal }),
    fetch: async (id, list, into, options = {}) =>
      fetchListed(deps, id, await folderOf(id, options.signal), list, into, options),
    // A stopped machine can't be marked.
    markFetched: () => {
      deps.onFetched();
      return Promise.resolve();
    },
  };
}

/** The folder of the jobs in the home of `root`, the user of every instance. */
const jobsPath = '/root/.gpu-rental/jobs';

function jobPath(id: string): string {
  return `${jobsPath}/${checkHex(id)}`;
}

async function readFolder(
  { open, module }: StoppedMachineDeps,
  id: string,
  signal: AbortSignal | undefined,
): Promise<Folder> {
  let listed: readonly ListedFile[] = [];
  const found = new Map<string, Buffer>();
  await copyFromDaemon(open, {
    module,
    folder: jobPath(id),
    signal,
    choose: (files) => {
      listed = files;
      return files.filter(
        ({ path, kind, size }) =>
          kind === 'file' && size <= mostNote && notes.includes(path.toString('utf8')),
      );
    },
    write: async ({ path }, content) => {
      const pieces: Buffer[] = [];
      for await (const piece of content) {
        pieces.push(piece);
      }
      found.set(path.toString('utf8'), Buffer.concat(pieces));
    },
  });
  return { files: listed, notes: found };
}

/** Returns the same answer as a running machine, so that the same rules parse it. */
async function checkOf({ files, notes: found }: Folder, offset: number, now: number): Promise<JobCheck> {
  const plain = (name: string) =>
    (found.get(name) ?? Buffer.alloc(0))
      .subarray(0, 64)
      .toString('latin1')
      .replace(/[^\w. -]/g, '');
  // Like `check.sh`: a start that was only reserved has started nothing.
  const phase = plain('phase');
  const isBegun = phase !== '' && !phase.startsWith('reserved');
  const before = files.some(({ path }) => path.toString('utf8') === 'src') ? 'synced' : 'none';
  const base = Number(/^\d{1,15}/.exec(plain('log.base'))?.[0] ?? 0);
  const older = found.get('log.1') ?? Buffer.alloc(0);
  const log = Buffer.concat([older, found.get('log') ?? Buffer.alloc(0)]);
  const start = base - older.length;
  const end = start + log.length;
  const from = Math.min(Math.max(offset, start, end - mostLog), end);
  const piece = log.subarray(from - start);
  const lines = [
    `phase ${isBegun ? phase : before}`,
    `exit ${plain('exit')}`,
    `beat ${plain('beat')}`,
    `times ${plain('times')}`,
    // Its clock can't be read; it is that of its host.
    `now ${Math.floor(now / 1000)}`,
    ...(found.has('outputs.list') ? ['listed'] : []),
    ...(files.some(({ path }) => path.toString('utf8') === 'pid') ? ['begun'] : []),
    `base ${base}`,
    `log ${from} ${piece.length}`,
    '',
  ];
  const parts = [Buffer.from(lines.join('\n')), piece, Buffer.from(`base ${base}\n`)];
  const check = await readCheck(Buffer.concat(parts));
  if (!check) {
    throw unreadable();
  }
  return check;
}

/**
 * Returns the list that the machine made; if the job was cut off before that, what its patterns match now, without
 * hashes.
 */
function outputsOf({ files, notes: found }: Folder, patterns: readonly string[]): JobOutputs {
  const isListed = files.some(({ path }) => path.toString('utf8') === 'outputs.list');
  if (isListed) {
    // A missing or implausibly large list is no permission to continue without hashes.
    const outputs = readOutputs(found.get('outputs.list') ?? Buffer.alloc(0), patterns);
    if (!outputs) {
      throw unreadable();
    }
    return outputs;
  }
  const matches = matcherOf(patterns);
  const named: JobOutput[] = [];
  const leftOut = new Map<string, LeftOut>(
    patterns
      .filter((pattern) => pattern.startsWith('/'))
      .map((name) => [name, { name, why: needsStart }] as const),
  );
  for (const { name, file } of sourceFiles(files)) {
    const { kind, size, modified, isPrivate } = file;
    if (kind === 'folder' || !matches(name)) {
      continue;
    }
    const problem = problemOf({ name, kind }, matches);
    if (problem) {
      leftOut.set(problem.name, problem);
    } else if (kind !== 'other') {
      named.push({ path: name, kind, size, modified, ...(isPrivate ? { isPrivate } : {}) });
    }
  }
  const hash = createHash('sha256').update(JSON.stringify(named)).digest('hex');
  return { files: named, leftOut: [...leftOut.values()], hash, areHashed: false };
}

const needsStart = text('only a start of the instance can fetch it');
const prefix = 'src/';

/** Yields the files in the folder in which the job ran. */
function* sourceFiles(files: readonly ListedFile[]) {
  for (const file of files) {
    const path = file.path.toString('utf8');
    if (path.startsWith(prefix)) {
      yield { name: path.slice(prefix.length), file };
    }
  }
}

/** Fetches what the list names; the rest of a stopped machine stays unread. */
async function fetchListed(
  deps: StoppedMachineDeps,
  id: string,
  folder: Folder,
  list: JobOutputs,
  into: Place,
  options: MoveOptions,
): Promise<Moved> {
  const there = new Map([...sourceFiles(folder.files)].map(({ name, file }) => [name, file]));
  const privateFolders = new Set(
    [...there].flatMap(([name, { kind, isPrivate }]) => (kind === 'folder' && isPrivate ? [name] : [])),
  );
  const listed = list.files.map(({ path, kind, size, modified, isPrivate = false }) => ({
    name: path,
    kind,
    size,
    modified,
    isPrivate,
  }));
  const outside = listed.filter(({ name }) => name.startsWith('/'));
  const { entries } = treeOf(
    listed.filter(({ name }) => !name.startsWith('/')),
    privateFolders,
  );
  const leftOut = [...list.leftOut, ...outside.map(({ name }) => ({ name, why: needsStart }))];
  const targets = [...there].flatMap(([name, { target }]) =>
    target === undefined ? [] : [[name, target] as const],
  );
  const hashes = list.files.flatMap(({ path, sha256 }) =>
    sha256 === undefined ? [] : [[path, sha256] as const],
  );
  const files = {
    folder: `${jobPath(id)}/src`,
    prefix: '',
    tree: { entries, leftOut },
    targets: new Map(targets),
    hashes: new Map(hashes),
  };
  return fetchServed(deps, files, into, options);
}

function unreadable() {
  return new TransferError(text('The files of the job on the instance can’t be read.'));
}
