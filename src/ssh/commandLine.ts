import { checkAlias } from './validate';

type Command = readonly [program: string, ...args: string[]];

/** A login by alias; the alias is checked, so that it can never be an option. */
export function sshCommand(base: Command, alias: string, more: readonly string[] = []): Command {
  return [...base, checkAlias(alias), ...more];
}

/** The command as a line for the shell that people use here: PowerShell on Windows, POSIX elsewhere. */
export function commandLine(command: Command, platform: NodeJS.Platform): string {
  const quote = platform === 'win32' ? quoteForPowerShell : quoteForShell;
  const line = command.map(quote).join(' ');
  // PowerShell takes a quoted program for a text, unless it is called.
  return platform === 'win32' && line.startsWith("'") ? `& ${line}` : line;
}

export function quoteForShell(value: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

function quoteForPowerShell(value: string): string {
  return /^[A-Za-z0-9_+=:./\\-]+$/.test(value) ? value : `'${value.replaceAll("'", "''")}'`;
}
