import { readdirSync, readFileSync } from 'node:fs';

/**
 * Ends all that was started in a machine and is still there, also what detached itself: each process
 * carries the machine's token in its environment. Only where `/proc` tells (Linux); elsewhere the
 * processes end with their connections.
 */
export function endProcessesOf(token: string): void {
  const mark = `SIMULATED_MACHINE=${token}`;
  for (const name of namesIn('/proc')) {
    const pid = Number(name);
    if (Number.isInteger(pid) && pid !== process.pid && environmentOf(pid).includes(mark)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended in between.
      }
    }
  }
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    // Ended, or of another user: not ours.
    return [];
  }
}
