import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { orCancelled } from '../util/cancellation';
import type { Clock } from '../util/clock';
import { ifPresent } from '../util/missing';
import type { FileSystem } from './fileSystem';
import { forwardSlashes, type SshPaths } from './paths';
import type { Run, RunResult } from './run';

export interface EffectiveConfigDeps {
  readonly run: Run;
  readonly fs: Pick<FileSystem, 'list' | 'read'>;
  readonly clock: Clock;
}

interface Kept {
  readonly answer: RunResult;
  readonly files: readonly string[];
  readonly state: string;
  readonly at: number;
}

/** A file that is added to an empty folder is noticed after this time (ms). */
const keptMs = 30_000;
const mostKept = 500;

/** The output of a program decides, and no file shows whether it stays the same. */
const dependsOnProgram = /^[ \t]*match\b.*\bexec\b/im;

/**
 * Restores a path in a message of ssh, which doubles backslashes and writes each byte outside of ASCII as three octal
 * digits (`VIS_OCTAL` of vis(3)).
 */
export function unescaped(path: string): string {
  return path.replace(/\\\\|(?:\\[0-7]{3})+/g, (found) =>
    found === '\\\\'
      ? '\\'
      : Buffer.from(
          found
            .split('\\')
            .slice(1)
            .map((digits) => parseInt(digits, 8)),
        ).toString('utf8'),
  );
}

/** Returns the files that ssh read, from the trace of `-v`. */
export function filesRead({ stderr }: Pick<RunResult, 'stderr'>): readonly string[] {
  const files = stderr.matchAll(/^debug1: Reading configuration data (.+?)\r?$/gm);
  return [...files].map(([, file = '']) => unescaped(file));
}

/**
 * Caches `ssh -G` by host. Starting a program blocks the editor for a moment, so an answer is kept while the files
 * that ssh read, and the names next to them, are unchanged.
 */
export class EffectiveConfig {
  private readonly kept = new Map<string, Kept>();
  private readonly asked = new Map<string, Promise<RunResult>>();

  constructor(private readonly deps: EffectiveConfigDeps) {}

  /**
   * Returns the answer for a host; `command` is the program and its options. Concurrent callers wait for each other, and
   * share an answer only if no file has changed since: one of them may just have written the entry that it asks about.
   */
  ask(
    command: readonly [program: string, ...options: string[]],
    alias: string,
    paths: Pick<SshPaths, 'ownDir' | 'userConfig'>,
    signal?: AbortSignal,
  ): Promise<RunResult> {
    const key = JSON.stringify([...command, alias]);
    const before = this.asked.get(key);
    const read = () => this.read(key, command, alias, paths);
    const answer = before ? before.then(read, read) : read();
    this.asked.set(key, answer);
    const end = () => {
      if (this.asked.get(key) === answer) {
        this.asked.delete(key);
      }
    };
    void answer.then(end, end);
    return orCancelled(answer, signal);
  }

  private async read(
    key: string,
    [program, ...options]: readonly [program: string, ...options: string[]],
    alias: string,
    paths: Pick<SshPaths, 'ownDir' | 'userConfig'>,
  ): Promise<RunResult> {
    const { run, clock } = this.deps;
    const known = this.kept.get(key);
    if (known && this.isYoung(known) && (await this.stateOf(alias, known.files, paths)) === known.state) {
      return known.answer;
    }
    this.kept.delete(key);
    const at = clock.now();
    const expected = known?.files ?? [paths.userConfig];
    const stateBefore = await this.stateOf(alias, expected, paths);
    const answer = await run(program, [...options, '-vvv', '-G', alias], { timeoutMs: 20_000 });
    const files = filesRead(answer);
    // A config that ssh rejects stays rejected until it changes; a missing one until it exists.
    const state = answer.code === null ? undefined : await this.stateOf(alias, files, paths);
    // A file that changed while ssh read it may have been read as it was before.
    const isSteady = stateBefore === (await this.stateOf(alias, expected, paths));
    if (state !== undefined && isSteady) {
      if (this.kept.size >= mostKept) {
        this.kept.clear();
      }
      this.kept.set(key, { answer, files, state, at });
    }
    return answer;
  }

  /** A clock that was set back must not make an entry valid again. */
  private isYoung({ at }: Kept): boolean {
    const age = this.deps.clock.now() - at;
    return age >= 0 && age < keptMs;
  }

  private async readOrNothing(file: string): Promise<Buffer> {
    return (await ifPresent(this.deps.fs.read(file))) ?? Buffer.alloc(0);
  }

  /** Returns a fingerprint of the files; `undefined` if the same files can give another answer. */
  private async stateOf(
    alias: string,
    files: readonly string[],
    { ownDir, userConfig }: Pick<SshPaths, 'ownDir' | 'userConfig'>,
  ): Promise<string | undefined> {
    const { fs } = this.deps;
    const hash = createHash('sha256');
    // Each file in our folder belongs to one alias, and the others change with every machine.
    const others = files.filter((file) => forwardSlashes(dirname(file)) !== forwardSlashes(ownDir));
    const folders = new Set([userConfig, ...others].map((file) => dirname(file)));
    try {
      for (const file of [...others, join(ownDir, `${alias}.conf`)]) {
        const bytes = await this.readOrNothing(file);
        if (dependsOnProgram.test(bytes.toString('latin1'))) {
          return undefined;
        }
        hash.update(`${file}\0${bytes.length}\0`).update(bytes);
      }
      for (const folder of folders) {
        const names = await fs.list(folder);
        hash.update([folder, ...[...names].sort()].join('\0'));
      }
    } catch {
      // ssh may read files that we can't; then it is asked each time.
      return undefined;
    }
    return hash.digest('hex');
  }
}
