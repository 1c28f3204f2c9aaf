import type { Clock } from '../util/clock';
import { scriptLines } from '../util/scriptLines';
import { InputTakenError } from './answer';
import { byLoginShell } from './commandLine';
import containerVariables from './containerVariables.sh';
import type { RunOptions, RunResult } from './run';
import type { SshService } from './service';

/**
 * The outcome of a command whose own end was not seen. The machine ended it once its time was over,
 * it may still run there after that time, or the connection failed before, during or after it.
 */
export type CommandTrouble = 'ended' | 'mayRun' | 'cut';

export interface TimedResult extends Pick<RunResult, 'code' | 'stdout' | 'stderr'> {
  readonly trouble?: CommandTrouble | undefined;
}

/** `timeout` ends with the first code, and with the second one if it had to kill. */
const codesOfTimeout: readonly (number | null)[] = [124, 137];
/** `ssh` ends with these where the connection failed. */
const codesOfSsh: readonly (number | null)[] = [255, null];
/** For the login, and for a command that does not end at once (ms). */
const spareMs = 2_000;

/**
 * Like the script of a job: with the programs of a login shell and the variables of the container.
 * Its startup files do not read the command, and their output is not part of its output.
 */
const inLogin = `exec <&3 >&4 3<&- 4>&-\n${containerVariables}exec sh -s`;
const asideOfStartup = '3<&0 4>&1 </dev/null >/dev/null';

/** Returns the reason as the result of a command that did not run. */
function notRun(error: unknown): RunResult {
  if (error instanceof InputTakenError) {
    return { code: null, stdout: '', stderr: error.message, timedOut: false };
  }
  throw error;
}

/**
 * Runs a command in a shell of the machine, which ends it with all that it has started once its time is over. The end of
 * the connection alone ends nothing there.
 */
export async function runTimed(
  { ssh, clock }: { readonly ssh: Pick<SshService, 'exec'>; readonly clock: Clock },
  alias: string,
  command: string,
  { timeoutMs, signal }: { readonly timeoutMs: number } & Pick<RunOptions, 'signal'>,
): Promise<TimedResult> {
  const run = (by: string) => `${byLoginShell(inLogin, by)} ${asideOfStartup}`;
  const limited = run(`timeout -k 1 ${Math.ceil(timeoutMs / 1000)} `);
  // Programs of this name without the option are not used.
  const script = `if timeout -k 1 1 true 2>/dev/null; then ${limited}; fi; ${run('')}`;
  const since = clock.elapsed();
  // The command is sent to standard input, so that no other shell parses it.
  const result = await ssh
    .exec(alias, script, {
      input: scriptLines(command),
      timeoutMs: timeoutMs + spareMs,
      signal,
      keepsEnd: true,
    })
    .catch(notRun);
  const isOver = clock.elapsed() - since >= timeoutMs;
  const trouble = result.timedOut
    ? 'mayRun'
    : codesOfSsh.includes(result.code)
      ? 'cut'
      : isOver && codesOfTimeout.includes(result.code)
        ? 'ended'
        : undefined;
  return { ...result, trouble };
}
