import { chmod, lstat, mkdir } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import type { Clock } from '../util/clock';
import { MutableDisposable, toDisposable, type Disposable } from '../util/disposable';
import { UserError } from '../util/errors';
import { text } from '../util/text';
import { quoteForShell } from './commandLine';
import { canBeNamed, localTree, remoteTree, sizeOf, sizesOf, type FileTree } from './fileTree';
import { plainText } from './plainText';
import type { Run } from './run';
import type { SshService } from './service';

/** How far it is; what was there before counts as done. */
export interface TransferProgress {
  /** The file that is under way, counted from 1 among those that are sent. */
  readonly file: number;
  /** 0 while that is not known. */
  readonly totalFiles: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

export interface TransferDeps {
  readonly run: Run;
  readonly ssh: Pick<SshService, 'exec' | 'sftpCommand'>;
  readonly clock: Clock;
  readonly platform: NodeJS.Platform;
}

/** A transfer ended early; done again, it goes on where it ended. */
export class TransferError extends UserError {
  constructor(said: string) {
    super(text('The transfer did not finish: {0}', plainText(said) || '–'), { nextStep: 'retry' });
  }
}

/** All else was transferred. */
export class LeftOutError extends UserError {
  constructor(names: readonly string[]) {
    super(
      text(
        'Windows has no files of these names, so they were not downloaded: {0}. Rename them on the instance and try again.',
        names.map((name) => JSON.stringify(name)).join(', '),
      ),
    );
  }
}

/** A path that `sftp` cannot be given safely. */
export class UnusableNameError extends UserError {
  constructor(name: string) {
    super(
      text(
        'The name {0} has characters that cannot be transferred. Rename it and try again.',
        JSON.stringify(name),
      ),
    );
  }
}

export interface TransferOptions {
  /** An earlier transfer of the same files ended early: what is there in full is left, a part is completed. */
  readonly resume: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: TransferProgress) => void;
}

/** Copies files and folders into a folder of the machine. */
export async function upload(
  deps: TransferDeps,
  alias: string,
  locals: readonly string[],
  remoteFolder: string,
  options: TransferOptions,
): Promise<void> {
  const { folders, files } = await localTree(locals);
  const names = locals.map((local) => basename(local));
  const there = options.resume
    ? sizesOf(await remoteTree(deps.ssh, alias, remoteFolder, names, options.signal))
    : new Map<string, number>();
  const target = (name: string) => sftpQuote(`${remoteFolder.replace(/\/+$/, '')}/${name}`);
  await transfer(deps, alias, {
    ...options,
    files,
    before: folders.map((name) => `-mkdir ${target(name)}`),
    sizeThere: (name) => there.get(name),
    line: (verb, { name, local }) => `${verb.put} ${sftpQuote(local ?? name)} ${target(name)}`,
    watch: ({ name }, onSize) => watchRemoteSize(deps, alias, `${remoteFolder}/${name}`, onSize),
  });
}

/** Copies a file or folder of the machine into a local folder, which must exist. */
export async function download(
  deps: TransferDeps,
  alias: string,
  remote: string,
  localFolder: string,
  options: TransferOptions,
): Promise<void> {
  const parent = posix.dirname(remote);
  const tree = await remoteTree(deps.ssh, alias, parent, [posix.basename(remote)], options.signal);
  const isHere = (name: string) => canBeNamed(name, deps.platform);
  const folders = tree.folders.filter(isHere);
  const files = tree.files.filter(({ name }) => isHere(name));
  const leftOut = [...tree.folders, ...tree.files.map(({ name }) => name)].filter((name) => !isHere(name));
  if (tree.folders.length + tree.files.length === 0) {
    throw new TransferError(`${remote}: No such file or directory`);
  }
  for (const name of folders) {
    await mkdir(join(localFolder, ...name.split('/')), { recursive: true });
  }
  const local = (name: string) => join(localFolder, ...name.split('/'));
  const there = new Map<string, number>();
  for (const { name } of options.resume ? files : []) {
    const size = await sizeOf(local(name));
    if (size !== undefined) {
      there.set(name, size);
    }
  }
  const fresh: string[] = [];
  for (const { name } of files) {
    if ((await sizeOf(local(name))) === undefined) {
      fresh.push(local(name));
    }
  }
  const plan: Plan = {
    ...options,
    files,
    before: [],
    sizeThere: (name) => there.get(name),
    line: (verb, { name }) =>
      `${verb.get} ${sftpQuote(`${parent}/${name}`)} ${sftpQuote(local(name).replaceAll('\\', '/'))}`,
    watch: ({ name }, onSize) => watchLocalSize(deps.clock, local(name), onSize),
  };
  try {
    await transfer(deps, alias, plan);
  } finally {
    await Promise.all(fresh.map(makeNotExecutable));
  }
  if (leftOut.length > 0) {
    throw new LeftOutError(leftOut);
  }
}

/** A program of a rented machine is not made to run here by its mere name; what was not written is passed over. */
async function makeNotExecutable(file: string): Promise<void> {
  const facts = await lstat(file).catch(() => undefined);
  if (facts?.isFile() === true && (facts.mode & 0o111) !== 0) {
    await chmod(file, facts.mode & 0o666);
  }
}

