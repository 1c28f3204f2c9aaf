import { prepareProduct } from '../support/fakeEditor/product';
import { killAt } from '../support/feature/jobKills';
import { jobPlaces } from '../support/feature/jobPlaces';
import { playEnds } from './ends';
import { anyBlows, playJob } from './jobs/scene';
import { play, type RunResult } from './scene';

/** Longer than any run; the program ends so that the next runs are not kept waiting. */
const hangMs = 180_000;

type Play = (seed: number, trace?: (line: string) => void) => Promise<RunResult>;

const plays: Readonly<Record<string, Play>> = {
  money: play,
  ends: playEnds,
  jobs: async (seed, trace) => {
    const { violations, rentals } = await playJob(seed, anyBlows, trace);
    return { seed, violations, rentals };
  },
  kills: async (seed, trace) => {
    const place = jobPlaces[seed % jobPlaces.length] ?? '';
    trace?.(place);
    const { violations, rentals } = await killAt(place);
    return { seed, violations: violations.map((one) => `${place}: ${one}`), rentals };
  },
};

/** Plays the runs of the seeds from the first number on, as many as the second says; a line of JSON each. */
async function main(kind: string, first: number, count: number, isTraced: boolean): Promise<void> {
  const playOne = plays[kind];
  if (!playOne) {
    throw new Error(`There are no ${kind} runs`);
  }
  const write = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
  prepareProduct();
  for (let seed = first; seed < first + count; seed += 1) {
    const watchdog = setTimeout(() => {
      write({ seed, violations: ['it hangs'], rentals: 0 });
      process.exit(1);
    }, hangMs);
    write(await playOne(seed, isTraced ? (line) => process.stderr.write(`${line}\n`) : undefined));
    clearTimeout(watchdog);
  }
  process.exit(0);
}

const [kind = '', first = '1', count = '1', traced] = process.argv.slice(2);
void main(kind, Number(first), Number(count), traced === '--trace');
