/**
 * `npm run test:shown`: records what the feature tests show, send and log, which later runs are compared with.
 *
 *   npm run test:shown                   all files of feature tests
 *   npm run test:shown -- leases budget  some of them, by name
 *   npm run test:shown -- --check        compares instead of recording
 *
 * Runs the tests `--runs` times, 3 by default. Only lines that came in all runs are recorded, because what
 * depends on chance would fail by chance. What many tests show, as the messages of a sign-in, is kept for the four with the fewest
 * lines: that is enough to notice a change, and a change of one sentence stays a change of a few lines.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readOptions, run } from './process.mjs';
import { root, setUpOrEnd } from './setup.mjs';
import { chosenLines, steadyLines } from './testing/shown.mjs';

const { values, positionals } = readOptions({
  options: { runs: { type: 'string', default: '3' }, check: { type: 'boolean', default: false } },
  allowPositionals: true,
});
await setUpOrEnd(['modules', 'ssh', 'tools']);

const tests = path.join(root, 'test', 'feature');
const recorded = path.join(tests, 'shown');
const all = readdirSync(tests)
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => file.replace('.test.ts', ''));
const names = positionals.length > 0 ? positionals : all;
const unknown = names.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There are no feature tests ${unknown.join(', ')}.\n`);
  process.exit(2);
}

if (values.check) process.exit((await runTests({ GPU_RENTAL_TEST_COMPARE: '1' })) ? 0 : 1);

const target = path.join(root, 'out', 'shown');
rmSync(target, { recursive: true, force: true });
const folders = Array.from({ length: Number(values.runs) }, (_, index) =>
  path.join(target, String(index + 1)),
);
for (const folder of folders) {
  if (await runTests({ GPU_RENTAL_TEST_SHOWN: folder })) continue;
  process.stderr.write('Tests that failed have shown only a part. Nothing was recorded.\n');
  process.exit(1);
}

async function runTests(more) {
  const mocha = path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const flags = ['--parallel', '--jobs', '2', '--reporter', 'dot'];
  const files = names.map((name) => path.join('test', 'feature', `${name}.test.ts`));
  const env = { ...process.env, ...more };
  const { code } = await run(process.execPath, [mocha, ...flags, ...files], { cwd: root, env });
  return code === 0;
}

const read = (folder, name) => {
  const file = path.join(folder, `${name}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
};
const others = Object.fromEntries(
  all.filter((name) => !names.includes(name)).map((name) => [name, read(recorded, name)]),
);
const fresh = Object.fromEntries(
  names.map((name) => [name, steadyLines(folders.map((folder) => read(folder, name)))]),
);
mkdirSync(recorded, { recursive: true });
for (const [name, suites] of Object.entries(chosenLines(fresh, others))) {
  const file = path.join(recorded, `${name}.json`);
  rmSync(file, { force: true });
  if (Object.keys(suites).length > 0) writeFileSync(file, `${JSON.stringify(suites, null, 2)}\n`);
}
