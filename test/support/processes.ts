import { readdirSync, readFileSync } from 'node:fs';

/** The ids of other processes of this machine whose command line holds the text. */
export function processesWith(text: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').includes(text);
      } catch {
        // It has ended.
        return false;
      }
    })
    .map(Number);
}
