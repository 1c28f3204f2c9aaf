import type { FileHandle } from 'node:fs/promises';
import { defined } from '../util/defined';
import { inOrder } from '../util/inParallel';
import { openPlace, realFile } from '../util/realPlace';
import { quoteForShell } from './commandLine';
import {
  chosenFiles,
  localTree,
  whyNotRead,
  type ChosenFile,
  type LocalFile,
  type LocalTree,
} from './fileTree';
import { hashOfFile } from './localFiles';
import { joined, joinedBytes, readPiece } from './pieces';
import { executableBit, remoteFacts, remoteHashes, remoteTree, type RemoteEntry } from './remoteTree';
import type { RunResult } from './run';
import { tarEnd, tarHeader, tarPadding } from './tar';
import {
  askToReplace,
  lastLines,
  partName,
  reasons,
  rounds,
  runStep,
  singleBytes,
  Steps,
  sumOf,
  TransferError,
  versionKey,
  type LeftOut,
  type TransferDeps,
  type TransferOptions,
  type TransferOutcome,
  zeroEnded,
} from './transfer';

/**
 * Copies files and folders into a folder of the machine, which is created if it is missing. What is there in the same
 * version is left, what arrived in part is completed; afterwards both sides are compared.
 */
export async function upload(
  deps: TransferDeps,
  alias: string,
  /** A path is what the user chooses with this call. */
  locals: readonly (ChosenFile | string)[],
  remoteFolder: string,
  options: TransferOptions = {},
): Promise<TransferOutcome> {
  const all = locals.map((one) => (typeof one === 'string' ? chosenFiles([one]) : Promise.resolve([one])));
  const chosen = (await Promise.all(all)).flat();
  const tree = () => localTree(chosen);
  return new Upload(deps, alias, { tree, folder: remoteFolder, options }).run();
}

/** A folder of the machine that is to hold a tree and nothing else. */
export interface Mirror {
  /** Its parent, which must exist, and its own name there. */
  readonly parent: string;
  readonly name: string;
  /** Changed at or after this time, in seconds since 1970, it may differ with the same size and time. */
  readonly scanned: number;
}

/** Makes the mirror the same as the tree: what is not in the tree is removed. */
export async function mirror(
  deps: TransferDeps,
  alias: string,
  tree: () => Promise<LocalTree>,
  to: Mirror,
  options: TransferOptions = {},
): Promise<TransferOutcome> {
  const folder = `${to.parent}/${to.name}`;
  return new Upload(deps, alias, { tree, folder, mirror: to, options }).run();
}

interface Order {
  /** Looked at again before the two sides are compared. */
  readonly tree: () => Promise<LocalTree>;
  readonly folder: string;
  readonly mirror?: Mirror;
  readonly options: TransferOptions;
}

interface Plan {
  readonly tree: LocalTree;
  readonly there: ReadonlyMap<string, RemoteEntry>;
  readonly folders: readonly string[];
  readonly files: readonly LocalFile[];
  readonly links: readonly (readonly [name: string, target: string])[];
  /** What is to be removed on the other side. */
  readonly extra: readonly string[];
}

class Upload {
  /** Versions that were sent whole by this transfer. */
  private readonly sent = new Map<string, string>();
  private readonly sentLinks = new Map<string, string>();
  private readonly refused = new Map<string, LeftOut['why']>();
  /** Versions whose bytes are all there by their hash, even if the machine reported errors while it wrote them. */
  private readonly proved = new Map<string, string>();
  private steps: Steps | undefined;
  private output = '';
  private notKept: LeftOut['why'] | undefined;

  constructor(
    private readonly deps: TransferDeps,
    private readonly alias: string,
    private readonly order: Order,
  ) {}

  async run(): Promise<TransferOutcome> {
    let plan = await this.plan();
    await askToReplace(this.order.options, replacedNames(plan));
    for (let round = 0; round < rounds && namesOf(plan).some((name) => !this.refused.has(name)); round += 1) {
      await this.send(plan);
      plan = await this.prove(await this.plan());
    }
    const missing = namesOf(plan).map((name) => ({ name, why: this.whyMissing(name) }));
    const done = plan.tree.files.filter((file) => !plan.files.includes(file));
    return defined<TransferOutcome>({
      files: done.length,
      bytes: sumOf(done),
      leftOut: [...plan.tree.leftOut, ...missing],
      notKept: this.notKept,
    });
  }

  /**
   * Compares by hash what was sent and has its size, where the machine complained: it may have
   * refused no more than a time or a mode. This also detects an old content of the same size.
   */
  private async prove(plan: Plan): Promise<Plan> {
    const { deps, alias, order } = this;
    const doubtful = plan.files.filter((file) => {
      const there = plan.there.get(file.name);
      const isSent = this.sent.get(file.name) === versionKey(file);
      return isSent && there?.kind === 'file' && there.size === file.size;
    });
    if (this.output === '' || doubtful.length === 0) {
      return plan;
    }
    const names = doubtful.map(({ name }) => name);
    const hashes = await remoteHashes(deps, alias, order.folder, names, order.options.signal);
    for (const file of doubtful) {
      if (hashes.get(file.name) === (await realFile(file).then(hashOfFile))) {
        this.proved.set(file.name, versionKey(file));
        this.notKept ??= reasons.notKept(this.output);
      }
    }
    return { ...plan, files: plan.files.filter((file) => !this.isProved(file)) };
  }

