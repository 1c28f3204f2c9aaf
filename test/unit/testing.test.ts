import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { useFolder } from '../support/useFolder';

const root = path.resolve(__dirname, '..', '..');

interface Failure {
  readonly title: string;
  readonly reason: string;
}
interface Numbers {
  readonly passed: number;
  readonly failed: number;
  readonly notRun: number;
  readonly failures: readonly Failure[];
}
interface Flake {
  readonly suite: string;
  readonly test: string;
  readonly reason: string;
}
interface Verdict {
  longestFirst(items: readonly string[], secondsOf: (item: string) => number | undefined): string[];
  timesText(steps: readonly { readonly name: string; readonly seconds: number }[]): string;
  numbersOf(
    result: Partial<Numbers> | undefined,
    code: number,
    options?: { readonly mayBeEmpty?: boolean },
  ): Numbers;
  numbersText(numbers: Omit<Numbers, 'failures'>): string;
  afterRetry(suite: string, first: Numbers, second: Numbers): { readonly numbers: Numbers; flake?: Flake };
  flakeText(flake: Flake): string;
  tooManyFlakes(flakes: readonly Flake[], allowed: number): readonly Failure[];
  lastLines(numbers: Omit<Numbers, 'failures'>, flakes: number): readonly string[];
  ciVerdict(runs: readonly { readonly code: number; readonly lines: readonly string[] }[]): {
    readonly lines: readonly string[];
    readonly exitCode: number;
  };
}

interface Workbench {
  runWorkbench(options: {
    readonly programs: {
      workbench(suite: string, env: Readonly<Record<string, string | undefined>>): Promise<Numbers>;
    };
    readonly report: {
      timed(name: string, run: () => Promise<Numbers>): Promise<Numbers>;
      say(): void;
      count(): void;
      fail(): void;
      flake(flake: Flake): void;
    };
    readonly stage: string;
    readonly suites: readonly string[];
    readonly beside: readonly never[];
    readonly durations: Readonly<Record<string, number>>;
    readonly allowed: number;
    readonly retry: boolean;
    readonly repeat: number;
  }): Promise<void>;
}

