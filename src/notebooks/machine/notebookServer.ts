import { randomBytes } from 'node:crypto';
import alone from '../../ssh/alone.sh';
import containerVariables from '../../ssh/containerVariables.sh';
import lock from '../../ssh/lock.sh';
import { plainText } from '../../ssh/plainText';
import type { SshService } from '../../ssh/service';
import { assembled } from '../../ssh/shellProgram';
import { lastLines } from '../../ssh/transfer';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import type { KernelOfFolder } from './kernelOfFolder';
import script from './server.sh';

/** The script that runs on a machine, for the checks of the tests. */
export const notebookScript = assembled(script, {
  'alone.sh': alone,
  'lock.sh': lock,
  'containerVariables.sh': containerVariables,
});

/** Our Jupyter server on a machine, which listens on the machine's loopback address only. */
export interface NotebookServer {
  readonly port: number;
  /** 64 hexadecimal digits, stored only in one file on the machine and in memory here. */
  readonly token: string;
}

export type StartAnswer =
  | ({ readonly kind: 'running' } & NotebookServer)
  /** This Python lacks a Jupyter server or ipykernel. */
  | { readonly kind: 'missing'; readonly python: string }
  | { readonly kind: 'noPython' }
  /** No server of ours runs, and none was to be started. */
  | { readonly kind: 'none' };

/** The machine can't run a server for notebooks; the connection works. */
export class NotebookServerError extends UserError {}

type Exec = Pick<SshService, 'exec'>;

const greeting = 'gpu-rental notebooks';
/** Another window may take its turn first, and a server on a slow disk a minute. */
const startMs = 180_000;
/** A login and one file. */
const lookMs = 45_000;
/** The longest of all steps. */
export const installMs = 20 * 60_000;
/** The machine notices within a minute that a step was cut off. */
const turnMinutes = Math.ceil(Math.max(startMs, installMs) / 60_000) + 1;

/** Finds our server on the machine or starts one; installs nothing. */
export async function startServer(
  ssh: Exec,
  alias: string,
  folder: string,
  signal?: AbortSignal,
): Promise<StartAnswer> {
  const lines = await ask(ssh, alias, ['start', randomBytes(32).toString('hex'), folder], {
    signal,
    timeoutMs: startMs,
  });
  return startAnswerOf(lines);
}

/** Finds our server on the machine if it runs; starts none. */
export async function findServer(ssh: Exec, alias: string, signal?: AbortSignal): Promise<StartAnswer> {
  return startAnswerOf(await ask(ssh, alias, ['find', '', ''], { signal, timeoutMs: startMs, isLook: true }));
}

/** Installs what is missing, after the user agreed; `say` receives the steps of pip. */
export async function installServer(
  ssh: Exec,
  alias: string,
  report: (step: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const onStdout = (piece: string) => {
    const step = piece.trimEnd().split('\n').at(-1) ?? '';
    if (step !== '') {
      report(plainText(step).slice(0, 80));
    }
  };
  const lines = await ask(ssh, alias, ['install', '', ''], { signal, timeoutMs: installMs, onStdout });
  throwIfRefused(lines);
  if (lines.at(-1) !== 'installed') {
    throw new NotebookServerError(
      text('Could not install Jupyter on the instance: {0}', plainText(lines.slice(-4, -1).join(' ')) || '–'),
      { nextStep: 'retry' },
    );
  }
}

/** Adds a kernel to those that the server lists, or changes it. */
export async function addKernel(
  ssh: Exec,
  alias: string,
  { name, spec }: KernelOfFolder,
  signal?: AbortSignal,
): Promise<void> {
  const options = { signal, timeoutMs: lookMs, isLook: true };
  const lines = await ask(ssh, alias, ['kernel', name, ''], options, [JSON.stringify(spec)]);
  throwIfRefused(lines.at(-1) === 'added' ? [] : ['no-folder']);
}

async function ask(
  ssh: Exec,
  alias: string,
  input: readonly string[],
  options: Omit<NonNullable<Parameters<Exec['exec']>[2]>, 'input'>,
  more: readonly string[] = [],
): Promise<readonly string[]> {
  const result = await ssh.exec(alias, notebookScript, {
    ...options,
    input: `${[...input, turnMinutes, ...more].join('\n')}\n`,
  });
  const lines = result.stdout.split(/\r?\n/).filter((line) => line !== '');
  const start = lines.indexOf(greeting);
  if (start < 0 || result.timedOut) {
    throw new NotebookServerError(
      text(
        'Could not reach the instance: {0}',
        result.timedOut ? 'time-out' : plainText(lastLines(result)) || '–',
      ),
      { nextStep: 'retry' },
    );
  }
  return lines.slice(start + 1);
}

export function startAnswerOf(lines: readonly string[]): StartAnswer {
  // What a start-up file left running may print in between.
  const at = lines.findIndex((line) => /^(?:running |missing \/|(?:no-python|none|failed)$)/.test(line));
  const first = lines[at] ?? '';
  const rest = at < 0 ? lines : lines.slice(at + 1);
  const [, port, token] = /^running (\d{1,5}) ([0-9a-f]{64})$/.exec(first) ?? [];
  if (port !== undefined && token !== undefined && Number(port) > 0 && Number(port) < 65_536) {
    return { kind: 'running', port: Number(port), token };
  }
  const [, python] = /^missing (\/.{1,300})$/.exec(first) ?? [];
  if (python !== undefined) {
    return { kind: 'missing', python: plainText(python) };
  }
  if (first === 'no-python') {
    return { kind: 'noPython' };
  }
  if (first === 'none') {
    return { kind: 'none' };
  }
  throwIfRefused(lines);
  throw new NotebookServerError(
    text('The Jupyter server did not start: {0}', plainText(withoutTokens(rest)).slice(-400) || '–'),
    { nextStep: 'retry' },
  );
}

/** Some servers write their token into their log. */
function withoutTokens(lines: readonly string[]): string {
  return lines.join(' ').replace(/[0-9a-f]{64}/gi, '…');
}

/** Throws if the script refused before it did anything. */
function throwIfRefused([first]: readonly string[]): void {
  if (first === 'no-folder') {
    throw new NotebookServerError(
      text('Could not write to the home folder of the instance. Check its free space.'),
      { nextStep: 'retry' },
    );
  }
  if (first === 'busy') {
    throw new NotebookServerError(
      text('Another window is setting up Jupyter on the instance. Try again when it has finished.'),
      { nextStep: 'retry' },
    );
  }
}
