import { spawn, type ChildProcessWithoutNullStreams, type SpawnOptions } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { CancelledError, UserError } from '../util/errors';
import { text } from '../util/text';

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /** Written to standard input, which is then closed; bytes are read as fast as the program accepts them. */
  readonly input?: string | AsyncIterable<Uint8Array> | undefined;
  /** Receives the output as bytes instead of `stdout`; a slow reader makes the program wait. */
  readonly output?: (bytes: AsyncIterable<Buffer>) => Promise<void>;
  /** Ends the process after this time and sets `timedOut`. */
  readonly timeoutMs?: number;
  readonly cwd?: string;
  /**
   * Detaches from the terminal that the editor may have been started from, so that the program reads answers from
   * `input`.
   */
  readonly withoutTerminal?: boolean;
  /**
   * Ends the program also where this process is killed, for one that would run for ever. On Windows every program of ours
   * ends with us: libuv puts it into a job object that is closed then.
   */
  readonly endsWithUs?: boolean;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Removed from the environment of this process: names of variables, with `*` and `?` as in `SendEnv`. */
  readonly withoutEnv?: readonly string[] | undefined;
  /** Keeps the end of a stream that is longer than what is kept, in place of its beginning. */
  readonly keepsEnd?: boolean;
  /** Extracts the relevant output. Once that is whole, the program has half a second to end by itself. */
  readonly sieve?: Sieve;
  /** Called with each piece of output. */
  readonly onStdout?: (piece: string) => void;
  /** Called with each piece of the messages. */
  readonly onStderr?: (piece: string) => void;
}

/** Detects the end of the output before the program ends: something else may hold its pipes. */
export interface Sieve {
  /** Returns what counts of the next piece. */
  receive(piece: Buffer): Buffer;
  /** Returns what counts of the bytes that were held back, at the end of the output. */
  rest(): Buffer;
  readonly isWhole: boolean;
}

export interface RunResult {
  /** `null` if a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  /** A part of a stream is missing, because it was too long. */
  readonly isCut?: boolean;
}

/** Runs a program with an argument array, never through a shell. */
export type Run = (program: string, args: readonly string[], options?: RunOptions) => Promise<RunResult>;

/** A required program is not installed. */
export class ProgramMissingError extends UserError {
  constructor(
    readonly program: string,
    cause: unknown,
  ) {
    super(text('The program {0} was not found. Install OpenSSH and try again.', program), { cause });
  }
}

/** The most characters of one stream. */
const outputLimit = 1_000_000;
const killGraceMs = 2_000;
/** For the end of a program, and for children that hold its pipes; see the functions below. */
const pipeGraceMs = 500;

/** Messages are in English. What must not reach a machine stays out, our own variables included. */
function environmentOf({ withoutEnv = [], env }: RunOptions): NodeJS.ProcessEnv {
  return { ...environmentWithout(withoutEnv, { ...process.env, LC_ALL: 'C' }), ...env };
}

function environmentWithout(patterns: readonly string[], environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const matches = patterns.map((pattern) => {
    const escaped = pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    return new RegExp(`^${escaped}$`, 's');
  });
  const kept = Object.entries(environment).filter(([name]) => !matches.some((match) => match.test(name)));
  return Object.fromEntries(kept);
}

/** A child of a stopped program, such as a `ProxyCommand`, can outlive it and keep its pipes open, which delays `close`. */
function closePipesAfterExit(child: ChildProcessWithoutNullStreams): void {
  const close = () => {
    setTimeout(() => {
      child.stdout.destroy();
      child.stderr.destroy();
    }, pipeGraceMs);
  };
  if (child.exitCode === null && child.signalCode === null) {
    child.once('exit', close);
  } else {
    close();
  }
}

/**
 * Closes the pipe for messages once a program has exited and nothing more arrives. The connection to a jump host that the
 * user's config shares (`ControlPersist`) outlives the login and holds that pipe, which delays `close` for minutes.
 */
function closeMessagesAfterExit({ stderr }: ChildProcessWithoutNullStreams): void {
  let closing: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    // What arrived while this process was busy is read before.
    closing = setImmediate(() => stderr.destroy());
  }, pipeGraceMs);
  stderr.on('data', () => {
    clearImmediate(closing);
    timer.refresh();
  });
  stderr.once('close', () => clearTimeout(timer));
}

interface Kept {
  stdout: string;
  stderr: string;
  isCut: boolean;
}

function keep(kept: Kept, stream: 'stdout' | 'stderr', piece: string, { keepsEnd }: RunOptions): void {
  if (keepsEnd !== true && kept[stream].length >= outputLimit) {
    kept.isCut = true;
    return;
  }
  const all = kept[stream] + piece;
  kept.isCut ||= all.length > outputLimit;
  kept[stream] = keepsEnd === true ? all.slice(-outputLimit) : all.slice(0, outputLimit);
}

/**
 * Replaces this shell by a program. A second shell waits for the line that we write into file 3 at the program's end. If
 * we were killed, that file ends without the line, and the second shell ends the program.
 */
