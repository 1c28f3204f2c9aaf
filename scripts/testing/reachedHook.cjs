/**
 * For mocha: adds to the folder that `GPU_RENTAL_TEST_REACHED` names, for each file of tests, which lines of `src` it
 * ran. V8 counts since it was asked last, so each file of tests gets its own lines.
 */
'use strict';
const { appendFileSync, readFileSync, realpathSync } = require('node:fs');
const { findSourceMap } = require('node:module');
const { Session } = require('node:inspector');
const path = require('node:path');
const { fileURLToPath } = require('node:url');
const { reachedLines } = require('./reachedLines.cjs');

const folder = process.env['GPU_RENTAL_TEST_REACHED'];
const root = realpathSync(path.join(__dirname, '..', '..'));
const source = path.join(root, 'src') + path.sep;

const session = new Session();
session.connect();
/** The inspector answers a session of its own thread before it returns. */
const ask = (method, params) => {
  let answer;
  session.post(method, params, (error, result) => {
    if (error) throw new Error(`${method}: ${error.message}`);
    answer = result;
  });
  return answer;
};
ask('Profiler.enable');
ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/** The product of the feature tests is one text of all sources, which they leave here with the map at its end. */
const products = path.join(root, 'out', 'feature') + path.sep;
const productMaps = new Map();
function productMap(file) {
  if (!productMaps.has(file)) {
    const text = readFileSync(`${file}.text`, 'utf8');
    const [, map] = /sourceMappingURL=data:application\/json;base64,([\w+/=]+)/.exec(text);
    productMaps.set(file, {
      payload: JSON.parse(Buffer.from(map, 'base64').toString('utf8')),
      lineLengths: text.split('\n').map(({ length }) => length),
    });
  }
  return productMaps.get(file);
}

/** Calls `add` with each source of a script and the lines of it that ran. */
function linesOf({ url, functions }, add) {
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  if (file.startsWith(products)) {
    for (const [name, lines] of reachedLines(functions, productMap(file))) {
      add(path.resolve(path.dirname(file), name), lines);
    }
  } else if (file.startsWith(source)) {
    const map = findSourceMap(url) ?? findSourceMap(file);
    if (map === undefined) return;
    for (const lines of reachedLines(functions, map).values()) add(file, lines);
  }
}

exports.mochaHooks = {
  afterAll() {
    const { result } = ask('Profiler.takePreciseCoverage');
    const reached = {};
    const add = (file, lines) => {
      if (!file.startsWith(source)) return;
      const name = path.relative(root, file).replaceAll(path.sep, '/');
      reached[name] = [...new Set([...(reached[name] ?? []), ...lines])];
    };
    for (const script of result) linesOf(script, add);
    const test = path.relative(root, this.test.parent.suites[0]?.file ?? '').replaceAll(path.sep, '/');
    appendFileSync(path.join(folder, `${process.pid}.jsonl`), `${JSON.stringify({ test, reached })}\n`);
  },
};
