import type { RunResult } from './scene';

/** Longer than any run; the program ends so that the next runs are not kept waiting. */
const hangMs = 400_000;

export type Play = (seed: number, trace?: (line: string) => void) => Promise<RunResult>;

/**
 * Plays the runs of the seeds from the first number on, as many as the second says; a line of JSON each. With `--trace` the
 * steps are told.
 */
export async function playAll(playOne: Play, [first = '1', count = '1', traced]: readonly string[]) {
  const write = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
  const trace = traced === '--trace' ? (line: string) => process.stderr.write(`${line}\n`) : undefined;
  for (let seed = Number(first); seed < Number(first) + Number(count); seed += 1) {
    const watchdog = setTimeout(() => {
      write({ seed, violations: ['it hangs'], rentals: 0 });
      process.exit(1);
    }, hangMs);
    write(await playOne(seed, trace));
    clearTimeout(watchdog);
  }
  process.exit(0);
}
