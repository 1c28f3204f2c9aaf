import { randomBytes } from 'node:crypto';
import { UserError } from '../util/errors';
import { text } from '../util/text';
import type { RunOptions, RunResult, Sieve } from './run';

/** A start-up file of the machine read the input of a script, which did not run. */
export class InputTakenError extends UserError {
  constructor() {
    super(
      text(
        'The instance did not run the command, because a start-up file of its login shell reads the input. Let it do that in interactive shells only, then try again.',
      ),
      { nextStep: 'retry' },
    );
  }
}

/** A start-up file that asks a question reads a line of the input; most ask one. */
const spareLines = '\n'.repeat(8);
/** The end mark is followed by the exit code of the script, or by this where the script did not arrive. */
const lost = 'lost';
/** Characters that are kept of what precedes the answer. */
const mostNoise = 4_000;

/**
 * The login shell reads only this line: without line ends, `!`, or quotes and backslashes within its quotes
 * it means the same in sh, bash, zsh, fish, csh and tcsh, and it is short enough for every server. It skips
 * what precedes the script, runs it, and marks where the answer begins and ends. The marks are put together
 * on the machine, so that a start-up file that repeats the command or its input prints none of them.
 */
const bootstrap = [
  // The user's config may send this variable.
  'unset LC_GPU_RENTAL',
  's=',
  'while IFS= read -r l; do case $l in "$2$1:"*":$2$1") s=${l#*:}; s=${s%:*}; break;; esac; done',
  'echo "$1$2" >&2',
  'printf "%s<" "$1$2"',
  `if [ "$s" ]; then /bin/sh -c "$(printf %b "$s")"; s=$?; else s=${lost}; fi`,
  'printf ">%s %s." "$1$2" "$s"',
].join('; ');

/**
 * The last word of a login that nobody works in, by which the machine knows that it is no use of it
 * (src/schedules/machine/timer/logins.sh).
 */
const lookMark = 'gpu-rental-look';

/**
 * Sends a script to a machine, and reads its answer. The script is sent by standard input as one line,
 * so that it arrives whole or not at all; the input of the script follows. The answer is between two
 * marks, anywhere in a line. It ends with the second one, even if something still holds the pipes.
 */
export class ScriptAnswer implements Sieve {
  readonly command: string;
  private readonly mark: string;
  private readonly inputMark: string;
  private readonly endMark: Buffer;
  /** The first mark was seen: the login worked. */
  hasBegun = false;
  private end: string | undefined;
  private held: Buffer = Buffer.alloc(0);
  private before = '';

  constructor(
    isLook: boolean,
    halves = [randomBytes(6).toString('hex'), randomBytes(6).toString('hex')] as const,
  ) {
    const [first, second] = halves;
    this.command = `exec /bin/sh -c '${bootstrap}' sh ${first} ${second}${isLook ? ` ${lookMark}` : ''}`;
    this.mark = first + second;
    this.inputMark = second + first;
    this.endMark = Buffer.from(`>${this.mark} `);
  }

  /** What the machine reads: the script, then its own input. */
  input(script: string, rest: RunOptions['input'] = ''): NonNullable<RunOptions['input']> {
    if (script === '' || script.includes('\0')) {
      throw new Error('Not a script');
    }
    const line = script.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
    const head = `${spareLines}${this.inputMark}:${line}:${this.inputMark}\n`;
    return typeof rest === 'string' ? head + rest : after(head, rest);
  }

  get isWhole(): boolean {
    return this.end !== undefined;
  }

  /** A start-up file took the script. */
  get isLost(): boolean {
    return this.end === lost;
  }

  /** The last that standard output had before the answer, which start-up files print. */
  get noise(): string {
    return this.before + (this.hasBegun ? '' : this.held.toString('utf8'));
  }

  receive(piece: Buffer): Buffer {
    this.held = this.held.length === 0 ? piece : Buffer.concat([this.held, piece]);
    if (!this.hasBegun) {
      this.begin();
    }
    return this.hasBegun && !this.isWhole ? this.next() : Buffer.alloc(0);
  }

