import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import type { Clock } from '../util/clock';
import { CancelledError, UserError } from '../util/errors';
import { text, type Text } from '../util/text';
import { plainText } from './plainText';
import type { RunResult } from './run';
import type { ExecOptions, SshService } from './service';

/** The progress of a transfer; bytes that were already there count as done. */
export interface TransferProgress {
  /** The current file, counted from 1 among those that are sent. */
  readonly file: number;
  readonly totalFiles: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

export interface TransferDeps {
  readonly ssh: Pick<SshService, 'exec'>;
  readonly clock: Clock;
  readonly platform: NodeJS.Platform;
  /** Files of at least this size are sent separately and can be continued; by default `singleBytes`. */
  readonly singleBytes?: number;
}

export interface TransferOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: TransferProgress) => void;
  /** Asked once, before the first byte, if files of the target have another content; without it they are replaced. */
  readonly mayReplace?: (names: readonly string[]) => Promise<boolean>;
}

/** The user keeps the files that the transfer would have replaced, so that nothing was transferred. */
export class FilesKeptError extends CancelledError {}

/** Throws `FilesKeptError` unless the files may be replaced. */
export async function askToReplace({ mayReplace }: TransferOptions, names: readonly string[]): Promise<void> {
  if (names.length > 0 && mayReplace && !(await mayReplace(names))) {
    throw new FilesKeptError();
  }
}

/** A chosen file that is missing or different on the other side. */
export interface LeftOut {
  /** With forward slashes, below the folder that holds the chosen files. */
  readonly name: string;
  readonly why: Text;
}

/** The result of the comparison of both sides after the last byte. */
export interface TransferOutcome {
  readonly files: number;
  readonly bytes: number;
  /** Everything was transferred only if this is empty. */
  readonly leftOut: readonly LeftOut[];
  /** Why the target could not keep times or modes of files, all of whose bytes arrived. */
  readonly notKept?: Text | undefined;
}

/** A transfer ended early; repeating it continues where it ended. A silent program has lost its connection. */
export class TransferError extends UserError {
  constructor(message: string | Text) {
    super(typeof message === 'string' ? textOf(plainText(message)) : message, { nextStep: 'retry' });
  }
}

/** A machine that sends more than it announced is cut off, to protect the disk and the traffic of this computer. */
export class SentTooMuchError extends TransferError {
  constructor() {
    super(text('The instance sent more than it announced, so the transfer was ended.'));
  }
}

/** How much more than announced a machine may send: a file may have grown since. */
export const spareBytes = 64_000_000;

/** Passes bytes on. @throws SentTooMuchError once there are more than `most` of them. */
export async function* atMost(bytes: AsyncIterable<Buffer>, most: () => number): AsyncGenerator<Buffer> {
  let count = 0;
  for await (const piece of bytes) {
    count += piece.length;
    if (count > most()) {
      throw new SentTooMuchError();
    }
    yield piece;
  }
}

function textOf(message: string): Text {
  return message === ''
    ? text('The transfer did not finish. The connection ended early.')
    : text('The transfer did not finish: {0}', message);
}

/** A login costs about a second, so only files that take much longer get their own. */
export const singleBytes = 64_000_000;

/** How often missing or changed files are sent before they are reported. */
export const rounds = 2;

/** The reasons why a file was left out. */
export const reasons = {
  outsideLink: text('a link that leads out of what is transferred, or to nothing'),
  leadsOut: text('a link on this computer leads out of the folder'),
  noFile: text('neither a file nor a folder'),
  gone: text('was removed'),
  hostileName: text('a name that leads out of the folder'),
  acts: text('Git, an editor, a shell or an assistant may act on its name'),
  notUtf8: text('a name that is not UTF-8'),
  windowsName: text('a name that Windows does not allow'),
  control: text('a name with control characters'),
  otherHash: text('arrived with other content than the instance listed'),
  changed: text('changed during the transfer'),
  missing: text('did not arrive'),
  said: (message: string) => text('{0}', plainText(message) || '–'),
  notKept: (message: string) =>
    text('Times or modes of files could not be kept: {0}', plainText(message) || '–'),
  isFolderThere: text('a folder on the instance has its name'),
  sameName: (other: string) => text('has the same name as {0} on this computer', other),
} as const;

