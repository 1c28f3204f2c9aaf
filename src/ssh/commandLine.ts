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
 * Returns a command that has `sh` run a script, whatever the login shell of a machine is: sshd gives every command to that,
 * and fish and others read our scripts differently. In quotes, fish reads backslashes, so they are outside of them.
 */
export function byPosixShell(script: string): string {
  return `exec /bin/sh -c '${script.replace(/['\\]/g, "'\\$&'")}'`;
}

/**
 * Returns the same for a script of `sh`, started by the login shell of the machine: only that knows where the image keeps
 * its programs. With the variable, its startup files don't start tmux. `by` is a program that starts it in turn.
 */
export function byLoginShell(script: string, by = ''): string {
  return `TMUX=none exec ${by}"\${SHELL:-/bin/sh}" -lc ${quoteForShell(byPosixShell(script))}`;
}

/** PowerShell takes typographic quotes for plain ones. */
function quoteForPowerShell(value: string): string {
  const quotes = /['\u2018-\u201b]/g;
  return /^[A-Za-z0-9_+=:./\\-]+$/.test(value) ? value : `'${value.replace(quotes, '$&$&')}'`;
}