const verbs = { whole: { put: 'put', get: 'get' }, rest: { put: 'reput', get: 'reget' } } as const;
type Verb = (typeof verbs)[keyof typeof verbs];

interface Plan extends Omit<TransferOptions, 'resume'> {
  readonly files: FileTree['files'];
  readonly before: readonly string[];
  sizeThere(name: string): number | undefined;
  line(verb: Verb, file: FileTree['files'][number]): string;
  /** Tells how large a file has become, now and then, until it is disposed. */
  watch(file: FileTree['files'][number], onSize: (bytes: number) => void): Disposable;
}

async function transfer(deps: TransferDeps, alias: string, plan: Plan): Promise<void> {
  const todo = plan.files.filter(({ name, size }) => plan.sizeThere(name) !== size);
  const lines = todo.map((file) => {
    const part = plan.sizeThere(file.name) ?? 0;
    return plan.line(part > 0 && part < file.size ? verbs.rest : verbs.whole, file);
  });
  const steps = new Steps(plan, todo);
  try {
    await runBatch(deps, alias, [...plan.before, ...lines], plan.signal, (line) => {
      // In a batch `sftp` repeats each command when it begins with it, and says nothing else.
      if (/^sftp> (?:re)?(?:put|get) /.test(line)) {
        steps.next();
      }
    });
  } finally {
    steps.dispose();
  }
  steps.finish();
}

/** Smaller files are over before anybody could look. */
const watchedBytes = 4_000_000;

/** Counts files as they begin, and the bytes of large ones while they grow. */
class Steps implements Disposable {
  private readonly total: number;
  private done: number;
  private file = 0;
  private watcher: Disposable | undefined;

  constructor(
    private readonly plan: Plan,
    private readonly todo: FileTree['files'],
  ) {
    const sum = (files: FileTree['files']) => files.reduce((bytes, { size }) => bytes + size, 0);
    this.total = sum(plan.files);
    this.done = this.total - sum(todo);
  }

  next(): void {
    this.dispose();
    this.done += this.todo[this.file - 1]?.size ?? 0;
    this.file += 1;
    this.report(0);
    const current = this.todo[this.file - 1];
    if (current && current.size > watchedBytes) {
      this.watcher = this.plan.watch(current, (bytes) => {
        this.report(Math.min(bytes, current.size));
      });
    }
  }

  finish(): void {
    this.done = this.total;
    this.report(0);
  }

  dispose(): void {
    this.watcher?.dispose();
    this.watcher = undefined;
  }

  private report(current: number): void {
    this.plan.onProgress?.({
      file: this.file,
      totalFiles: this.todo.length,
      bytes: this.done + current,
      totalBytes: this.total,
    });
  }
}

const lookMs = 500;

function watchLocalSize(clock: Clock, file: string, onSize: (bytes: number) => void): Disposable {
  const timer = new MutableDisposable<Disposable>();
  let isOver = false;
  const look = () => {
    void sizeOf(file).then(
      (bytes) => {
        if (!isOver) {
          onSize(bytes ?? 0);
          timer.value = clock.schedule(look, lookMs);
        }
      },
      // A size that cannot be read is not worth a message: the transfer itself says what is wrong.
      () => undefined,
    );
  };
  timer.value = clock.schedule(look, lookMs);
  return toDisposable(() => {
    isOver = true;
    timer.dispose();
  });
}

/** A second login that prints the size every second; what it does not tell, nobody misses. */
function watchRemoteSize(
  { ssh }: TransferDeps,
  alias: string,
  file: string,
  onSize: (bytes: number) => void,
): Disposable {
  const stop = new AbortController();
  const script = `while sleep 1; do stat -c %s ${quoteForShell(file)} || exit; done`;
  const onStdout = (piece: string) => {
    const last = /(\d+)\s*$/.exec(piece)?.[1];
    if (last !== undefined && !stop.signal.aborted) {
      onSize(Number(last));
    }
  };
  void ssh.exec(alias, script, { signal: stop.signal, onStdout }).catch(() => undefined);
  return toDisposable(() => {
    stop.abort();
  });
}

/** One argument of an `sftp` command: quoted, so that neither blanks nor patterns mean anything in it. */
export function sftpQuote(path: string): string {
  // Line ends would begin another command; the rest cannot be typed either.
  if (/\p{Cc}/u.test(path)) {
    throw new UnusableNameError(path);
  }
  return `"${path.replace(/["\\]/g, '\\$&')}"`;
}

async function runBatch(
  { run, ssh }: TransferDeps,
  alias: string,
  lines: readonly string[],
  signal: AbortSignal | undefined,
  onLine: (line: string) => void,
): Promise<void> {
  const [program, ...args] = ssh.sftpCommand(alias);
  let rest = '';
  const result = await run(program, ['-b', '-', ...args], {
    signal,
    input: lines.map((line) => `${line}\n`).join(''),
    onStdout: (piece) => {
      const parts = (rest + piece).split(/\r?\n/);
      rest = parts.pop() ?? '';
      parts.forEach(onLine);
    },
  });
  if (result.code !== 0) {
    const said = result.stderr.split(/\r?\n/).filter((line) => line.trim() !== '' && !/mkdir/.test(line));
    throw new TransferError(said.slice(-2).join(' '));
  }
}
