import { realpath } from 'node:fs/promises';
import { posix } from 'node:path';
import { defined } from '../util/defined';
import { errorCode } from '../util/errorCode';
import { inParallel } from '../util/inParallel';
import type { Place } from '../util/realPlace';
import { ByteReader } from './byteReader';
import { quoteForShell } from './commandLine';
import { makeInnerLinks } from './innerLinks';
import { LocalFiles, type NamedVersion } from './localFiles';
import {
  possibleHere,
  remoteTree,
  treeOf,
  withoutActing,
  type RemoteEntry,
  type RemoteTree,
} from './remoteTree';
import type { RunResult } from './run';
import { readTar, type TarEntry } from './tar';
import {
  askToReplace,
  atMost,
  beginMark,
  beginScript,
  lastLines,
  reasons,
  rounds,
  runStep,
  SentTooMuchError,
  singleBytes,
  spareBytes,
  Steps,
  sumOf,
  TransferError,
  zeroEnded,
  type LeftOut,
  type TransferDeps,
  type TransferOptions,
  type TransferOutcome,
} from './transfer';

/** The number of local files that are read or written at a time. */
const width = 8;
/** A file up to this size is held in memory while the next one arrives. */
const heldBytes = 1_000_000;
/** The most bytes that a machine may print before its answer. */
const noiseBytes = 65_536;
/** What an archive has beside the name and content of a file: headers of the file and of a long name, and padding. */
const headerBytes = 4_096;

export interface DownloadOptions extends TransferOptions {
  /** True if the user wants files on whose names programs act as well; by default they are left out. */
  readonly withActing?: boolean;
}

/**
 * Copies a file or folder of the machine into a local folder, which must exist. Files with the same version are
 * skipped, partial files are completed; afterwards both sides are compared.
 */
export async function download(
  deps: TransferDeps,
  alias: string,
  remote: string,
  /** A path is what the user chooses with this call. */
  into: Place | string,
  options: DownloadOptions = {},
): Promise<TransferOutcome> {
  const place = typeof into === 'string' ? await chosenPlace(into) : into;
  const [parent, root] = [posix.dirname(remote), posix.basename(remote)];
  const list = async () => {
    const tree = await remoteTree(deps, alias, parent, root, options.signal);
    return options.withActing === true ? tree : withoutActing(tree);
  };
  const source = { parent, root, list };
  return new Download(deps, alias, source, new LocalFiles(place), options).run();
}

async function chosenPlace(path: string): Promise<Place> {
  const chosen = await realpath(path);
  return { path: chosen, root: { chosen } };
}

/** Files and links of the machine, by their names below a folder. */
export interface RemoteList {
  readonly folder: string;
  readonly entries: readonly RemoteEntry[];
  /** The folders of these that only their owner can read there. */
  readonly privateFolders: ReadonlySet<string>;
  /** SHA-256 hashes of files; a file with another hash is discarded. */
  readonly hashes: ReadonlyMap<string, string>;
}

/** Copies what a list names, and nothing else; files with the same hash are skipped. */
export async function downloadList(
  deps: TransferDeps,
  alias: string,
  { folder, entries, privateFolders, hashes }: RemoteList,
  into: Place,
  options: TransferOptions = {},
): Promise<TransferOutcome> {
  const tree = treeOf(entries, privateFolders);
  const source = { parent: folder, root: undefined, list: () => Promise.resolve(tree) };
  return new Download(deps, alias, source, new LocalFiles(into, hashes), options).run();
}

interface Source {
  /** The folder of the machine that contains the names. */
  readonly parent: string;
  /** The name that the user chose. */
  readonly root: string | undefined;
  readonly list: () => Promise<RemoteTree>;
}

interface Plan {
  /** The files and links to fetch. */
  readonly todo: readonly RemoteEntry[];
  readonly entries: readonly RemoteEntry[];
  readonly leftOut: readonly LeftOut[];
}

class Download {
  private readonly targets = new Map<string, string>();
  private steps: Steps | undefined;
  private output = '';

