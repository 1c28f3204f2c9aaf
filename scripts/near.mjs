/**
 * `npm run test:near`: the unit, contract and feature tests that import what differs from main, committed or not.
 *
 *   npm run test:near                          what git says has changed
 *   npm run test:near -- src/model/money.ts    as if these had
 *
 * Of many, the nearest run: those with the fewest imports between them and what changed. `--all` runs all of them.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readOptions, run } from './process.mjs';
import { root, setUpOrEnd } from './setup.mjs';
import { testsNear } from './testing/near.mjs';

/** So many take about ten seconds. */
const most = 20;

await setUpOrEnd(['modules']);
const { importGraph } = await import('./testing/importGraph.mjs');
const { values, positionals } = readOptions({
  options: { all: { type: 'boolean' } },
  allowPositionals: true,
});
const changed = positionals.length > 0 ? positionals : await changedFiles();
const found = testsNear(importGraph(), changed, (file) => readFileSync(path.join(root, file), 'utf8'));
const files = found.slice(0, values.all ? found.length : most);
const left = found.length - files.length;
process.stdout.write(
  `${changed.length} changed, ${found.length} files of tests${left > 0 ? `, the nearest ${most} run` : ''}\n`,
);
if (files.length > 0) {
  const mocha = path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const flags = ['--forbid-only', '--forbid-pending', '--reporter', 'dot', '--parallel', '--jobs', '3'];
  const { code } = await run(process.execPath, [mocha, ...flags, ...files], { cwd: root });
  process.exit(code === 0 ? 0 : 1);
}

async function changedFiles() {
  const hasMain = (await git('rev-parse', '--verify', '--quiet', 'main')).length > 0;
  const [base = 'HEAD'] = hasMain ? await git('merge-base', 'main', 'HEAD') : [];
  const tracked = await git('diff', '--name-only', base);
  return [...tracked, ...(await git('ls-files', '--others', '--exclude-standard'))];
}

async function git(...args) {
  const { lines } = await run('git', args, { cwd: root, onLine: () => undefined });
  return lines;
}