/** The content of a file at one moment, as far as both sides can identify it without reading it. */
export interface Version {
  readonly size: number;
  /** Seconds since 1970. */
  readonly modified: number;
}

/** Returns whether the mode of a file or folder lets only its owner read it. */
export function isPrivateMode(mode: number): boolean {
  return (mode & 0o044) === 0;
}

export function versionKey({ size, modified }: Version): string {
  return `${size} ${modified}`;
}

/**
 * Returns the name under which a file grows until it is complete. It belongs to one version, so that a part of an
 * older one is never continued.
 */
export function partName(name: string, version: Version): string {
  const mark = createHash('sha256')
    .update(`${name} ${versionKey(version)}`)
    .digest('hex')
    .slice(0, 8);
  const base = posix.basename(name);
  const readable = Buffer.byteLength(base) <= 200 ? `${base}.` : '';
  return posix.join(posix.dirname(name), `${readable}${mark}.part`);
}

const reportMs = 100;

/** Counts files and bytes, and reports them at intervals. */
export class Steps {
  private file = 0;
  private reportedAt = -Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly onProgress: TransferOptions['onProgress'],
    private readonly totalFiles: number,
    private bytes: number,
    private readonly totalBytes: number,
  ) {}

  next(): void {
    this.file = Math.min(this.file + 1, this.totalFiles);
    this.add(0);
  }

  add(bytes: number): void {
    const { file, totalFiles, totalBytes } = this;
    this.bytes = Math.min(this.bytes + bytes, totalBytes);
    const now = this.clock.elapsed();
    if (now - this.reportedAt >= reportMs || this.bytes === totalBytes) {
      this.reportedAt = now;
      this.onProgress?.({ file, totalFiles, bytes: this.bytes, totalBytes });
    }
  }
}

export function sumOf(files: Iterable<{ readonly size: number }>): number {
  let sum = 0;
  for (const { size } of files) {
    sum += size;
  }
  return sum;
}

/** Marks the end of the noise that startup files of a machine print before our output. */
export const beginMark = '//gpu-rental\n';

/** Prints the mark; everything after it on standard output is ours. */
export const beginScript = "printf '//gpu-rental\\n'";

/**
 * Runs one step of a transfer. A broken connection is an error; a refusal by the machine's programs is not, because
 * the comparison afterwards shows its effect.
 */
export async function runStep(
  { ssh }: TransferDeps,
  alias: string,
  script: string,
  options: ExecOptions,
): Promise<RunResult> {
  const result = await ssh.exec(alias, script, options);
  if (result.code === null || result.code === 255) {
    throw new TransferError(lastLines(result));
  }
  return result;
}

/** Returns the last lines of a program's error output. */
export function lastLines({ stderr }: Pick<RunResult, 'stderr'>): string {
  return stderr
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !/^tar: (?:Exiting with failure|Error is not recov)/.test(line))
    .slice(-2)
    .join(' ');
}

/** Returns names for a program that reads them zero-terminated, in portions that fit a pipe. */
export function zeroEnded(names: Iterable<string>, encoding: BufferEncoding = 'utf8'): AsyncIterable<Buffer> {
  return Readable.from(portions(names, encoding));
}

function* portions(names: Iterable<string>, encoding: BufferEncoding): Generator<Buffer> {
  let portion = '';
  for (const name of names) {
    portion += `./${name}\0`;
    if (portion.length > 60_000) {
      yield Buffer.from(portion, encoding);
      portion = '';
    }
  }
  yield Buffer.from(portion, encoding);
}
