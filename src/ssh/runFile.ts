import { UserError } from '../util/errors';
import { text } from '../util/text';
import { quoteForShell } from './commandLine';
import { plainText } from './plainText';
import { isRemotePath } from './remoteFolders';
import type { SshService } from './service';

/** What runs a kind of file, by the ending of its name. */
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

/** A kind of file that nothing is known to run. */
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
  constructor(said: string) {
    super(text('The file could not be put on the instance: {0}', plainText(said) || '–'), {
      nextStep: 'retry',
    });
  }
}

/** The command for a file: by its name, else by its own first line (`undefined`: it is run as a program). */
export function interpreterFor(name: string, content: string): string | undefined {
  const known = interpreters.get(/\.([A-Za-z]+)$/.exec(name)?.[1]?.toLowerCase() ?? '');
  if (known === undefined && !content.startsWith('#!')) {
    throw new NoInterpreterError(name);
  }
  return known;
}

/** A name for the file on the machine: what is not plain in it is replaced, the ending stays. */
export function remoteName(name: string): string {
  const plain = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]/gu, '_').slice(-150);
  return plain === '' || plain === '.' || plain === '..' ? 'file' : plain;
}

/** Puts the text into a new folder that only the user of the machine can read; the folder. */
export async function sendFile(
  ssh: Pick<SshService, 'exec'>,
  alias: string,
  { name, content }: { readonly name: string; readonly content: string },
  signal?: AbortSignal,
): Promise<string> {
  const script = [
    'umask 077',
    'd=$(mktemp -d "${TMPDIR:-/tmp}/gpu-rental-XXXXXXXX") || exit 1',
    `cat > "$d"/${quoteForShell(remoteName(name))} || exit 1`,
    'printf "folder %s\\n" "$d"',
  ].join('\n');
  const result = await ssh.exec(alias, script, { signal, input: content, timeoutMs: 120_000 });
  const folder = /^folder (.+)$/m.exec(result.stdout)?.[1];
  if (result.code !== 0 || !isRemotePath(folder)) {
    throw new FileNotSentError(result.timedOut ? 'time-out' : result.stderr);
  }
  return folder;
}

/**
 * The script for a terminal: runs the file where people work, says how it ended, waits for Enter, since a terminal
 * closes with its command, and takes the folder away.
 */
export function runScript(
  folder: string,
  name: string,
  interpreter: string | undefined,
  words: { readonly ended: string },
): string {
  const file = `${quoteForShell(folder)}/${quoteForShell(remoteName(name))}`;
  const script = [
    'unset TMUX',
    'if [ -d /workspace ]; then cd /workspace; else cd; fi',
    interpreter === undefined ? `chmod u+x ${file}; ${file}` : `${interpreter} ${file}`,
    'code=$?',
    `rm -rf ${quoteForShell(folder)}`,
    `printf "\\n%s %s\\n" ${quoteForShell(words.ended)} "$code"`,
    'read -r answer',
    // It was said; the editor would complain about any other end, with the whole command.
    'exit 0',
  ].join('; ');
  // Only a login shell knows where the image keeps its programs; with the variable its start-up files begin no tmux.
  return ['TMUX=none', 'exec', '"${SHELL:-/bin/sh}"', '-lc', quoteForShell(script)].join(' ');
}