describe('The verdict of a run', () => {
  let verdict: Verdict;
  before(async () => {
    verdict = (await import(path.join(root, 'scripts', 'testing', 'verdict.mjs'))) as Verdict;
  });

  const green: Numbers = { passed: 3, failed: 0, notRun: 0, failures: [] };
  const red: Numbers = {
    passed: 1,
    failed: 1,
    notRun: 1,
    failures: [{ title: 'rents', reason: 'Waited in vain\nat line 3' }],
  };
  const flake: Flake = { suite: 'lifecycle', test: 'rents', reason: 'Waited in vain\nat line 3' };

  it('starts the longest first, and before them what was never measured', () => {
    const seconds: Record<string, number> = { short: 1, long: 9, middle: 5 };
    const names = ['short', 'new', 'long', 'middle', 'newer'];
    assert.deepEqual(
      verdict.longestFirst(names, (name) => seconds[name]),
      ['new', 'newer', 'long', 'middle', 'short'],
    );
  });

  it('names the seconds of each step, the longest first', () => {
    const steps = [
      { name: 'eslint', seconds: 6.4 },
      { name: 'unit', seconds: 61.5 },
    ];
    assert.equal(verdict.timesText(steps), 'unit 62, eslint 6');
  });

  it('uses the numbers of the reporter', () => {
    assert.deepEqual(verdict.numbersOf(green, 0), green);
    assert.deepEqual(verdict.numbersOf(red, 1), red);
  });

  it('is red where a process broke off, ran nothing or left tests out without a failure', () => {
    for (const [result, code] of [
      [undefined, 0],
      [undefined, 137],
      [green, 1],
      [{ ...green, passed: 0 }, 0],
      [{ ...green, notRun: 2 }, 0],
    ] as const) {
      const { failed, failures } = verdict.numbersOf(result, code);
      assert.equal(failed, 1);
      assert.equal(failures[0]?.title, 'broke off');
    }
  });

  it('may run nothing where tests were chosen by their name', () => {
    const none = { ...green, passed: 0 };
    assert.equal(verdict.numbersOf(none, 0, { mayBeEmpty: true }).failed, 0);
    assert.equal(verdict.numbersOf(none, 1, { mayBeEmpty: true }).failed, 1);
    assert.equal(verdict.numbersOf(undefined, 0, { mayBeEmpty: true }).failed, 1);
  });

  it('shows how many tests were not run', () => {
    assert.equal(verdict.numbersText(green), '3 passed, 0 failed');
    assert.equal(verdict.numbersText(red), '1 passed, 1 failed, 1 not run');
  });

  it('calls a suite flaky that passes the second time, and counts its second run alone', () => {
    const after = verdict.afterRetry('lifecycle', red, green);
    assert.deepEqual(after, { numbers: green, flake });
    assert.equal(verdict.flakeText(flake), 'FLAKY ui/lifecycle: rents: Waited in vain');
  });

  it('is red for a suite that fails twice, and shows why it failed at first as well', () => {
    const { numbers, flake: none } = verdict.afterRetry('lifecycle', red, {
      ...red,
      failures: [{ title: 'stops', reason: 'It runs' }],
    });
    assert.equal(none, undefined);
    assert.equal(numbers.failed, 1);
    assert.deepEqual(numbers.failures, [
      { title: 'stops', reason: 'It runs' },
      { title: 'at first: rents', reason: red.failures[0]?.reason },
    ]);
  });

  it('keeps what both runs of a flaky suite left, and nothing of one that passes at once', async () => {
    const suites = (await import(path.join(root, 'scripts', 'testing', 'workbench.mjs'))) as Workbench;
    const ran = new Map<string, number>();
    const records: (string | undefined)[] = [];
    const flakes: Flake[] = [];
    await suites.runWorkbench({
      programs: {
        workbench: (suite, env) => {
          const time = (ran.get(suite) ?? 0) + 1;
          ran.set(suite, time);
          records.push(env['GPU_RENTAL_TEST_RECORD']);
          writeFileSync(`${String(env['GPU_RENTAL_TEST_TRACE'])}.log.txt`, `run ${time} of ${suite}`);
          return Promise.resolve(suite === 'zzFlaky' && time === 1 ? red : green);
        },
      },
      report: {
        timed: (_name, run) => run(),
        say: () => undefined,
        count: () => undefined,
        fail: () => undefined,
        flake: (each) => flakes.push(each),
      },
      stage: 'ui',
      suites: ['zzFlaky', 'zzGreen'],
      beside: [],
      durations: {},
      allowed: 1,
      retry: true,
      repeat: 1,
    });
    const traces = path.join(root, 'out', 'traces');
    const left = readdirSync(traces).filter((file) => file.startsWith('zz'));
    try {
      assert.deepEqual(
        left.sort().map((file) => [file, readFileSync(path.join(traces, file), 'utf8')]),
        [
          ['zzFlaky.first.log.txt', 'run 1 of zzFlaky'],
          ['zzFlaky.second.log.txt', 'run 2 of zzFlaky'],
        ],
      );
      assert.deepEqual([records, flakes.length], [[undefined, undefined, '1'], 1]);
    } finally {
      for (const file of left) {
        rmSync(path.join(traces, file));
      }
    }
  });

  it('is red for one flake more than allowed', () => {
    assert.deepEqual(verdict.tooManyFlakes([flake], 1), []);
    const [failure] = verdict.tooManyFlakes([flake, { ...flake, suite: 'ports' }], 1);
    assert.equal(failure?.reason, '2 suites are flaky (lifecycle, ports), 1 may be.');
  });

  it('ends with the line that programs read', () => {
    assert.deepEqual(verdict.lastLines(green, 0), ['3 passed, 0 failed']);
    assert.deepEqual(verdict.lastLines(red, 2), ['2 flaky', '1 not run', '1 passed, 1 failed']);
  });

  const run = (code: number, ...lines: string[]) => ({ code, lines });

  it('adds two runs up, and is red where one of them is or gives no numbers', () => {
    assert.deepEqual(verdict.ciVerdict([run(0, 'x', '3 passed, 0 failed'), run(0, '4 passed, 0 failed')]), {
      lines: ['7 passed, 0 failed'],
      exitCode: 0,
    });
    assert.deepEqual(verdict.ciVerdict([run(1, '3 passed, 1 failed'), run(0, '4 passed, 0 failed')]), {
      lines: ['7 passed, 1 failed'],
      exitCode: 1,
    });
    assert.equal(verdict.ciVerdict([run(1, '3 passed, 0 failed'), run(0, '4 passed, 0 failed')]).exitCode, 1);
    assert.deepEqual(verdict.ciVerdict([run(0), run(0, '4 passed, 0 failed')]), {
      lines: ['run 1 did not end with its numbers', '4 passed, 1 failed'],
      exitCode: 1,
    });
  });

  it('repeats what failed in any of several runs above their sum', () => {
    const failed = ['[unit]      FAILED: rents', '[unit]        Waited in vain'];
    const flaky = ['FLAKY ui/lifecycle: rents: Waited in vain', '1 flaky'];
    const runs = [
      run(1, 'x', ...failed, '3 passed, 1 failed'),
      run(0, '[flaky]     FLAKY ui/lifecycle', ...flaky, '4 passed, 0 failed'),
    ];
    assert.deepEqual(verdict.ciVerdict(runs).lines, [...failed, ...flaky, '7 passed, 1 failed']);
  });
});

