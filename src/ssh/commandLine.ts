import { checkAlias } from './validate';

type Command = readonly [program: string, ...args: string[]];

/** Returns a login by alias; the alias is checked, so that it can never be an option. */
export function sshCommand(base: Command, alias: string, more: readonly string[] = []): Command {
  return [...base, checkAlias(alias), ...more];
}

/** Returns the command as a line for the usual shell: PowerShell on Windows, POSIX elsewhere. */
export function commandLine(command: Command, platform: NodeJS.Platform): string {
  const quote = platform === 'win32' ? quoteForPowerShell : quoteForShell;
  const line = command.map(quote).join(' ');
  // PowerShell treats a quoted program as a string unless the call operator precedes it.
  return platform === 'win32' && line.startsWith("'") ? `& ${line}` : line;
}

export function quoteForShell(value: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

/**
 * Returns a command that has `sh` run a script, for any login shell of a machine: sshd gives every command to
 * that shell, and fish, csh and others read our scripts differently. In quotes, fish reads backslashes and csh
 * reads `!`, so they are outside of them. The script has one line, because csh ends quotes at the end of a line.
 */
export function byPosixShell(script: string): string {
  return `exec /bin/sh -c '${script.replace(/['\\!]/g, "'\\$&'")}'`;
}

/** Reads the script from the environment, so that no login shell parses it, and leaves nothing of it there. */
const fromEnvironment = byPosixShell('s=$GPU_RENTAL_SCRIPT; unset GPU_RENTAL_SCRIPT; eval "$s"');

/**
 * Returns the same for a script of `sh`, started by the login shell of the machine: only that
 * shell knows where the image keeps its programs. With the variable, its startup files don't
 * start tmux. `by` is a program that starts it in turn. csh and tcsh can't be started so, and
 * close all other open files: the shell that sshd started has read most settings of a user.
 */
export function byLoginShell(script: string, by = ''): string {
  return [
    `export TMUX=none GPU_RENTAL_SCRIPT=${quoteForShell(script)}`,
    'case "${SHELL:=/bin/sh}" in *csh) set -- /bin/sh -c ;; *) set -- "$SHELL" -lc ;; esac',
    `exec ${by}"$@" ${quoteForShell(fromEnvironment)}`,
  ].join('; ');
}

/**
 * Returns a script that has the login shell of the machine run a command of the user. Some
 * shells read their start-up files again, so the output begins after a line with the mark.
 */
export function byUserShell(command: string, mark: string): string {
  return `exec "\${SHELL:-/bin/sh}" -c ${quoteForShell(`echo ${mark}; ${command}`)}`;
}

/** PowerShell reads typographic quotes as plain ones. */
function quoteForPowerShell(value: string): string {
  const quotes = /['\u2018-\u201b]/g;
  return /^[A-Za-z0-9_+=:./\\-]+$/.test(value) ? value : `'${value.replace(quotes, '$&$&')}'`;
}