const besideWatch = `/bin/sh -c 'read -r _ || kill "$1"' sh $$ <&3 >/dev/null 2>&1 3<&- & exec "$@" 3<&-`;
/** The exit code of a shell that finds no such program. */
const notFound = 127;

function start(program: string, args: readonly string[], options: RunOptions) {
  const how: SpawnOptions = {
    shell: false,
    windowsHide: true,
    detached: options.withoutTerminal ?? false,
    env: environmentOf(options),
    cwd: options.cwd,
  };
  if (options.endsWithUs !== true || process.platform === 'win32') {
    return spawn(program, args, { ...how, stdio: ['pipe', 'pipe', 'pipe'] });
  }
  const watched = spawn('/bin/sh', ['-c', besideWatch, 'sh', program, ...args], {
    ...how,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  watched.once('exit', () => {
    const watch = watched.stdio[3] as Writable;
    watch.on('error', () => undefined).end('\n');
  });
  return watched;
}

/** Runs a real program. Messages are in English (`LC_ALL=C`), because they are distinguished by their text. */
export const runProgram: Run = (program, args, options = {}) =>
  new Promise((resolve, reject) => {
    if (options.signal?.aborted) {
      reject(new CancelledError());
      return;
    }
    const child = start(program, args, options);
    const kept = { stdout: '', stderr: '', isCut: false };
    let timedOut = false;
    let failure: { readonly error: unknown } | undefined;
    const stop = () => {
      closePipesAfterExit(child);
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), killGraceMs).unref();
    };
    const timer =
      options.timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            timedOut = true;
            stop();
          }, options.timeoutMs);
    options.signal?.addEventListener('abort', stop, { once: true });
    let wholeTimer: NodeJS.Timeout | undefined;
    const onWhole = () => {
      clearTimeout(timer);
      wholeTimer ??= setTimeout(stop, pipeGraceMs);
    };
    const settle = () => {
      clearTimeout(timer);
      clearTimeout(wholeTimer);
      options.signal?.removeEventListener('abort', stop);
    };
    // An error on our side of a stream ends the program and is the result, unless its end caused the error.
    const fail = (error: unknown) => {
      if (!timedOut && options.sieve?.isWhole !== true) {
        failure ??= { error };
        stop();
      }
    };
    const read = options.output?.(sifted(child.stdout, options.sieve, onWhole)).catch(fail);
    if (!read) {
      readText(child.stdout, options.sieve, onWhole, (piece) => {
        options.onStdout?.(piece);
        keep(kept, 'stdout', piece, options);
      });
    }
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      options.onStderr?.(piece);
      keep(kept, 'stderr', piece, options);
    });
    child.once('exit', () => closeMessagesAfterExit(child));
    child.on('error', (error: NodeJS.ErrnoException) => {
      settle();
      reject(error.code === 'ENOENT' ? new ProgramMissingError(program, error) : error);
    });
    child.on('close', (code) => {
      settle();
      void Promise.resolve(read).then(() => {
        if (options.signal?.aborted) {
          reject(new CancelledError());
        } else if (options.endsWithUs === true && code === notFound) {
          reject(new ProgramMissingError(program, kept.stderr));
        } else if (failure) {
          reject(failure.error instanceof Error ? failure.error : new Error(String(failure.error)));
        } else {
          resolve({ code, timedOut, ...kept });
        }
      });
    });
    // A program that exits before reading its input breaks the pipe; its exit code gives the reason.
    child.stdin.on('error', () => undefined);
    const { input = '' } = options;
    if (typeof input === 'string') {
      child.stdin.end(input);
    } else {
      void feed(child.stdin, input).catch(fail);
    }
  });

async function* sifted(
  stdout: Readable,
  sieve: Sieve | undefined,
  onWhole: () => void,
): AsyncGenerator<Buffer> {
  for await (const piece of stdout as AsyncIterable<Buffer>) {
    const own = sieve?.receive(piece) ?? piece;
    if (own.length > 0) {
      yield own;
    }
    if (sieve?.isWhole === true) {
      onWhole();
      return;
    }
  }
  const rest = sieve?.rest();
  if (rest !== undefined && rest.length > 0) {
    yield rest;
  }
}

function readText(
  stdout: Readable,
  sieve: Sieve | undefined,
  onWhole: () => void,
  receive: (piece: string) => void,
): void {
  const decoder = new StringDecoder('utf8');
  const give = (piece: string) => {
    if (piece !== '') {
      receive(piece);
    }
  };
  stdout.on('data', (piece: Buffer) => {
    give(decoder.write(sieve?.receive(piece) ?? piece));
    if (sieve?.isWhole === true) {
      onWhole();
    }
  });
  stdout.once('close', () => give(decoder.write(sieve?.rest() ?? Buffer.alloc(0)) + decoder.end()));
}

/** Rejects if the input itself fails, not if the program does not read it. */
async function feed(stdin: Writable, input: AsyncIterable<Uint8Array>): Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  async function* watched() {
    try {
      yield* input;
    } catch (error) {
      failure = { error };
    }
  }
  await pipeline(watched, stdin).catch(() => undefined);
  if (failure) {
    throw failure.error;
  }
}