  private isProved(file: LocalFile): boolean {
    return this.proved.get(file.name) === versionKey(file);
  }

  private whyMissing(name: string): LeftOut['why'] {
    const refused = this.refused.get(name);
    if (refused || this.output !== '') {
      return refused ?? reasons.said(this.output);
    }
    return this.sent.has(name) ? reasons.changed : reasons.missing;
  }

  /** Compares both sides and finds what is missing on the other one. */
  private async plan(): Promise<Plan> {
    const tree = await this.order.tree();
    const { there, extra } = await this.otherSide(tree);
    // A folder may be a link there: files in it arrive.
    const folders = tree.folders.filter((name) => !['folder', 'link'].includes(there.get(name)?.kind ?? ''));
    const files = tree.files.filter((file) => !this.isThere(file, there.get(file.name)));
    const links = [...tree.links].filter(
      ([name, target]) => this.sentLinks.get(name) !== target || there.get(name)?.kind !== 'link',
    );
    return { tree, there, folders, files, links, extra };
  }

  private async otherSide(tree: LocalTree): Promise<Pick<Plan, 'there' | 'extra'>> {
    const { deps, alias } = this;
    const { folder, mirror: to, options } = this.order;
    const parts = tree.files.filter((file) => this.isSingle(file)).map((file) => partName(file.name, file));
    const wanted = new Map<string, RemoteEntry['kind']>([
      ...tree.folders.map((name) => [name, 'folder'] as const),
      ...[...tree.files.map(({ name }) => name), ...parts].map((name) => [name, 'file'] as const),
      ...[...tree.links.keys()].map((name) => [name, 'link'] as const),
    ]);
    if (!to) {
      const there = await remoteFacts(deps, alias, folder, [...wanted.keys()], options.signal);
      return { there, extra: [] };
    }
    const { entries, leftOut } = await remoteTree(deps, alias, to.parent, to.name, options.signal);
    const below = (name: string) => name.slice(to.name.length + 1);
    const found = entries
      .filter(({ name }) => name !== to.name)
      .map((entry) => ({ ...entry, name: below(entry.name) }));
    const isWanted = ({ name, kind }: RemoteEntry) => wanted.get(name) === kind;
    return {
      there: new Map(found.filter(isWanted).map((entry) => [entry.name, entry])),
      extra: [
        ...found.filter((entry) => !isWanted(entry)).map(({ name }) => name),
        ...leftOut.map(({ name }) => below(name)),
      ].filter((name) => name !== '' && !name.includes('\uFFFD')),
    };
  }

  private isThere(file: LocalFile, there: RemoteEntry | undefined): boolean {
    const sent = this.sent.get(file.name);
    const { mirror: to } = this.order;
    const isOld = file.modified < (to?.scanned ?? Infinity);
    // Neither size nor time shows that a file was made executable.
    const hasMode = !to || (there?.isExecutable ?? false) === ((file.mode & executableBit) !== 0);
    const isCurrent = sent === undefined ? isOld && hasMode : sent === versionKey(file);
    // Some disks keep the time of a file less exactly than it was given.
    const isKnown =
      there?.modified === file.modified || (sent !== undefined && this.output === '') || this.isProved(file);
    return there?.kind === 'file' && there.size === file.size && isCurrent && isKnown;
  }

  private isSingle({ size }: LocalFile): boolean {
    return size >= (this.deps.singleBytes ?? singleBytes);
  }

  private async send({ tree, there, folders, files, links, extra }: Plan): Promise<void> {
    this.output = '';
    if (extra.length > 0) {
      await this.step(['xargs -0 rm -rf'], zeroEnded(extra));
    }
    const total = sumOf(tree.files);
    this.steps = new Steps(
      this.deps.clock,
      this.order.options.onProgress,
      files.length,
      total - sumOf(files),
      total,
    );
    const small = files.filter((file) => !this.isSingle(file));
    if (folders.length + links.length + small.length > 0) {
      await this.step(['tar -xof -'], joined(this.archive(folders, links, small)));
    }
    for (const file of files.filter((one) => this.isSingle(one))) {
      await this.sendSingle(file, there.get(partName(file.name, file))?.size ?? 0);
    }
  }

  private async step(
    script: readonly string[],
    input: AsyncIterable<Uint8Array>,
  ): Promise<Pick<RunResult, 'code' | 'stderr'>> {
    const lines = ['export LC_ALL=C', `cd ${quoteForShell(this.order.folder)} || exit 3`, ...script];
    const result = await runStep(this.deps, this.alias, lines.join('\n'), {
      signal: this.order.options.signal,
      input,
    });
    if (result.code !== 0 && result.code !== notKept) {
      this.output = lastLines(result);
    }
    return result;
  }

