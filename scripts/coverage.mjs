// Runs the tests of the client, the schemas and the simulator, and prints the figures of docs/figures.md.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const hook = fileURLToPath(new URL('coverageHook.cjs', import.meta.url));
const contract = 'test/contract/**/*.test.ts';
const mocha = ['mocha', '--require', './scripts/sources.cjs', '--timeout', '60000', '--recursive'];
const npx = (args, options = {}) => spawnSync('npx', ['--no-install', ...args], { cwd: root, ...options });

rmSync(new URL('../coverage', import.meta.url), { recursive: true, force: true });
const run = npx(
  [
    'c8',
    ...mocha,
    '--reporter',
    'dot',
    'test/unit/api/**/*.test.ts',
    'test/unit/simulator/**/*.test.ts',
    contract,
  ],
  { stdio: 'inherit', env: { ...process.env, NODE_OPTIONS: `--require ${hook}` } },
);

const listed = npx([...mocha, '--dry-run', '--reporter', 'dot', contract], { encoding: 'utf8' });
const contractTests = /(\d+) passing/.exec(listed.stdout)?.[1] ?? 'unknown';
const propertyRuns = readFileSync(new URL('../coverage/property-runs', import.meta.url), 'utf8');

/** Branches found and hit, by folder. */
const branches = {};
let folder = '';
for (const line of readFileSync(new URL('../coverage/lcov.info', import.meta.url), 'utf8').split('\n')) {
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
process.exit(run.status ?? 1);
