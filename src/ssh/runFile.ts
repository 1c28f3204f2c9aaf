import { UserError } from '../util/errors';
import { scriptLines } from '../util/scriptLines';
import { text } from '../util/text';
import { byLoginShell, byPosixShell, quoteForShell } from './commandLine';
import { plainText } from './plainText';
import { isRemotePath } from './remoteFolders';
import type { SshService } from './service';

/** The interpreter of a kind of file, by its extension. */
const interpreters: ReadonlyMap<string, string> = new Map([
  ['py', 'python3 -u'],
  ['sh', 'sh'],
  ['bash', 'bash'],
  ['zsh', 'zsh'],
  ['js', 'node'],
  ['mjs', 'node'],
  ['cjs', 'node'],
  ['r', 'Rscript'],
  ['jl', 'julia'],
  ['pl', 'perl'],
  ['rb', 'ruby'],
  ['lua', 'lua'],
  ['php', 'php'],
]);

/** No interpreter is known for this kind of file. */
export class NoInterpreterError extends UserError {
  constructor(name: string) {
    super(
      text(
        'No program is known for {0}. Give it a first line like "#!/usr/bin/env python3", or a name that ends in .py, .sh or .js.',
        plainText(name),
      ),
    );
  }
}

/** The file did not reach the machine. */
export class FileNotSentError extends UserError {
  constructor(message: string) {
    super(text('The file could not be put on the instance: {0}', plainText(message) || '–'), {
      nextStep: 'retry',
    });
  }
}

/** The shells that a first line may name: a script for bash fails in another `sh`. */
const shells = ['sh', 'bash', 'zsh'];

/**
 * Returns the program that a first line names, with the rest of the line as one argument, as the kernel reads it. The file
 * itself can't be executed where its folder is mounted with `noexec`.
 */
function namedInterpreter(content: string): string | undefined {
  const [first = ''] = scriptLines(content).split('\n', 1);
  const [, program, rest] = /^#![ \t]*(\S+)(?:[ \t]+(\S.*?))?[ \t\r]*$/.exec(first) ?? [];
  return program === undefined
    ? undefined
    : [program, ...(rest === undefined ? [] : [rest])].map(quoteForShell).join(' ');
}

/** Returns the command for a file: by its name, otherwise, and for a shell script, by its first line. */
export function interpreterFor(name: string, content: string): string {
  const known = interpreters.get(/\.([A-Za-z]+)$/.exec(name)?.[1]?.toLowerCase() ?? '');
  const named = namedInterpreter(content);
  const interpreter = known !== undefined && !shells.includes(known) ? known : (named ?? known);
  if (interpreter === undefined) {
    throw new NoInterpreterError(name);
  }
  return interpreter;
}

/** Returns a safe name for the file on the machine: special characters are replaced, the extension stays. */
export function remoteName(name: string): string {
  const plain = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]/gu, '_').slice(-150);
  return plain === '' || plain === '.' || plain === '..' ? 'file' : plain;
}

interface SentScript {
  readonly name: string;
  readonly content: string;
  /** The text of `<name>.lock`, in which uv keeps the versions for a script. */
  readonly lock?: string | undefined;
}

/**
 * Writes the text into a new folder that only the user of the machine can read, with line ends of the machine; returns the
 * folder.
 */
export async function sendFile(
  ssh: Pick<SshService, 'exec'>,
  alias: string,
  { name, content, lock }: SentScript,
  signal?: AbortSignal,
): Promise<string> {
  const made = 'd=$(mktemp -d "${TMPDIR:-/tmp}/gpu-rental-XXXXXXXX") || exit 1';
  const file = remoteName(name);
  const folder = await sendText(ssh, alias, made, file, scriptLines(content), signal);
  if (lock !== undefined) {
    await sendText(ssh, alias, `d=${quoteForShell(folder)}`, `${file}.lock`, lock, signal);
  }
  return folder;
}

/** Writes one file into the folder that the first line of the script sets; returns the folder. */
async function sendText(
  ssh: Pick<SshService, 'exec'>,
  alias: string,
  setFolder: string,
  file: string,
  input: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const script = [
    'umask 077',
    setFolder,
    `cat > "$d"/${quoteForShell(file)} || exit 1`,
    'printf "folder %s\\n" "$d"',
  ].join('\n');
  const result = await ssh.exec(alias, script, { signal, input, timeoutMs: 120_000 });
  const folder = /^folder (.+)$/m.exec(result.stdout)?.[1];
  if (result.code !== 0 || !isRemotePath(folder)) {
    throw new FileNotSentError(result.timedOut ? 'time-out' : result.stderr);
  }
  return folder;
}

/**
 * Returns the script for a terminal: it runs the file in the working folder, reports the result, waits for Enter (a
 * terminal closes with its command), and removes the folder. With the place of its neighbors, they are what it reads and
 * what Python imports.
 */
export function runScript(
  folder: string,
  name: string,
  interpreter: string,
  words: { readonly ended: string; readonly neighbors?: string | undefined },
): string {
  const place = words.neighbors === undefined ? undefined : quoteForShell(words.neighbors);
  const file = `${quoteForShell(folder)}/${quoteForShell(remoteName(name))}`;
  const script = [
    'unset TMUX',
    place === undefined
      ? 'if [ -d /workspace ]; then cd /workspace; else cd; fi'
      : `cd ${place} || exit; export PYTHONPATH=${place}"\${PYTHONPATH:+:$PYTHONPATH}"`,
    `${interpreter} ${file}`,
    'code=$?',
    `rm -rf ${quoteForShell(folder)}`,
    `printf "\\n%s %s\\n" ${quoteForShell(words.ended)} "$code"`,
    'read -r answer',
    // The result was already shown; the editor would report any other exit code with the whole command.
    'exit 0',
  ].join('; ');
  return byPosixShell(byLoginShell(script));
}