describe('The reporter of a run', () => {
  let folder = '';
  useFolder((made) => void (folder = made));

  interface Told {
    readonly numbers: unknown;
    /** Of the tests that a failure left out, by file. */
    readonly notRun: readonly string[];
  }

  /** Runs files of tests by their source; gives back what the run told. */
  function report(sources: readonly string[], ...flags: string[]): Told {
    const files = sources.map((source, index) => {
      const file = path.join(folder, `${index}.test.cjs`);
      writeFileSync(file, source);
      return file;
    });
    const [output, left] = [path.join(folder, 'output.json'), path.join(folder, 'left')];
    const mocha = path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
    const script = (name: string) => path.join(root, 'scripts', name);
    const args = [
      '--no-config',
      '--require',
      script('notRun.cjs'),
      '--reporter',
      script('mochaReporter.cjs'),
    ];
    const env = { ...process.env, GPU_RENTAL_TEST_NOT_RUN: left };
    spawnSync(
      process.execPath,
      [mocha, ...args, '--reporter-option', `output=${output}`, ...flags, ...files],
      { cwd: root, env },
    );
    return {
      numbers: JSON.parse(readFileSync(output, 'utf8')),
      notRun: existsSync(left) ? readFileSync(left, 'utf8').trim().split('\n').sort() : [],
    };
  }

  const passes = `it('passes', () => {});`;
  const fails = `it('fails', () => { throw new Error('broken'); });`;
  const chain = `describe('chain', function () { this.bail(true); ${passes} ${fails} ${passes} ${passes} });`;
  const broken = `describe('a', () => { before(() => { throw new Error('no editor'); }); ${passes} ${passes} ${passes} });`;
  const ofChain = { title: 'chain fails', reason: 'broken' };
  const ofBroken = { title: 'a "before all" hook for "passes"', reason: 'no editor' };

  it('counts the steps after one that failed in a chain as not run', () => {
    assert.deepEqual(report([chain]), {
      numbers: { passed: 1, failed: 1, pending: 0, failures: [ofChain] },
      notRun: ['2'],
    });
  });

  it('counts what a failed preparation left out', () => {
    assert.deepEqual(report([broken]), {
      numbers: { passed: 0, failed: 1, pending: 0, failures: [ofBroken] },
      notRun: ['3'],
    });
  });

  it('reports the same for files that run side by side', () => {
    const { numbers, notRun } = report([fails, broken, passes], '--parallel', '--jobs', '2');
    const { failures, ...counts } = numbers as { failures: { title: string }[] };
    assert.deepEqual(counts, { passed: 1, failed: 2, pending: 0 });
    assert.deepEqual(failures.map(({ title }) => title).sort(), [ofBroken.title, 'fails'].sort());
    assert.deepEqual(notRun, ['3']);
  });

  it('is asked by programs that make the folder of the numbers, as in a new clone', async () => {
    const { Programs } = (await import(path.join(root, 'scripts', 'testing', 'programs.mjs'))) as {
      readonly Programs: new (
        report: { readonly results: string; say(): void },
        options: { readonly harder: object },
      ) => { layer(tests: { name: string; files: readonly string[]; jobs: number }): Promise<Numbers> };
    };
    const file = path.join(folder, 'passes.test.cjs');
    writeFileSync(file, passes);
    const programs = new Programs({ results: path.join(folder, 'new'), say: () => {} }, { harder: {} });
    const numbers = await programs.layer({ name: 'one', files: [file], jobs: 1 });
    assert.equal(numbers.passed, 1);
    assert.deepEqual(numbers.failures, []);
  });
});
