/**
 * Returns a script with lines that end as on the machine: a shell, and a first line with an interpreter, take the carriage
 * return of Windows, and a byte order mark, for a part of the line. All else stays as it is. Every text of a user, a folder
 * or an agent that runs on a machine passes here.
 */
export function scriptLines(script: string): string {
  return script.replace(/^\ufeff+/, '').replace(/\r\n?/g, '\n');
}
