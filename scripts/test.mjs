/**
 * `npm test`: the gate, on a fresh clone too. Ends with one line, `N passed, N failed`.
 *
 *   npm test                              the stages of a change
 *   npm run test:machines                 what works on machines for long: `--only machines`
 *   npm run test:ui                       the other journeys: `--only journeys`
 *   npm run test:models                   clients of a real engine for models: `--only models`
 *   npm test -- --only unit,contract      some stages only
 *   npm test -- --suite signIn,templates  some suites of the workbench only
 *   npm test -- --only ui --grep "Stop"   only the tests whose name matches
 *
 *   --no-retry           a workbench suite that fails is not run again
 *   --repeat N           each workbench suite N times in a row, without a second try
 *   --stress [--seed N]  the large sizes and a new seed, without an editor: `npm run test:stress`
 *   --stalls [--seed N]  unit and feature tests where processes and the disk are slow now and then: `npm run test:stalls`
 *   --write-durations    the seconds of each suite into `test/durations.json`, which orders the next runs
 *
 * Stages go on after one that fails. Layers run side by side where there are more than two cores, and the checks after
 * them always; then the real editor, two suites at a time.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { makePackage } from './package.mjs';
import { readOptions } from './process.mjs';
import { root, setUp } from './setup.mjs';
import { Programs } from './testing/programs.mjs';
import { inLanes, Report } from './testing/report.mjs';
import { allowedFlakes, checks, gateSuites, layers, workbenchSuites } from './testing/suites.mjs';
import { longestFirst } from './testing/verdict.mjs';
import { runWorkbench } from './testing/workbench.mjs';

const { values } = readOptions({
  options: {
    only: { type: 'string' },
    suite: { type: 'string' },
    grep: { type: 'string' },
    retry: { type: 'boolean', default: true },
    repeat: { type: 'string', default: '1' },
    stress: { type: 'boolean', default: false },
    stalls: { type: 'boolean', default: false },
    seed: { type: 'string' },
    'write-durations': { type: 'boolean', default: false },
  },
  allowNegative: true,
});

const stages = ['typecheck', 'lint', 'unit', 'contract', 'feature', 'package', 'editor', 'ui'];
/** They take longer than a gate may: `npm run test:machines`, `test:ui`, `test:models` and `.ci/run` name them. */
const apart = ['machines', 'journeys', 'rest', 'models'];
const listed = (text) => text?.split(',').map((name) => name.trim());
const only = listed(values.only);
const named = listed(values.suite);
endIfUnknown('stage', only ?? [], [...stages, ...apart]);
if (named) endIfUnknown('suite', named, workbenchSuites());
const repeat = Number(values.repeat);
if (!Number.isInteger(repeat) || repeat < 1) end('--repeat takes a whole number from 1.');
/** Suites that are named run whatever their stage is. */
const tried = { stress: ['unit', 'contract', 'feature', 'machines'], stalls: ['unit', 'feature'] };
if (values.stress && values.stalls) end('--stress and --stalls are runs of their own.');
const harder = Object.keys(tried).find((name) => values[name]);
const wanted = only ?? (harder ? tried[harder] : named ? ['package', 'ui'] : stages);
const isWanted = (name) => wanted.includes(name);
const needsEditor = ['editor', 'ui', 'journeys'].some(isWanted);
/** The desktop editor brings all that its suite needs, on every system. */
const inDesktop = process.env['GPU_RENTAL_EDITOR'] === 'desktop';
const needsHost = ['ui', 'journeys'].some(isWanted) || (isWanted('editor') && !inDesktop);
const needsTools = needsHost || layers.some(({ stage }) => isWanted(stage));

function endIfUnknown(kind, names, known) {
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) end(`Unknown ${kind} ${unknown.join(', ')}; there are: ${known.join(', ')}`);
}

function end(reason) {
  process.stderr.write(`${reason}\n`);
  process.exit(2);
}

const readJson = (file) => JSON.parse(readFileSync(path.join(root, file), 'utf8'));
const durationsFile = 'test/durations.json';
const report = new Report(path.join(root, 'out', 'results'));
const programs = new Programs(report, {
  grep: values.grep,
  harder: harder ? environmentOf(harder, values.seed) : {},
});

/** What `test/support/seeded.ts` and `scripts/stalls.cjs` read. */
function environmentOf(name, seed = String(Math.floor(Math.random() * 1_000_000))) {
  report.say(name, `seed ${seed}; again with: npm run test:${name} -- --seed ${seed}`);
  return name === 'stress'
    ? { GPU_RENTAL_TEST_STRESS: '1', GPU_RENTAL_TEST_SEED: seed }
    : { GPU_RENTAL_TEST_STALLS: seed };
}

/** Each layer keeps two cores busy. Beside another, each of its tests takes several times as long, and all as long. */
const lanes = Math.max(1, Math.floor(availableParallelism() / 2));

async function withoutEditor(durations) {
  const inOrder = (count, all, run) =>
    inLanes(
      count,
      longestFirst(
        all.filter(({ stage }) => isWanted(stage)),
        ({ name }) => durations[name],
      ),
      async (one) => report.count(one.name, await report.timed(one.name, () => run(one))),
    );
  await inOrder(lanes, layers, (layer) => programs.layer(layer));
  // Most checks keep one core busy.
  await inOrder(availableParallelism(), checks, (check) => programs.check(check));
}

const suitesOf = (stage) =>
  named ?? workbenchSuites().filter((suite) => gateSuites.includes(suite) === (stage === 'ui'));

async function inEditor(stage, durations) {
  const isGate = stage === 'ui';
  await report.stage(isGate ? 'editor' : stage, () =>
    runWorkbench({
      programs,
      report,
      stage,
      suites: isWanted(stage) ? suitesOf(stage) : [],
      beside: isGate && isWanted('editor') ? [{ name: 'in-host', run: () => programs.inHost() }] : [],
      durations,
      allowed: allowedFlakes[stage],
      retry: values.retry && repeat === 1,
      repeat,
    }),
  );
}

const needs = [
  'modules',
  ...(needsTools ? ['ssh', 'tools'] : []),
  ...(needsHost ? ['browser', 'host', 'inspector'] : []),
  ...(isWanted('models') ? ['engine'] : []),
];
const ready = await report.stage('setup', async () => {
  await setUp(needs, (line) => report.say('setup', line));
  if (needsHost) await programs.compileScripts();
});
if (ready) await runStages(readJson(durationsFile));
if (values['write-durations']) {
  const all = { ...readJson(durationsFile), ...report.durations };
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(path.join(root, durationsFile), `${JSON.stringify(sorted, null, 2)}\n`);
}
process.exit(report.end());

async function runStages(durations) {
  let packaged = true;
  if (['package', 'unit', 'feature', 'machines'].some(isWanted) || needsEditor) {
    packaged = await report.stage('package', async () => {
      const say = (line) => report.say('package', line);
      say((await makePackage(say)).trim());
      report.count('package', { passed: 1, failed: 0 });
    });
  }
  await withoutEditor(durations);
  if (!needsEditor) return;
  if (!packaged) {
    report.fail('ui', [{ title: 'not run', reason: 'There is no package to test.' }]);
    return;
  }
  if (isWanted('ui') || isWanted('editor')) await inEditor('ui', durations);
  if (isWanted('journeys')) await inEditor('journeys', durations);
}
