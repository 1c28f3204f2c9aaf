import { createHash } from 'node:crypto';
import { makeInnerLinks } from '../../ssh/innerLinks';
import { LocalFiles } from '../../ssh/localFiles';
import { possibleHere, treeOf, type RemoteEntry } from '../../ssh/remoteTree';
import { reasons, Steps, sumOf, TransferError, type LeftOut, type TransferDeps } from '../../ssh/transfer';
import { defined } from '../../util/defined';
import { inParallel } from '../../util/inParallel';
import type { Place } from '../../util/realPlace';
import { text } from '../../util/text';
import type { MoveOptions, Moved, StoppedMachine } from '../model/jobMachine';
import type { JobCheck, JobOutput, JobOutputs } from '../model/onMachine';
import { readCheck } from './jobCheck';
import { problemOf, readOutputs } from './jobOutputs';
import { checkHex } from './machineCall';
import { listStoppedJobs } from './otherJobs';
import { matcherOf } from './outputPatterns';
import { copyFromDaemon, type OpenDaemon } from './rsync/daemonCopy';
import type { ListedFile } from './rsync/fileList';

export interface StoppedMachineDeps extends Pick<TransferDeps, 'clock' | 'platform'> {
  /** The host's name for the instance. */
  readonly module: string;
  readonly open: OpenDaemon;
  /** Called once all that is needed of the machine is on this computer. */
  readonly onFetched: () => void;
}

/** The files of the runner next to the files of a job; all are small except the log. */
const notes = ['phase', 'exit', 'beat', 'times', 'outputs.list', 'log', 'log.1', 'log.base'];
/** The most bytes of a log that are fetched from a stopped machine: its end is the most useful. */
const mostLog = 16_000_000;
const mostNote = 100_000_000;
const width = 8;

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
      new Fetch(deps, await folderOf(id, options.signal), list, into, options).run(id),
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

class Fetch {
  private readonly local: LocalFiles;
  private readonly there: ReadonlyMap<string, ListedFile>;
  private readonly leftOut: LeftOut[];

  constructor(
    private readonly deps: StoppedMachineDeps,
    folder: Folder,
    private readonly list: JobOutputs,
    into: Place,
    private readonly options: MoveOptions,
  ) {
    const hashes = list.files.flatMap(({ path, sha256 }) =>
      sha256 === undefined ? [] : [[path, sha256] as const],
    );
    this.local = new LocalFiles(into, new Map(hashes));
    this.there = new Map([...sourceFiles(folder.files)].map(({ name, file }) => [name, file]));
    this.leftOut = [...list.leftOut];
  }

  async run(id: string) {
    const listed = this.list.files.map(({ path, kind, size, modified, isPrivate = false }) => ({
      name: path,
      kind,
      size,
      modified,
      isPrivate,
    }));
    const { entries, leftOut } = possibleHere(
      treeOf(
        listed.filter(({ name }) => !name.startsWith('/')),
        new Set(
          [...this.there].flatMap(([name, { kind, isPrivate }]) =>
            kind === 'folder' && isPrivate ? [name] : [],
          ),
        ),
      ),
      this.deps.platform,
    );
    this.leftOut.push(...leftOut);
    this.leave(needsStart, ...listed.filter(({ name }) => name.startsWith('/')));
    for (const { name, isPrivate } of entries.filter(({ kind }) => kind === 'folder')) {
      await this.local.makeFolder(name, isPrivate);
    }
    const files = entries.filter(({ kind }) => kind === 'file');
    const todo = new Set<string>();
    await inParallel(files, width, async (file) => {
      if (!(await this.local.isHere(file))) {
        todo.add(file.name);
      }
    });
    const wanted = files.filter(({ name }) => todo.has(name));
    if (wanted.length > 0) {
      await this.bring(id, wanted, sumOf(files));
    }
    this.leave(reasons.missing, ...wanted.filter(({ name }) => !this.local.hasArrived(name)));
    await this.makeLinks(entries);
    const done = files.filter(({ name }) => !todo.has(name) || this.local.hasArrived(name));
    return defined<Moved>({
      files: done.length,
      bytes: sumOf(done),
      leftOut: this.leftOut,
      notKept: this.local.notKept,
    });
  }

  /** Leaves entries out with this reason unless a better one is known. */
  private leave(why: LeftOut['why'], ...entries: readonly RemoteEntry[]): void {
    this.leftOut.push(...entries.map(({ name }) => ({ name, why: this.local.refused.get(name) ?? why })));
  }

  private async makeLinks(entries: readonly RemoteEntry[]): Promise<void> {
    const links = entries.filter(({ kind }) => kind === 'link');
    const targets = new Map(
      links.flatMap(({ name }) => {
        const target = this.there.get(name)?.target;
        return target === undefined ? [] : [[name, target] as const];
      }),
    );
    this.leave(reasons.missing, ...links.filter(({ name }) => !targets.has(name)));
    this.leftOut.push(...(await makeInnerLinks(this.local, entries, targets)));
  }

  private async bring(id: string, wanted: readonly RemoteEntry[], total: number): Promise<void> {
    const { clock, module, open } = this.deps;
    const { signal, onProgress } = this.options;
    const steps = new Steps(clock, onProgress, wanted.length, total - sumOf(wanted), total);
    const byName = new Map(wanted.map((file) => [file.name, file]));
    await copyFromDaemon(open, {
      module,
      folder: `${jobPath(id)}/src`,
      signal,
      // Chosen from a list of its own, which may have other sizes than the first list.
      choose: (files) =>
        files.filter(({ path, kind, size }) => {
          const listed = byName.get(path.toString('utf8'));
          return kind === 'file' && listed !== undefined && size <= listed.size;
        }),
      write: async ({ path }, content) => {
        const file = byName.get(path.toString('utf8'));
        if (file) {
          steps.next();
          await this.local.attempt(file.name, async () => {
            try {
              await this.local.write(file, 0, content, (count) => {
                steps.add(count);
              });
            } finally {
              await this.local.forget(file);
            }
          });
        }
      },
    });
  }
}

function unreadable() {
  return new TransferError(text('The files of the job on the instance can’t be read.'));
}