  private async *archive(
    folders: readonly string[],
    links: Plan['links'],
    files: readonly LocalFile[],
  ): AsyncGenerator<Uint8Array> {
    const now = Math.floor(this.deps.clock.now() / 1000);
    for (const name of folders) {
      yield tarHeader({ name: `./${name}`, kind: 'folder', size: 0, modified: now, mode: 0o755 });
    }
    // A file takes several turns of the event loop, so that small ones are read side by side.
    const opened = inOrder(files, width, async (file) => ({
      file,
      held: file.size <= joinedBytes ? await this.readHeld(file) : undefined,
    }));
    for await (const { file, held } of opened) {
      yield* this.archived(file, held);
    }
    for (const [name, target] of links) {
      yield tarHeader({ name: `./${name}`, kind: 'link', size: 0, modified: now, mode: 0o777, target });
      this.sentLinks.set(name, target);
    }
    yield tarEnd;
  }

  private async *archived(file: LocalFile, held: Buffer | undefined): AsyncGenerator<Uint8Array> {
    const { name, size, modified, mode } = file;
    const header = () => tarHeader({ name: `./${name}`, kind: 'file', size, modified, mode });
    if (size <= joinedBytes) {
      if (held) {
        this.steps?.next();
        yield Buffer.concat([header(), held, tarPadding(size)]);
        this.steps?.add(size);
      }
      return;
    }
    const handle = await this.openLocal(file);
    if (handle) {
      this.steps?.next();
      yield header();
      yield* this.content(handle, file, 0);
      yield tarPadding(size);
    }
  }

  private async readHeld(file: LocalFile): Promise<Buffer | undefined> {
    const handle = await this.openLocal(file);
    if (!handle) {
      return undefined;
    }
    const pieces: Uint8Array[] = [];
    for await (const piece of this.content(handle, file, 0, () => undefined)) {
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  /** Sends a large file alone, from where an earlier transfer ended; it gets its name once it is whole. */
  private async sendSingle(file: LocalFile, there: number): Promise<void> {
    const handle = await this.openLocal(file);
    if (!handle) {
      return;
    }
    this.steps?.next();
    const start = there <= file.size ? there : 0;
    this.steps?.add(start);
    const [part, name] = [quoteForShell(`./${partName(file.name, file)}`), quoteForShell(`./${file.name}`)];
    const script = [
      `cat ${start === 0 ? '>' : '>>'} ${part} || exit 4`,
      // The input ends as well where the connection does.
      `[ "$(stat -c %s ${part})" = ${file.size} ] || exit 5`,
      `chmod ${file.mode.toString(8)} ${part} && touch -d @${file.modified} ${part}; kept=$?`,
      `mv -f ${part} ${name} || exit 6; [ "$kept" = 0 ] || exit ${notKept}`,
    ];
    const result = await this.step(script, this.content(handle, file, start));
    if (result.code === notKept) {
      this.proved.set(file.name, versionKey(file));
      this.notKept ??= reasons.notKept(lastLines(result));
    }
  }

  private async openLocal(file: LocalFile): Promise<FileHandle | undefined> {
    const { name } = file;
    try {
      const handle = await openPlace(file, 'read');
      this.refused.delete(name);
      return handle;
    } catch (error) {
      this.refused.set(name, whyNotRead(name, error));
      return undefined;
    }
  }

  /**
   * As many bytes as were announced: the missing end of a file that became shorter shows when the sides are compared.
   */
  private async *content(
    handle: FileHandle,
    file: LocalFile,
    start: number,
    onBytes = (count: number) => this.steps?.add(count),
  ): AsyncGenerator<Uint8Array> {
    let next = readPiece(handle, file.size, start);
    try {
      for (let at = start; at < file.size;) {
        const piece = await next;
        at += piece.length;
        // Read while this one is on its way.
        next = readPiece(handle, file.size, at);
        yield piece;
        onBytes(piece.length);
      }
      this.sent.set(file.name, versionKey(file));
    } catch (error) {
      throw new TransferError(`${file.name}: ${String(error)}`);
    } finally {
      await next.catch(() => undefined);
      await handle.close();
    }
  }
}

/** The exit code of a step whose file is there, without its time or mode. */
const notKept = 7;

/** So many small files are read at a time. */
const width = 16;

/** Files there that lose their content: tar puts a folder or a link in the place of a file as well. */
function replacedNames({ there, files, folders, links }: Plan): readonly string[] {
  const isThere = (name: string, ...kinds: readonly RemoteEntry['kind'][]) => {
    const kind = there.get(name)?.kind;
    return kind !== undefined && kinds.includes(kind);
  };
  return [
    ...files.map(({ name }) => name).filter((name) => isThere(name, 'file', 'link')),
    ...[...folders, ...links.map(([name]) => name)].filter((name) => isThere(name, 'file')),
  ];
}

function namesOf({ folders, files, links, extra }: Plan): readonly string[] {
  return [...extra, ...folders, ...files.map(({ name }) => name), ...links.map(([name]) => name)];
}