  rest(): Buffer {
    return this.hasBegun && !this.isWhole ? this.held : Buffer.alloc(0);
  }

  /** Returns the result of the script in place of that of ssh. Throws `InputTakenError` if the script did not run. */
  resultOf(result: RunResult): RunResult {
    if (this.isLost) {
      throw new InputTakenError();
    }
    const stderr = afterMark(result.stderr, this.mark);
    if (this.end !== undefined) {
      return { ...result, code: Number(this.end), stderr };
    }
    // Without its end, an answer proves nothing: not that the script ended well, and not that it did not run.
    const isOfSsh = result.code === 255 || !(this.hasBegun || result.code === 0);
    return {
      ...result,
      code: isOfSsh ? result.code : null,
      stderr: this.hasBegun ? stderr : [stderr, this.noise].filter((words) => words !== '').join('\n'),
    };
  }

  private begin(): void {
    const begin = `${this.mark}<`;
    const at = this.held.indexOf(begin);
    const before = this.held.subarray(0, at < 0 ? Math.max(0, this.held.length - begin.length) : at);
    this.before = (this.before + before.toString('utf8')).slice(-mostNoise);
    this.hasBegun = at >= 0;
    this.held = this.held.subarray(at < 0 ? before.length : at + begin.length);
  }

  /** Returns what certainly precedes the end mark. */
  private next(): Buffer {
    const at = beginOf(this.endMark, this.held);
    const own = this.held.subarray(0, at);
    this.held = this.held.subarray(at);
    const code = this.held.subarray(this.endMark.length).toString('latin1');
    const [, end] = /^(\d{1,3}|lost)\./.exec(code) ?? [];
    this.end = end;
    return own;
  }
}

/** What precedes the mark is of the login: banners, and what start-up files print. */
function afterMark(stderr: string, mark: string): string {
  const at = stderr.indexOf(`${mark}\n`);
  return at < 0 ? stderr : stderr.slice(at + mark.length + 1);
}

/** Returns where a mark begins in a piece, whole or cut off by the end of the piece; otherwise the length of the piece. */
function beginOf(mark: Buffer, piece: Buffer): number {
  const whole = piece.indexOf(mark);
  if (whole >= 0) {
    return whole;
  }
  const first = mark.subarray(0, 1);
  let at = piece.indexOf(first, Math.max(0, piece.length - mark.length + 1));
  while (at >= 0 && !piece.subarray(at).equals(mark.subarray(0, piece.length - at))) {
    at = piece.indexOf(first, at + 1);
  }
  return at < 0 ? piece.length : at;
}

async function* after(head: string, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(head);
  yield* rest;
}

/**
 * Starts a program of the machine whose input and output are bytes. It is not a `ScriptAnswer`, which holds back bytes that
 * may be its end mark: the program would wait for a question and we for its answer.
 */
export class ProgramStart implements Sieve {
  readonly command: string;
  readonly isWhole = false;
  private held: Buffer | undefined = Buffer.alloc(0);
  private readonly mark: string;

  /** The script, without single quotes, runs in place of the login shell once start-up files have printed what they print. */
  constructor(
    script: string,
    private readonly onBegin: () => void,
    halves = [randomBytes(6).toString('hex'), randomBytes(6).toString('hex')] as const,
  ) {
    const [first, second] = halves;
    this.mark = `${first}${second}`;
    this.command = `exec /bin/sh -c 'echo "$1$2" >&2; printf "%s<" "$1$2"; ${script}' sh ${first} ${second}`;
  }

  receive(piece: Buffer): Buffer {
    if (this.held === undefined) {
      return piece;
    }
    const all = Buffer.concat([this.held, piece]);
    const at = all.indexOf(`${this.mark}<`);
    if (at < 0) {
      this.held = all.subarray(-mostNoise);
      return Buffer.alloc(0);
    }
    this.held = undefined;
    this.onBegin();
    return all.subarray(at + this.mark.length + 1);
  }

  resultOf(result: RunResult): RunResult {
    return { ...result, stderr: afterMark(result.stderr, this.mark) };
  }

  rest(): Buffer {
    return Buffer.alloc(0);
  }
}
