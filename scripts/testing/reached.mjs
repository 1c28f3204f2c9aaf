/** Which tests in plain Node run which lines of the source. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { run } from '../process.mjs';
import { leftOut } from './suites.mjs';

const hashOf = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16);

/**
 * Runs the tests in plain Node in `folder` once, without those that let machines work for long: tried against each
 * defect they would take hours. Returns for each source a hash of its text and, by line from 1, the
 * numbers of the tests that run it.
 */
export async function measureReached(folder, read) {
  const output = path.join(folder, 'out', 'reached');
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const mocha = path.join(folder, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const layers = ['unit', 'contract', 'feature'].map((layer) => `test/${layer}/**/*.test.ts`);
  // Workers call the hooks after each file of tests. A failure is no matter: the file is judged when it is used.
  const flags = ['--parallel', '--jobs', '3', '--reporter', 'min', '--timeout', '600000', ...leftOut];
  await run(
    process.execPath,
    [mocha, ...flags, '--require', './scripts/testing/reachedHook.cjs', ...layers],
    {
      cwd: folder,
      env: { ...process.env, GPU_RENTAL_TEST_REACHED: output },
      onLine: () => undefined,
    },
  );
  const lines = readdirSync(output).flatMap((name) =>
    readFileSync(path.join(output, name), 'utf8').trim().split('\n'),
  );
  return tableOf(
    lines.map((line) => JSON.parse(line)),
    (file) => (existsSync(path.join(folder, file)) ? hashOf(read(file)) : undefined),
  );
}

/** Turns "which lines does a test run" into "which tests run a line". */
export function tableOf(records, hash) {
  const tests = [...new Set(records.map(({ test }) => test))];
  const sources = {};
  for (const { test, reached } of records) {
    for (const [file, lines] of Object.entries(reached)) {
      const source = (sources[file] ??= { hash: hash(file), lines: {} });
      for (const line of lines) (source.lines[line] ??= []).push(tests.indexOf(test));
    }
  }
  return { tests, sources };
}

export class Reached {
  #table;
  #read;

  constructor(table, read) {
    this.#table = table;
    this.#read = read;
  }

  /** The tests that run a line of a file; none where the file has changed since, because its lines have moved. */
  testsOf(file, line) {
    const source = this.#table.sources[file];
    if (source === undefined || source.hash !== hashOf(this.#read(file))) return [];
    return (source.lines[line] ?? []).map((test) => this.#table.tests[test]);
  }
}