  constructor(
    private readonly deps: TransferDeps,
    private readonly alias: string,
    private readonly source: Source,
    private readonly local: LocalFiles,
    private readonly options: TransferOptions,
  ) {}

  async run(): Promise<TransferOutcome> {
    let plan = await this.plan();
    await askToReplace(this.options, await this.local.existing(filesOf({ entries: plan.todo })));
    const isOpen = () => plan.todo.some(({ name }) => !this.local.refused.has(name));
    for (let round = 0; round < rounds && isOpen(); round += 1) {
      await this.fetch(plan);
      plan = await this.plan();
    }
    const missing = plan.todo.map(({ name }) => ({ name, why: this.whyMissing(name) }));
    const links = await makeInnerLinks(this.local, plan.entries, this.targets);
    const done = filesOf(plan).filter((file) => !plan.todo.includes(file));
    return defined<TransferOutcome>({
      files: done.length,
      bytes: sumOf(done),
      leftOut: [...plan.leftOut, ...missing, ...links],
      notKept: this.local.notKept,
    });
  }

  private whyMissing(name: string): LeftOut['why'] {
    const refused = this.local.refused.get(name);
    if (refused || this.local.hasArrived(name)) {
      return refused ?? reasons.changed;
    }
    return this.output === '' ? reasons.missing : reasons.said(this.output);
  }

  /** Lists the machine, creates the local folders, and finds missing files. */
  private async plan(): Promise<Plan> {
    const { deps, local, targets } = this;
    const { entries, leftOut } = possibleHere(await this.source.list(), deps.platform);
    const folders = entries.filter(({ kind }) => kind === 'folder');
    for (const { name, isPrivate } of folders) {
      await local.makeFolder(name, isPrivate);
    }
    const todo = entries.filter(({ name, kind }) => kind === 'link' && !targets.has(name));
    await inParallel(filesOf({ entries }), width, async (file) => {
      if (!(await local.isHere(file))) {
        todo.push(file);
      }
    });
    const refused = folders.filter(({ name }) => local.refused.has(name));
    const more = refused.map(({ name }) => ({ name, why: this.whyMissing(name) }));
    return { todo, entries, leftOut: [...leftOut, ...more] };
  }

  private async fetch(plan: Plan): Promise<void> {
    const wanted = filesOf({ entries: plan.todo });
    const total = sumOf(filesOf(plan));
    const done = total - sumOf(wanted);
    this.steps = new Steps(this.deps.clock, this.options.onProgress, wanted.length, done, total);
    const limit = this.deps.singleBytes ?? singleBytes;
    // The chosen name itself may be a link, which an archive would keep as a link.
    const isSingle = ({ name, kind, size }: RemoteEntry) =>
      kind === 'file' && (size >= limit || name === this.source.root);
    const many = plan.todo.filter((file) => !isSingle(file));
    if (many.length > 0) {
      await this.fetchMany(many);
    }
    for (const file of plan.todo.filter(isSingle)) {
      await this.local.attempt(file.name, () => this.fetchSingle(file));
    }
  }

  /** Fetches all small files in one archive. */
  private async fetchMany(many: readonly RemoteEntry[]): Promise<void> {
    const wanted = new Set(many.map(({ name }) => name));
    const archived = many.reduce((sum, { name, size }) => sum + size + 2 * name.length + headerBytes, 0);
    const script = [
      'export LC_ALL=C',
      `cd ${quoteForShell(this.source.parent)} || exit 3`,
      // GNU tar interprets backslashes in names by default; other tars lack the option.
      'option=; tar --no-unquote --version >/dev/null 2>&1 && option=--no-unquote',
      beginScript,
      'xargs -0 tar $option --no-recursion -cf -',
    ];
    const writing = new Set<Promise<void>>();
    const copies: TarEntry[] = [];
    await this.stream(script, zeroEnded(wanted), archived, async (reader) => {
      try {
        await readTar(reader, async ({ name: path, ...facts }, content) => {
          const entry = { ...facts, name: withoutDot(path) };
          if (!wanted.has(entry.name)) {
            return;
          }
          if (entry.kind === 'link') {
            this.targets.set(entry.name, entry.target);
          } else if (entry.kind === 'hardLink') {
            copies.push(entry);
          } else if (entry.kind === 'file') {
            await this.writeBeside(entry, content, writing);
          }
        });
      } finally {
        await Promise.all(writing);
      }
    });
    for (const { name, target, modified } of copies.filter((copy) => wanted.has(withoutDot(copy.target)))) {
      await this.local.attempt(name, () => this.local.copy(name, withoutDot(target), modified));
    }
  }

