import { scriptLines } from '../../util/scriptLines';
import { withoutSharedTmux } from '../instances/sharedTmux';
import { hostKeyLineMark } from './hostKeyLine';

/** Marks the end of our line in an on-start script. */
export const guardMark = '# GPU Rental: stops this machine after its job';
const terminalMark = '# GPU Rental: gives each terminal its own screen';

/** The line that comes with the guard, so that the first login is not in the shared tmux. */
export const ownTerminalLine = `${withoutSharedTmux} || : ${terminalMark}\n`;

/**
 * Returns the script with our line before the user's own; `undefined` if it starts with an interpreter other than a
 * shell. The user's script stays unchanged, because it may never end, or may end the shell.
 */
export function withGuard(written: string | undefined, line: string): string | undefined {
  const script = written === undefined ? undefined : scriptLines(written);
  const [first = ''] = script?.split('\n', 1) ?? [];
  if (!first.startsWith('#!')) {
    return line + (script ?? '');
  }
  return /^#!\s*(\/usr\/bin\/env\s+)?(\S*\/)?(ba|da|a|z|k)?sh(\s|$)/.test(first)
    ? `${first}\n${line}${script?.slice(first.length + 1) ?? ''}`
    : undefined;
}

/** Returns only the user's own script. */
export function withoutGuard(script: string): string {
  return script
    .split('\n')
    .filter((line) => ![guardMark, terminalMark, hostKeyLineMark].some((mark) => line.endsWith(mark)))
    .join('\n');
}
