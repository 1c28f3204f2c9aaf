/**
 * The gate, what works on machines for long, the slow rest of the linter, the other journeys, seven minutes of
 * fault runs and the figures that count, also when something before was red. Ends with the sum of all, `N passed, N failed`.
 */
import { run } from './process.mjs';
import { root } from './setup.mjs';
import { ciVerdict } from './testing/verdict.mjs';

/** The same runs every time, as many of them as the minutes allow: what is red can be played again. */
const faultRuns = ['run', 'fuzz', '--', '--seed', '1', '--minutes', '5'];
const mirrorRuns = ['run', 'fuzz', '--', 'mirror', '--seed', '1', '--minutes', '2'];

/** Rules that only ESLint has, with types, which takes it minutes. */
const restOfLint = ['test', '--', '--only', 'rest'];

/** What a list, an activation, the package, an open page and an idle instance cost, against what docs/figures.json keeps. */
const figures = ['run', 'bench', '--', '--check', 'instances', 'activation', 'sizes', 'page', 'logins'];

const runs = [];
for (const args of [
  ['test'],
  ['run', 'test:machines'],
  restOfLint,
  ['run', 'test:ui'],
  faultRuns,
  mirrorRuns,
  figures,
]) {
  runs.push(await run('npm', args, { cwd: root, onLine: (line) => process.stdout.write(`${line}\n`) }));
}
const { lines, exitCode } = ciVerdict(runs);
for (const line of lines) process.stdout.write(`${line}\n`);
process.exit(exitCode);
