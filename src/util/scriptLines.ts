import { text, type Text } from './text';

/**
 * Returns a script with lines that end as on the machine: a shell, and a first line with an
 * interpreter, read the carriage return of Windows, and a byte order mark, as a part of the line. All
 * else stays as it is. Every text of a user, a folder or an agent that runs on a machine passes here.
 */
export function scriptLines(script: string): string {
  return script.replace(/^\ufeff+/, '').replace(/\r\n?/g, '\n');
}

/** Returns the first line of a script, and how many more there are. */
export function firstLineText(script: string): Text | string {
  const [first = '', ...more] = script.split('\n').filter((line) => line.trim() !== '');
  return more.length === 0 ? first : text('{0} … (more lines: {1})', first, more.length);
}
