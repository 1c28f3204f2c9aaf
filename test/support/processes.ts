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

/** Whether a process runs; one that has ended may still wait for its parent to ask. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
