export type ShellKind = 'posix' | 'powershell';

/**
 * Returns which commands the shell of terminals accepts, by its path. On Windows that is PowerShell
 * unless terminals open another bash than that of WSL, which has an SSH config of its own.
 */
export function shellKindOf(shell: string, platform: NodeJS.Platform): ShellKind {
  const isBash = /[\\/]bash(?:\.exe)?$/i.test(shell) && !/[\\/]system32[\\/]/i.test(shell);
  return platform === 'win32' && !isBash ? 'powershell' : 'posix';
}

/** Returns the shell that a terminal for such commands must open; `undefined` if its usual shell accepts them. */
export function shellPathFor(kind: ShellKind, shell: string): string | undefined {
  if (kind === 'powershell') {
    return 'powershell.exe';
  }
  return /\/(?:nu|pwsh(?:-\w+)?|elvish|xonsh|t?csh)$/.test(shell) ? '/bin/sh' : undefined;
}
