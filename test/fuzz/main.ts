import { prepareProduct } from '../support/fakeEditor/product';
import { play } from './scene';

/** Longer than any run; the program ends so that the next runs are not kept waiting. */
const hangMs = 180_000;

/** Plays the runs of the seeds from the first number on, as many as the second says; a line of JSON each. */
async function main(first: number, count: number, isTraced: boolean): Promise<void> {
  const write = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
  prepareProduct();
  for (let seed = first; seed < first + count; seed += 1) {
    const watchdog = setTimeout(() => {
      write({ seed, violations: ['it hangs'], rentals: 0 });
      process.exit(1);
    }, hangMs);
    write(await play(seed, isTraced ? (line) => process.stderr.write(`${line}\n`) : undefined));
    clearTimeout(watchdog);
  }
  process.exit(0);
}

const [first = '1', count = '1', traced] = process.argv.slice(2);
void main(Number(first), Number(count), traced === '--trace');
