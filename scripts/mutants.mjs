/**
 * `npm run test:mutants`: how many small defects the tests in plain Node notice. Each defect is put into a copy of the
 * source, and the tests that run its line are tried against it, the nearest first and in one program, until one fails.
 *
 *   npm run test:mutants -- --ring store --count 30 --seed 1
 *
 * Rings are the folders of src: model, store, api, ssh, features, editor. `--file` takes the files of a name only, and
 * `--tests 30` gives up after that many test files instead of 40. `--measure` finds out again which tests run which
 * lines, which takes as long as the tests. Ends with the survivors and the share that was killed. A survivor is either
 * a missing test or a change that changes nothing: read it before you count it.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { readOptions, run } from './process.mjs';
import { root, setUpOrEnd } from './setup.mjs';
import { testsNear } from './testing/near.mjs';
import { inLanes } from './testing/report.mjs';

const { values } = readOptions({
  options: {
    ring: { type: 'string', default: 'model,store,api,ssh,features' },
    count: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    file: { type: 'string' },
    tests: { type: 'string', default: '40' },
    measure: { type: 'boolean', default: false },
  },
});
await setUpOrEnd(['modules', 'ssh', 'tools']);
const { importGraph } = await import('./testing/importGraph.mjs');
const { applied, draw, mutationsOf, randomOf } = await import('./testing/mutation.mjs');
const { measureReached, Reached } = await import('./testing/reached.mjs');
const { isLeftOut } = await import('./testing/suites.mjs');

/** Of the processor, not of a clock: a busy machine ends no run, and a loop without an end is ended. */
const processorSeconds = 200;

/** Each lane has a copy of its own, so that work can go on in the repository during a run. */
const copies = ['1', '2'].map((name) => copyTo(path.join(root, 'out', 'mutants', name)));
const graph = importGraph();
const sources = new Map();
const read = (file) => {
  if (!sources.has(file)) sources.set(file, readFileSync(path.join(copies[0], file), 'utf8'));
  return sources.get(file);
};
const map = path.join(root, 'out', 'reached.json');
if (values.measure || !existsSync(map)) {
  process.stdout.write('Measuring which tests run which lines…\n');
  const measured = await measureReached(copies[0], read);
  mkdirSync(path.dirname(map), { recursive: true });
  writeFileSync(map, JSON.stringify(measured));
}
const reached = new Reached(JSON.parse(readFileSync(map, 'utf8')), read);
/** Whether a file of tests passes without a defect: one that fails anyway would be a witness to nothing. */
const untouched = new Map();
const shares = [];
for (const ring of values.ring.split(',')) shares.push(await tryRing(ring));
process.stdout.write(`\n${shares.join('\n')}\n`);