  /** Writes a small file while the next ones arrive. */
  private async writeBeside(
    file: NamedVersion,
    content: AsyncIterable<Buffer>,
    writing: Set<Promise<void>>,
  ): Promise<void> {
    if (file.size > heldBytes) {
      return this.writeSmall(file, content);
    }
    const pieces: Buffer[] = [];
    for await (const piece of content) {
      pieces.push(piece);
    }
    const job = this.writeSmall(file, pieces);
    writing.add(job);
    // A failed job stays in the list, so that the final wait reports it.
    void job.then(
      () => writing.delete(job),
      () => undefined,
    );
    if (writing.size >= width) {
      await Promise.race(writing);
    }
  }

  private async writeSmall(
    file: NamedVersion,
    content: Iterable<Buffer> | AsyncIterable<Buffer>,
  ): Promise<void> {
    this.steps?.next();
    await this.local.attempt(file.name, async () => {
      try {
        await this.local.write(file, 0, content, (count) => this.steps?.add(count));
      } finally {
        await this.local.forget(file);
      }
    });
  }

  /** Fetches a large file separately, from where an earlier transfer ended. */
  private async fetchSingle(file: RemoteEntry): Promise<void> {
    const start = await this.local.begun(file);
    this.steps?.next();
    this.steps?.add(start);
    const path = quoteForShell(`./${file.name}`);
    const script = [
      'export LC_ALL=C',
      `cd ${quoteForShell(this.source.parent)} || exit 3`,
      beginScript,
      `tail -c +${start + 1} ${path} | head -c ${file.size - start}`,
    ];
    const result = await this.stream(script, undefined, file.size - start, (reader) =>
      this.local.write(file, start, reader.pieces(file.size - start), (count) => this.steps?.add(count)),
    );
    if (!this.local.hasArrived(file.name)) {
      this.output = lastLines(result);
    }
  }

  /**
   * Runs a step whose output is one of our streams; a broken connection takes precedence over the stream error that
   * it caused. One that is longer than expected is cut off.
   */
  private async stream(
    script: readonly string[],
    input: AsyncIterable<Uint8Array> | undefined,
    expected: number,
    read: (reader: ByteReader) => Promise<void>,
  ): Promise<RunResult> {
    let failure: Error | undefined;
    const result = await runStep(this.deps, this.alias, script.join('\n'), {
      signal: this.options.signal,
      input,
      output: async (bytes) => {
        const reader = new ByteReader(atMost(bytes, () => expected + spareBytes));
        try {
          if (await reader.until(beginMark, noiseBytes)) {
            await read(reader);
          }
        } catch (error) {
          if (error instanceof SentTooMuchError) {
            throw error;
          }
          failure = error instanceof Error ? error : new Error(String(error));
        }
        await reader.drain();
      },
    });
    if (result.code !== 0) {
      this.output = lastLines(result);
    }
    if (failure) {
      const isKnown = failure instanceof TransferError || errorCode(failure) !== '';
      throw isKnown ? failure : new TransferError(failure.message);
    }
    return result;
  }
}

function filesOf({ entries }: Pick<Plan, 'entries'>): readonly RemoteEntry[] {
  return entries.filter(({ kind }) => kind === 'file');
}

function withoutDot(path: string): string {
  return path.replace(/^\.\//, '');
}
