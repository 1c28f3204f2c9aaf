/** Ends the line of an on-start script that is ours. */
export const guardMark = '# GPU Rental: stops this machine after its job';

/**
 * The script with our line before the user's own; `undefined` where it begins with another interpreter than a shell.
 * The user's script stays as it is, because it may never end, or end the shell.
 */
export function withGuard(script: string | undefined, line: string): string | undefined {
  const [first = ''] = script?.split('\n', 1) ?? [];
  if (!first.startsWith('#!')) {
    return line + (script ?? '');
  }
  return /^#!\s*(\/usr\/bin\/env\s+)?(\S*\/)?(ba|da|a|z|k)?sh(\s|$)/.test(first)
    ? `${first}\n${line}${script?.slice(first.length + 1) ?? ''}`
    : undefined;
}

/** The user's own script. */
export function withoutGuard(script: string): string {
  return script
    .split('\n')
    .filter((line) => !line.endsWith(guardMark))
    .join('\n');
}
