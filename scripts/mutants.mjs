/**
 * `npm run test:mutants`: how many small defects the tests in plain Node notice. Each defect is put into a copy of the
 * source, and the tests that import the file run against it, the nearest first, until one fails.
 *
 *   npm run test:mutants -- --ring store --count 30 --seed 1
 *
 * Rings are the folders of src: model, store, api, ssh, features, editor. `--file` takes the files of a name only, and
 * `--near 30` gives up after that many test files. Ends with the survivors and the share that
 * was killed. A survivor is either a missing test or a change that changes nothing: read it before you count it.
 */
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { run } from './process.mjs';
import { root, setUpOrEnd } from './setup.mjs';
import { testsNear } from './testing/near.mjs';

const { values } = parseArgs({
  options: {
    ring: { type: 'string', default: 'model,store,api,ssh,features' },
    count: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    file: { type: 'string' },
    near: { type: 'string', default: '1000' },
  },
});
await setUpOrEnd(['modules', 'ssh', 'tools']);
const { importGraph } = await import('./testing/importGraph.mjs');
const { applied, draw, mutationsOf, randomOf } = await import('./testing/mutation.mjs');

/** So many test files a program, the nearest first: most defects are found by the first few. */
const firstBatch = 3;
const batch = 8;
const timeLimitSeconds = 300;

const copy = path.join(root, 'out', 'mutants');
rmSync(copy, { recursive: true, force: true });
mkdirSync(copy, { recursive: true });
const leftOut = ['.git', '.screenshots', 'coverage', 'node_modules', 'out'];
for (const name of readdirSync(root).filter((one) => !leftOut.includes(one))) {
  cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
}
symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));

const graph = importGraph();
/** From the copy, so that work can go on in the repository during a run. */
const sources = new Map();
const read = (file) => {
  if (!sources.has(file)) sources.set(file, readFileSync(path.join(copy, file), 'utf8'));
  return sources.get(file);
};
/** Whether a batch passes without a defect: one that fails anyway would be a witness to nothing. */
const untouched = new Map();
const shares = [];
for (const ring of values.ring.split(',')) shares.push(await tryRing(ring));
process.stdout.write(`\n${shares.join('\n')}\n`);

async function tryRing(ring) {
  const places = filesOf(ring).flatMap((file) =>
    mutationsOf(file, read(file)).map((mutation) => ({ file, ...mutation })),
  );
  const random = randomOf(Number(values.seed));
  const drawn = draw(places, Number(values.count), random);
  const survivors = [];
  for (const mutant of drawn) {
    const killedBy = await killer(mutant);
    const { file, line, was, text } = mutant;
    const place = `${file}:${line}: ${was} → ${text.split('\n')[0]}`;
    process.stdout.write(
      `${killedBy === undefined ? 'SURVIVED' : 'killed  '} ${place}${killedBy ? ` (${killedBy})` : ''}\n`,
    );
    if (killedBy === undefined) survivors.push(place);
  }
  const killed = drawn.length - survivors.length;
  return [
    `${ring}: ${killed} of ${drawn.length} killed (${Math.round((100 * killed) / drawn.length)} %), seed ${values.seed}`,
    ...survivors.map((place) => `  survived ${place}`),
  ].join('\n');
}

function filesOf(ring) {
  const folder = `src/${ring}`;
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll(path.sep, '/')}`)
    .filter((file) => file.endsWith('.ts') && (values.file === undefined || file.includes(values.file)))
    .sort();
}

/** The batch of tests that fails with a mutant, by its first file; `undefined` where none does. */
async function killer({ file, ...mutation }) {
  const target = path.join(copy, file);
  writeFileSync(target, applied(read(file), mutation));
  try {
    const near = byKinship(file, testsNear(graph, [file], read));
    const whole = Object.keys(graph).filter(
      (one) => one.startsWith('test/feature/') && one.endsWith('.test.ts'),
    );
    const tests = [...new Set([...near, ...(/^src\/(features|editor)\//.test(file) ? whole : [])])].slice(
      0,
      Number(values.near),
    );
    for (let from = 0; from < tests.length; from += from === 0 ? firstBatch : batch) {
      const files = tests.slice(from, from + (from === 0 ? firstBatch : batch));
      if ((await fails(files)) && (await passesUntouched(target, file, files))) return files[0];
      writeFileSync(target, applied(read(file), mutation));
    }
    return undefined;
  } finally {
    writeFileSync(target, read(file));
  }
}

/** Tests of the same name come first, then those of the same folder, and those of the whole product last. */
function byKinship(file, tests) {
  const folder = path.dirname(file).replace(/^src\//, '/unit/');
  const rank = (test) =>
    path.basename(test).startsWith(path.basename(file, '.ts'))
      ? 0
      : path.dirname(test).endsWith(folder)
        ? 1
        : test.startsWith('test/feature/')
          ? 3
          : 2;
  return [...tests].sort((one, other) => rank(one) - rank(other));
}

async function passesUntouched(target, file, tests) {
  writeFileSync(target, read(file));
  const key = tests.join();
  if (!untouched.has(key)) {
    const passes = !(await fails(tests));
    if (!passes) process.stdout.write(`FAILS WITHOUT A DEFECT ${tests.join(' ')}\n`);
    untouched.set(key, passes);
  }
  return untouched.get(key);
}

async function fails(files) {
  const mocha = path.join(copy, 'node_modules', 'mocha', 'bin', 'mocha.js');
  // Starting workers takes longer than running a few files one after the other.
  const workers = files.length > firstBatch ? ['--parallel', '--jobs', '2'] : [];
  const flags = ['--bail', '--exit', '--reporter', 'dot', ...workers];
  const limit = ['-s', 'KILL', String(timeLimitSeconds)];
  const { code } = await run('timeout', [...limit, process.execPath, mocha, ...flags, ...files], {
    cwd: copy,
    onLine: () => undefined,
  });
  return code !== 0;
}
