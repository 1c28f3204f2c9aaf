/**
 * `npm run fuzz`: random user actions, faults of the service, killed and hanging windows and jumps of the clock, with the
 * simulator's ledger as the judge (`test/fuzz`). Ends with the figures and `N passed, N failed`, as the tests do; red
 * where a run broke a rule.
 *
 *   npm run fuzz                           as many runs as fit into five minutes
 *   npm run fuzz -- --runs 2000            so many runs, however long they take
 *   npm run fuzz -- --minutes 60           as many as fit into an hour
 *   npm run fuzz -- --seed 7 --runs 1      one run again, with its steps
 *   npm run fuzz -- jobs --runs 500        jobs that machines are rented for, with faults at places of their life
 *   npm run fuzz -- models --runs 200      models that machines are rented for, with clients and such faults
 *   npm run fuzz -- ends --runs 1000       the agreed ends of rentals, by all that keeps them and all that can go wrong
 *   npm run fuzz -- mirror --minutes 2     edits on both sides of a folder that is kept on an instance, with faults
 *   npm run fuzz -- kills                  a process that is killed by SIGKILL at each of these places in turn
 *   npm run fuzz -- parked                 the same while a folder goes from one instance to another
 *   npm run fuzz -- parked --seed 200 --runs 1000    such folders with any faults; the seeds before are those places
 */
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { readOptions, run } from './process.mjs';
import { root, setUpOrEnd } from './setup.mjs';

/** How often the figures so far are told. */
const runsPerLine = 100;

const { values, positionals } = readOptions({
  allowPositionals: true,
  options: {
    runs: { type: 'string' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
  },
});
const number = (text, otherwise) => (text === undefined ? otherwise : Number(text));
const [kind = 'money'] = positionals;
/** Runs that share a process; its windows stay in memory, so a new one takes over. */
const perProcess = kind === 'ends' ? 50 : 10;
/** Each place of a life; the lists of `test/support/feature/jobPlaces.ts` are as long. */
const killPlaces = { kills: 56, parked: 119 }[kind];
const runs = number(values.runs, killPlaces ?? Infinity);
const minutes = number(values.minutes, values.runs === undefined && !killPlaces ? 5 : Infinity);
const firstSeed = number(values.seed, killPlaces ? 0 : randomInt(1_000_000_000));
if (!(runs >= 1) || !(minutes > 0) || !Number.isSafeInteger(firstSeed)) {
  process.stderr.write('--runs, --minutes and --seed take numbers.\n');
  process.exit(2);
}
await setUpOrEnd(['modules', 'ssh', 'tools']);

const startedAt = Date.now();
const seconds = () => Math.round((Date.now() - startedAt) / 1000);
const results = [];
let begun = 0;
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, lane));

async function lane() {
  while (begun < runs && seconds() < minutes * 60) {
    const first = firstSeed + begun;
    const count = Math.min(perProcess, runs - begun);
    begun += count;
    await play(first, count);
  }
}

/** Plays seeds in a process of their own. One that ends before its last run counts as broken, and the rest is played. */
async function play(first, count) {
  let next = first;
  const main = path.join(root, 'test', 'fuzz', ...(kind === 'ends' ? [kind] : []), 'main.ts');
  const args = [kind, first, count, ...(runs === 1 ? ['--trace'] : [])].map(String);
  const { lines } = await run(process.execPath, ['--require', './scripts/tempFolder.cjs', main, ...args], {
    cwd: root,
    onLine: (line) => {
      const result = resultIn(line);
      if (result) {
        next = result.seed + 1;
        report(result);
      } else if (runs === 1) process.stdout.write(`${line}\n`);
    },
  });
  if (next < first + count) {
    const hung = results.some(({ seed, violations }) => seed === next - 1 && violations.includes('it hangs'));
    if (!hung) {
      report({ seed: next, violations: [`it crashed: ${lines.slice(-5).join(' ')}`], rentals: 0 });
      next += 1;
    }
    if (next < first + count) await play(next, first + count - next);
  }
}

function resultIn(line) {
  if (!line.startsWith('{"seed":')) return undefined;
  return JSON.parse(line);
}

function report(result) {
  results.push(result);
  for (const violation of result.violations) {
    process.stdout.write(`[fuzz] FAILED: seed ${result.seed}: ${violation}\n`);
  }
  if (result.violations.length > 0) {
    process.stdout.write(`  again with: npm run fuzz -- ${kind} --seed ${result.seed} --runs 1\n`);
  }
  if (results.length % runsPerLine === 0) writeFigures();
}

function broken() {
  return results.filter(({ violations }) => violations.length > 0).length;
}

function writeFigures() {
  const rentals = results.reduce((sum, one) => sum + one.rentals, 0);
  process.stdout.write(
    `fuzz: ${results.length} runs from seed ${firstSeed}, ${rentals} rentals, ${broken()} runs with violations, ${seconds()} s\n`,
  );
}

if (results.length % runsPerLine > 0) writeFigures();
process.stdout.write(`${results.length - broken()} passed, ${broken()} failed\n`);
process.exit(broken() > 0 ? 1 : 0);
