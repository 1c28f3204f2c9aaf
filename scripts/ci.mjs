/** The gate and then the other journeys, also when the gate is red. Ends with the sum of both, `N passed, N failed`. */
import { run } from './process.mjs';
import { root } from './setup.mjs';
import { ciVerdict } from './testing/verdict.mjs';

const runs = [];
for (const args of [['test'], ['run', 'test:ui']]) {
  runs.push(await run('npm', args, { cwd: root, onLine: (line) => process.stdout.write(`${line}\n`) }));
}
const { lines, exitCode } = ciVerdict(runs);
for (const line of lines) process.stdout.write(`${line}\n`);
process.exit(exitCode);