function copyTo(copy) {
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  const leftOut = ['.git', '.screenshots', 'coverage', 'node_modules', 'out'];
  for (const name of readdirSync(root).filter((one) => !leftOut.includes(one))) {
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

async function tryRing(ring) {
  const places = filesOf(ring).flatMap((file) =>
    mutationsOf(file, read(file)).map((mutation) => ({ file, ...mutation })),
  );
  const drawn = draw(places, Number(values.count), randomOf(Number(values.seed)));
  const survivors = [];
  const free = [...copies];
  await inLanes(copies.length, drawn, async (mutant) => {
    const copy = free.pop();
    const killedBy = await killer(copy, mutant);
    free.push(copy);
    const { file, line, was, text } = mutant;
    const place = `${file}:${line}: ${was} → ${text.split('\n')[0]}`;
    process.stdout.write(
      `${killedBy === undefined ? 'SURVIVED' : 'killed  '} ${place}${killedBy ? ` (${killedBy})` : ''}\n`,
    );
    if (killedBy === undefined) survivors.push(place);
  });
  const killed = drawn.length - survivors.length;
  return [
    `${ring}: ${killed} of ${drawn.length} killed (${Math.round((100 * killed) / drawn.length)} %), seed ${values.seed}`,
    ...survivors.map((place) => `  survived ${place}`),
  ].join('\n');
}

function filesOf(ring) {
  const folder = `src/${ring}`;
  return readdirSync(path.join(copies[0], folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll(path.sep, '/')}`)
    .filter((file) => file.endsWith('.ts') && (values.file === undefined || file.includes(values.file)))
    .sort();
}

/** The first file of tests that fails with a mutant and passes without; `undefined` where none does. */
async function killer(copy, { file, line, ...mutation }) {
  const target = path.join(copy, file);
  const tests = testsOf(file, line).filter((test) => untouched.get(test) !== false);
  const mutated = applied(read(file), mutation);
  try {
    for (let left = tests; left.length > 0;) {
      writeFileSync(target, mutated);
      const failed = await firstFailing(copy, left);
      if (failed === undefined) return undefined;
      writeFileSync(target, read(file));
      if (await passesUntouched(copy, failed)) return failed;
      left = left.slice(left.indexOf(failed) + 1);
    }
    return undefined;
  } finally {
    writeFileSync(target, read(file));
  }
}

/**
 * What runs the line, the nearest first; then what imports the file. A line that runs once, when the file is loaded,
 * counts for the first test of a process alone, so these come first among those that import the file: tests of the same
 * name and folder, and unit tests that import it themselves.
 */
function testsOf(file, line) {
  const running = reached.testsOf(file, line);
  const near = testsNear(graph, [file], read);
  const nearest = byKinship(file, [...running, ...near]).filter(
    (test) => (kinship(file, test) < 2 || importsIt(test, file)) && !isLeftOut(test),
  );
  const all = [...nearest, ...byKinship(file, running), ...byKinship(file, near)];
  return [...new Set(all)].slice(0, Number(values.tests));
}

/**
 * Tests of the same name come first, then those of the same folder, and those of the whole product last, of which the
 * most alike in name are tried first: nearly all of them run what is done at the start.
 */
function byKinship(file, tests) {
  return [...tests].sort((one, other) => kinship(file, one) - kinship(file, other));
}

function importsIt(test, file) {
  return !test.startsWith('test/feature/') && graph[test]?.imports.some((one) => one.path === file) === true;
}

function kinship(file, test) {
  const folder = path.dirname(file).replace(/^src\//, '/unit/');
  return path.basename(test).startsWith(path.basename(file, '.ts'))
    ? 0
    : path.dirname(test).endsWith(folder)
      ? 1
      : test.startsWith('test/feature/')
        ? 3 - sharedStart(path.basename(file), path.basename(test)) / 1000
        : 2;
}

function sharedStart(one, other) {
  const end = [...one].findIndex((character, index) => character !== other[index]);
  return end === -1 ? one.length : end;
}

async function passesUntouched(copy, test) {
  if (!untouched.has(test)) {
    const passes = (await firstFailing(copy, [test])) === undefined;
    if (!passes) process.stdout.write(`FAILS WITHOUT A DEFECT ${test}\n`);
    untouched.set(test, passes);
  }
  return untouched.get(test);
}

/** The first of the files that fails, breaks off or does not end; `undefined` where all pass. */
async function firstFailing(copy, files) {
  const output = path.join(copy, 'first-failure');
  rmSync(output, { force: true });
  const mocha = path.join(copy, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const reporter = path.join(copy, 'scripts', 'testing', 'firstFailure.cjs');
  const flags = ['--bail', '--exit', '--reporter', reporter, '--reporter-option', `output=${output}`];
  const limited = ['-c', `ulimit -t ${processorSeconds}; exec "$@"`, 'sh'];
  // Mocha keeps the order of the arguments, so the nearest come first.
  const { code } = await run('sh', [...limited, process.execPath, mocha, ...flags, ...files], {
    cwd: copy,
    onLine: () => undefined,
  });
  if (code === 0) return undefined;
  const running = existsSync(output) ? path.relative(copy, readFileSync(output, 'utf8')) : files[0];
  return files.includes(running) ? running : files[0];
}
