/**
 * For mocha: adds to the folder that `GPU_RENTAL_TEST_REACHED` names, for each file of tests, which lines of `src` it
 * ran. V8 counts since it was asked last, so each file of tests gets its own lines.
 */
'use strict';
const { appendFileSync, realpathSync } = require('node:fs');
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

exports.mochaHooks = {
  afterAll() {
    const { result } = ask('Profiler.takePreciseCoverage');
    const reached = {};
    for (const { url, functions } of result) {
      const file = url.startsWith('file:') ? fileURLToPath(url) : url;
      if (!file.startsWith(source)) continue;
      const map = findSourceMap(url) ?? findSourceMap(file);
      if (map === undefined) continue;
      const name = path.relative(root, file).replaceAll(path.sep, '/');
      reached[name] = [...new Set([...(reached[name] ?? []), ...reachedLines(functions, map)])];
    }
    const test = path.relative(root, this.test.parent.suites[0]?.file ?? '').replaceAll(path.sep, '/');
    appendFileSync(path.join(folder, `${process.pid}.jsonl`), `${JSON.stringify({ test, reached })}\n`);
  },
};
