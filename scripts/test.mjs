/**
 * `npm test`: everything, on a fresh clone too. Ends with one line, `N passed, N failed`.
 *
 *   npm test                              all stages
 *   npm test -- --only unit,contract      some of: typecheck lint unit contract package editor ui
 *   npm test -- --only ui --grep "Stop"   only the tests whose name matches
 *
 * Stages go on after one that fails. The first ones run side by side; then the real
 * editor, in two suites at a time.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { codeServer, hostNode } from './host.mjs';
import { makePackage } from './package.mjs';
import { cleanNpmEnvironment, run } from './process.mjs';
import { root, setUp } from './setup.mjs';

const { values } = parseArgs({ options: { only: { type: 'string' }, grep: { type: 'string' } } });
const all = ['typecheck', 'lint', 'unit', 'contract', 'package', 'editor', 'ui'];
const wanted = values.only?.split(',').map((name) => name.trim()) ?? all;
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`Unknown stage ${unknown.join(', ')}; there are: ${all.join(', ')}\n`);
  process.exit(2);
}
const isWanted = (name) => wanted.includes(name);
const needsEditor = isWanted('editor') || isWanted('ui');
const results = path.join(root, 'out', 'results');

const total = { passed: 0, failed: 0 };
/** Said once more at the end, where it is not lost among all that passed. */
const failed = [];
const say = (stage, line) => process.stdout.write(`${`[${stage}]`.padEnd(11)} ${line}\n`);

/** Runs one stage, adds its numbers to the total and says how long it took. */
async function stage(name, work) {
  const started = Date.now();
  const numbers = await work().catch((error) => {
    for (const line of error.message.split('\n')) say(name, line);
    failed.push({ name, title: 'broke off', reason: error.message });
    return { passed: 0, failed: 1 };
  });
  total.passed += numbers.passed;
  total.failed += numbers.failed;
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  say(name, `${numbers.passed} passed, ${numbers.failed} failed (${seconds} s)`);
  return numbers.failed === 0;
}

/** Colours do not survive the prefix that each line gets. */
const environment = {
  ...cleanNpmEnvironment(),
  GPU_RENTAL_HOST_NODE: hostNode,
  GPU_RENTAL_CODE_SERVER: codeServer,
  NO_COLOR: '1',
};

async function check(name, script) {
  const { code } = await run('npm', ['run', '--silent', script], {
    cwd: root,
    env: environment,
    onLine: (line) => say(name, line),
  });
  if (code === 0) return { passed: 1, failed: 0 };
  failed.push({ name, title: `npm run ${script}`, reason: `It ended with exit code ${code}.` });
  return { passed: 0, failed: 1 };
}

async function mocha(name, ...args) {
  const output = path.join(results, `${name.replace('/', '-')}.json`);
  rmSync(output, { force: true });
  const command = [
    path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js'),
    ...['--recursive', '--forbid-only', '--forbid-pending'],
    ...[
      '--reporter',
      path.join(root, 'scripts', 'mochaReporter.cjs'),
      '--reporter-option',
      `output=${output}`,
    ],
    ...(values.grep === undefined ? [] : ['--grep', values.grep]),
    ...args,
  ];
  const { code } = await run(process.execPath, command, {
    cwd: root,
    env: environment,
    onLine: (line) => say(name, line),
  });
  return readNumbers(name, output, code);
}

/** A real editor keeps a core busy while it starts, and then mostly waits. */
const workbenchLanes = Math.min(2, availableParallelism());

/** Each suite of the workbench in a process of its own, so that one that fails neither ends nor skips another. */
async function workbenchSuites() {
  const folder = path.join(root, 'test', 'ui');
  // The longest first, so that none is left over at the end; a file's size tells nearly enough.
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => ({ file, size: statSync(path.join(folder, file)).size }))
    .sort((a, b) => b.size - a.size);
  const sum = { passed: 0, failed: 0 };
  await inLanes(workbenchLanes, files, async ({ file }) => {
    const name = `ui/${file.replace('.test.ts', '')}`;
    const numbers = await mocha(name, path.join('test', 'ui', file));
    sum.passed += numbers.passed;
    sum.failed += numbers.failed;
  });
  return sum.passed + sum.failed === 0 ? { passed: 0, failed: 1 } : sum;
}

/** So many at a time, in their order. */
async function inLanes(count, work, run) {
  const left = [...work];
  const lane = async () => {
    for (let next = left.shift(); next; next = left.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: count }, lane));
}

/** A stage that broke off, or in which nothing ran, has failed whatever it counted. */
function readNumbers(name, file, code) {
  let numbers;
  try {
    numbers = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    numbers = { passed: 0, failed: 0 };
    code ||= 1;
  }
  const { passed, failures = [] } = numbers;
  failed.push(...failures.map((failure) => ({ name, ...failure })));
  if (numbers.failed > 0) return numbers;
  const broken = code !== 0 || (passed === 0 && values.grep === undefined);
  if (broken) failed.push({ name, title: 'broke off', reason: `It ended with exit code ${code}.` });
  return { passed, failed: broken ? 1 : 0 };
}

async function inHost() {
  const output = path.join(results, 'editor.json');
  const { code } = await run(
    process.execPath,
    ['--require', 'tsx/cjs', path.join('test', 'editor', 'run.ts')],
    {
      cwd: root,
      env: {
        ...environment,
        GPU_RENTAL_TEST_RESULT: output,
        ...(values.grep === undefined ? {} : { GPU_RENTAL_TEST_GREP: values.grep }),
      },
      onLine: (line) => say('editor', line),
    },
  );
  return readNumbers('editor', output, code);
}

/** Those of SSH start many programs and wait for them, which goes well beside the others. */
const ofSsh = 'test/unit/ssh/**/*.test.ts';

/** The longest first, so that none is left over at the end. */
const withoutEditor = [
  ['lint', 'lint', () => check('lint', 'lint')],
  ['unit', 'unit/ssh', () => mocha('unit/ssh', ofSsh)],
  ['unit', 'unit', () => mocha('unit', 'test/unit/**/*.test.ts', '--ignore', ofSsh)],
  ['contract', 'contract', () => mocha('contract', 'test/contract/**/*.test.ts')],
  ['typecheck', 'typecheck', () => check('typecheck', 'typecheck')],
].filter(([wantedBy]) => isWanted(wantedBy));
const lanes = 3;

const needs = ['modules', 'ssh', 'tools', ...(needsEditor ? ['browser', 'host'] : [])];
const ready = await stage('setup', async () => {
  await setUp(needs, (line) => say('setup', line));
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  return { passed: 0, failed: 0 };
});
let packaged = ready;
if (ready && (isWanted('package') || isWanted('unit') || needsEditor)) {
  packaged = await stage('package', async () => {
    say('package', (await makePackage()).trim());
    return { passed: 1, failed: 0 };
  });
}
if (ready) {
  await inLanes(lanes, withoutEditor, ([, name, work]) => stage(name, work));
}
const inEditor = [
  ['editor', inHost],
  ['ui', workbenchSuites],
];
for (const [name, work] of inEditor) {
  if (!isWanted(name)) continue;
  await stage(
    name,
    packaged ? work : () => Promise.reject(new Error('not run: there is no package to test')),
  );
}
for (const { name, title, reason } of failed) {
  say(name, `FAILED: ${title}`);
  for (const line of reason.split('\n')) say(name, `  ${line}`);
}
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exit(total.failed === 0 ? 0 : 1);
