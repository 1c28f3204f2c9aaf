/** The programs that a run starts: npm's checks, mocha, and the suite inside the extension host. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { codeServer, hostNode } from '../host.mjs';
import { cleanNpmEnvironment, run } from '../process.mjs';
import { root } from '../setup.mjs';
import { paceOf } from './suites.mjs';
import { numbersOf } from './verdict.mjs';

/** Colours do not survive the prefix that each line gets. */
const environment = {
  ...cleanNpmEnvironment(),
  GPU_RENTAL_HOST_NODE: hostNode,
  GPU_RENTAL_CODE_SERVER: codeServer,
  NO_COLOR: '1',
};

/** The product's time in a real editor: as fast as the suite allows, and the same in all of its processes. */
const paced = (suite) => ({
  GPU_RENTAL_PACE: String(paceOf(suite)),
  GPU_RENTAL_PACE_SINCE: String(Date.now()),
});

export class Programs {
  /** `harder` is the environment of tests that try more than the gate does, and may take longer. */
  constructor(report, { grep, harder }) {
    this.report = report;
    this.grep = grep;
    this.harder = harder;
  }

  async check({ name, script }) {
    const { code } = await this.#run(name, 'npm', ['run', '--silent', script]);
    if (code === 0) return { passed: 1, failed: 0, failures: [] };
    const failure = { title: `npm run ${script}`, reason: `It ended with exit code ${code}.` };
    return { passed: 0, failed: 1, failures: [failure] };
  }

  /** Tests without an editor, `jobs` files at a time. */
  layer({ name, files, jobs }) {
    const parallel = jobs > 1 ? ['--parallel', '--jobs', String(jobs)] : [];
    const patience = Object.keys(this.harder).length > 0 ? ['--timeout', '600000'] : [];
    return this.#mocha(name, [...parallel, ...patience, ...files], this.harder);
  }

  /** One suite of the workbench in a process of its own, so that one that fails neither ends nor skips another. */
  workbench(suite, env = {}) {
    return this.#mocha(`ui/${suite}`, [`test/ui/${suite}.test.ts`], { ...paced(suite), ...env });
  }

  /** What the browser compiles the editor's scripts to is kept for all suites; they run without it, too. */
  async compileScripts() {
    const script = path.join('test', 'support', 'compileScripts.ts');
    await this.#run('setup', process.execPath, ['--require', './scripts/sources.cjs', script]);
  }

  async inHost() {
    const output = this.#output('in-host');
    const { code } = await this.#run(
      'in-host',
      process.execPath,
      ['--require', './scripts/sources.cjs', path.join('test', 'editor', 'run.ts')],
      {
        ...paced('in-host'),
        GPU_RENTAL_TEST_RESULT: output,
        ...(this.grep === undefined ? {} : { GPU_RENTAL_TEST_GREP: this.grep }),
      },
    );
    return this.#numbers(output, code);
  }

  async #mocha(name, args, env = {}) {
    const output = this.#output(name);
    const command = [
      path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js'),
      ...['--recursive', '--forbid-only', '--forbid-pending'],
      ...['--reporter', path.join(root, 'scripts', 'mochaReporter.cjs')],
      ...['--reporter-option', `output=${output}`],
      ...(this.grep === undefined ? [] : ['--grep', this.grep]),
      ...args,
    ];
    // Tests that were not chosen by their name are none that a failure left out.
    const counted = this.grep === undefined ? { GPU_RENTAL_TEST_NOT_RUN: `${output}.left` } : {};
    const { code } = await this.#run(name, process.execPath, command, { ...env, ...counted });
    return this.#numbers(output, code);
  }

  #run(name, command, args, env = {}) {
    return run(command, args, {
      cwd: root,
      env: { ...environment, ...env },
      onLine: (line) => this.report.say(name, line),
    });
  }

  /** Where the reporter writes its numbers; those of a run before are gone. */
  #output(name) {
    mkdirSync(this.report.results, { recursive: true });
    const output = path.join(this.report.results, `${name.replace('/', '-')}.json`);
    for (const file of [output, `${output}.left`]) rmSync(file, { force: true });
    return output;
  }

  #numbers(file, code) {
    let result;
    try {
      result = { ...JSON.parse(readFileSync(file, 'utf8')), notRun: readNotRun(`${file}.left`) };
    } catch {
      // It broke off before it could write them.
    }
    return numbersOf(result, code, { mayBeEmpty: this.grep !== undefined });
  }
}

/** The sum of what `scripts/notRun.cjs` wrote, a line for each file of tests that was cut short. */
function readNotRun(file) {
  if (!existsSync(file)) return 0;
  return readFileSync(file, 'utf8')
    .split('\n')
    .reduce((sum, line) => sum + Number(line), 0);
}
