import { byLoginShell, quoteForShell } from '../../ssh/commandLine';
import { plainText } from '../../ssh/plainText';
import type { SshService } from '../../ssh/service';
import { assembled } from '../../ssh/shellProgram';
import { orCancelled } from '../../util/cancellation';
import { isCancelled, UserError } from '../../util/errors';
import { text } from '../../util/text';
import held from './held.sh';

/** A program of a machine that runs as long as our connection. */
export interface HeldProgram<T> {
  /** What it said first. */
  readonly said: T;
  /** Resolves once it or its connection has ended. */
  readonly ended: Promise<void>;
  close(): void;
}

interface Wanted<T> {
  /** Sets the arguments of the program, and includes `held.sh`. */
  readonly script: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Reads what the script and its program have printed so far; `undefined` if it has not said enough. */
  readonly read: (output: string) => T | undefined;
  readonly startMs: number;
  /** Nobody works with it, so that it keeps no machine awake. */
  readonly isLook?: boolean;
}

/** It ended, or did not say in time where it listens. */
class ProgramFailedError extends UserError {
  constructor(output: string) {
    const last = plainText(output.trimEnd().split('\n').slice(-3).join(' '));
    super(text('The program did not start on the instance: {0}', last === '' ? '–' : last), {
      nextStep: 'retry',
    });
  }
}

const greeting = 'gpu-rental program';
/** The most characters that a program may print before it says where it listens. */
const mostSaid = 200_000;

/** Starts a program in the login shell of the machine, which knows where the image keeps its programs. */
export async function startHeld<T>(
  ssh: Pick<SshService, 'exec'>,
  alias: string,
  { script, variables, read, startMs, isLook = false }: Wanted<T>,
  signal?: AbortSignal,
): Promise<HeldProgram<T>> {
  const stop = new AbortController();
  const close = () => stop.abort();
  const given = Object.entries(variables).map(([name, value]) => `${name}=${quoteForShell(value)}\n`);
  const program = `${given.join('')}echo '${greeting}'\n${assembled(script, { 'held.sh': held })}`;
  let output = '';
  let failure = '';
  let said: T | undefined;
  let onSaid: () => void = () => undefined;
  const isSaid = new Promise<void>((resolve) => (onSaid = resolve));
  const options = {
    ...{ signal: stop.signal, input: openUntil(stop.signal), endsWithUs: true, isLook },
    onStdout: (piece: string) => {
      if (said === undefined && output.length < mostSaid) {
        output += piece;
        said = read(afterGreeting(output));
        if (said !== undefined) {
          onSaid();
        }
      }
    },
  };
  const ended = ssh.exec(alias, byLoginShell(program), options).then(
    ({ stderr }) => void (failure = stderr),
    (error: unknown) => void (failure = isCancelled(error) ? '' : String(error)),
  );
  // The machine works in real time.
  const timer = setTimeout(onSaid, startMs);
  try {
    await orCancelled(Promise.race([isSaid, ended]), signal);
  } finally {
    clearTimeout(timer);
    if (said === undefined) {
      close();
    }
  }
  if (said === undefined) {
    throw new ProgramFailedError(afterGreeting(output) || failure);
  }
  return { said, ended, close };
}

/** Start-up files may print something before it. */
function afterGreeting(output: string): string {
  const at = output.indexOf(`${greeting}\n`);
  return at < 0 ? '' : output.slice(at + greeting.length + 1);
}

/** Standard input that has nothing, and ends with the signal. */
async function* openUntil(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  yield* [];
}
