// Runs the tests of the client, the schemas and the simulator, and prints the figures of docs/figures.md.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './process.mjs';
import { root } from './setup.mjs';

const results = path.join(root, 'coverage');
const hook = fileURLToPath(new URL('coverageHook.cjs', import.meta.url));
const contract = 'test/contract/**/*.test.ts';
const c8 = path.join(root, 'node_modules', 'c8', 'bin', 'c8.js');
const mocha = [
  path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js'),
  ...['--require', './scripts/sources.cjs', '--timeout', '60000', '--recursive', '--reporter', 'dot'],
];
const node = (args, options) => run(process.execPath, args, { cwd: root, ...options });

rmSync(results, { recursive: true, force: true });
const files = ['test/unit/api/**/*.test.ts', 'test/unit/simulator/**/*.test.ts', contract];
const { code } = await node([c8, process.execPath, ...mocha, ...files], {
  env: { ...process.env, NODE_OPTIONS: `--require "${hook}"` },
});
const counts = path.join(results, 'lcov.info');
const runs = path.join(results, 'property-runs');
if (!existsSync(counts) || !existsSync(runs)) {
  process.stderr.write('The tests ended before they were counted.\n');
  process.exit(code || 1);
}

const { lines } = await node([...mocha, '--dry-run', contract], { onLine: () => undefined });
const contractTests = /(\d+) passing/.exec(lines.join('\n'))?.[1] ?? 'unknown';
const propertyRuns = readFileSync(runs, 'utf8');

/** Branches found and hit, by folder. */
const branches = {};
let folder = '';
for (const line of readFileSync(counts, 'utf8').split('\n')) {
  const [kind, value = ''] = line.split(':');
  if (kind === 'SF') {
    folder = /src[\\/](\w+)/.exec(value)?.[1] ?? '';
    branches[folder] ??= { BRF: 0, BRH: 0 };
  } else if (kind === 'BRF' || kind === 'BRH') {
    branches[folder][kind] += Number(value);
  }
}

console.log(`\ncontract tests: ${contractTests}\nproperty-test runs: ${propertyRuns}`);
for (const [name, { BRF, BRH }] of Object.entries(branches)) {
  console.log(`branches of src/${name}: ${((100 * BRH) / BRF).toFixed(1)} % of ${BRF}`);
}
process.exit(code);
