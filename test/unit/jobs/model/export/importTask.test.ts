import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { gpuCountOf, type JobEngine } from '../../../../../src/jobs/model/export/engineJob';
import { exportJob } from '../../../../../src/jobs/model/export/exportJob';
import { fieldTable } from '../../../../../src/jobs/model/export/fieldTable';
import { importTask, jobWithLimits } from '../../../../../src/jobs/model/export/importTask';
import { readJob } from '../../../../../src/jobs/model/jobSpec';
import { recipeForJobs } from '../../../../../src/jobs/model/jobsInFile';
import { UserError } from '../../../../../src/util/errors';
import { formatText } from '../../../../../src/util/text';
import { anyText, leavingOf, randomJob, type RandomJob } from '../../../../support/randomJobs';

const file = { fileFolder: '.vscode', fileName: 'my task.sky.yaml' };
const read = (source: string) => importTask(source, file);

/** Imports what was exported; `undefined` if the engine refuses the job. */
function thereAndBack({ leaving }: RandomJob, engine: JobEngine) {
  try {
    const { workdir } = leaving.spec;
    const { content } = exportJob(leaving, {
      engine,
      kind: 'task',
      workdir: workdir === '.' ? '..' : `../${workdir}`,
      isRepository: false,
      file: '.vscode/job.yaml',
      localize: (sentence) => formatText(sentence),
    });
    return read(content);
  } catch (error) {
    assert.ok(error instanceof UserError, String(error));
    return undefined;
  }
}

/** Returns a part of a file by its name in the table. */
function partOf(value: Readonly<Record<string, unknown>>, field: string): unknown {
  return field
    .split('.')
    .reduce<unknown>((inner, key) => (inner as Readonly<Record<string, unknown>> | undefined)?.[key], value);
}

/** The same for jobs as they run, with their defaults. */
function fieldsOf({ spec, recipe }: RandomJob['leaving']) {
  const { hours, costDollars, setupMinutes, graceSeconds, idleMinutes, setup, retries, rentedEnds, ...rest } =
    spec;
  const { interrupted, machineLost, ...exitCodes } = retries;
  return {
    job: {
      ...rest,
      run: spec.run.replace(/\n$/, ''),
      setup: setup?.replace(/\n$/, ''),
      limits: {
        hours,
        costDollars,
        setupMinutes: setup === undefined ? 30 : setupMinutes,
        graceSeconds,
        idleMinutes,
      },
      retries: { interrupted, machineLost, exitCodes },
      whenDone: { ...rentedEnds, keepMinutes: spec.keepMinutes },
    },
    machine: { ...recipe, runType: recipe.runtype, interruptible: recipe.maxBid },
  };
}

describe('a task of another engine', () => {
  it('is the exported job again, without what the table of fields names, and nothing else is lost', () => {
    let compared = 0;
    fc.assert(
      fc.property(randomJob, (job) => {
        for (const engine of ['skypilot', 'dstack'] as const) {
          const imported = thereAndBack(job, engine);
          if (!imported) {
            continue;
          }
          assert.deepEqual(
            imported.leftOut.filter(
              (key) => !['resources.job_recovery', 'retry', 'utilization_policy'].includes(key),
            ),
            [],
          );
          const limits = { hours: imported.hours ?? 0, costDollars: 1 };
          const again = leavingOf(imported.name, imported.machine, { ...jobWithLimits(imported, limits) });
          assert.ok(again, JSON.stringify(imported));
          const [before, after] = [fieldsOf(job.leaving), fieldsOf(again.leaving)];
          for (const { of, field, said, engines } of fieldTable) {
            const { lost, losing = () => true } = engines[engine];
            const isKept = said(job.leaving).length > 0 && !(lost && losing(job.leaving));
            if (isKept) {
              compared += 1;
              const [was, is] = [partOf(before[of], field), partOf(after[of], field)];
              assert.ok(
                isSame(field, was, is),
                `${engine} ${field}: ${JSON.stringify(was)} became ${JSON.stringify(is)}`,
              );
            }
          }
        }
      }),
      { numRuns: 500 },
    );
    assert.ok(compared > 2000, `${compared} fields`);
  });

  it('is read from any text without an error of ours, and its job can be read', () => {
    const lines = fc.array(
      fc.oneof(
        anyText,
        fc.constantFrom(
          'type: task',
          'run: |',
          '  echo',
          'commands:',
          '- a',
          'envs: {A: 1}',
          'env: [A=1, B]',
          'resources:',
        ),
        fc.constantFrom(
          '  accelerators: {A100: 8}',
          '  gpu: {name: H100, count: 2}',
          'num_nodes: 2',
          'workdir: ../..',
        ),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(lines, (some) => {
        try {
          const imported = read(some.join('\n'));
          const jobs = { [imported.name]: jobWithLimits(imported, { hours: 1, costDollars: 1 }) };
          readJob(JSON.stringify({ jobs }), imported.name);
        } catch (error) {
          assert.ok(error instanceof UserError, String(error));
        }
      }),
    );
  });

  it('of SkyPilot becomes a job with its machine, and what is left out is named', () => {
    const source = `
name: my-train
num_nodes: 1
workdir: .
resources:
  cloud: vast
  accelerators: {A100: 8}
  memory: 64+
  disk_size: 100
  image_id: docker:pytorch/pytorch
  max_hourly_cost: 9.5
  disk_tier: best
file_mounts:
  /data: s3://bucket
envs:
  EPOCHS: 10
  WANDB_API_KEY: null
setup: pip install -r requirements.txt
run: |
  python train.py
`;
    const { name, job, machine, leftOut } = read(source);
    assert.equal(name, 'my-train');
    assert.equal(job.run, 'python train.py\n');
    assert.deepEqual(
      [job['setup'], job['env'], job['secrets']],
      ['pip install -r requirements.txt', { EPOCHS: '10' }, ['WANDB_API_KEY']],
    );
    assert.deepEqual(machine['filters'], {
      gpu_name: { in: ['A100 SXM4', 'A100 PCIE'] },
      num_gpus: { eq: 8 },
      cpu_ram: { gte: 64_000 },
    });
    assert.deepEqual(
      [machine['image'], machine['diskGb'], machine['maxPricePerHour']],
      ['pytorch/pytorch', 100, 9.5],
    );
    assert.deepEqual(leftOut, ['resources.disk_tier', 'file_mounts']);
  });

  it('of dstack becomes a job, without values of secrets', () => {
    const source = `
type: task
name: train
image: a/b:1
env:
  - EPOCHS=10
  - HF_TOKEN
  - KEY=\${{ secrets.key }}
  - RUN=\${{ run.args }}
files: ["..:/workspace"]
working_dir: /workspace
commands: [pip install -r requirements.txt, python train.py]
resources: {gpu: "24GB", memory: 16GB..}
max_duration: 2h
retry: true
`;
    const { job, hours, machine, leftOut } = read(source);
    assert.equal(job.run, 'pip install -r requirements.txt\npython train.py');
    assert.deepEqual([job['env'], job['secrets'], hours], [{ EPOCHS: '10' }, ['HF_TOKEN', 'KEY'], 2]);
    assert.equal(job['sync'], undefined);
    assert.deepEqual(machine['filters'], { cpu_ram: { gte: 16_000 } });
    assert.deepEqual(leftOut, ['env.RUN', 'resources.gpu', 'retry']);
  });

  for (const [what, source, reason] of [
    ['several nodes', 'num_nodes: 2\nrun: a', /“num_nodes”/],
    ['several nodes of dstack', 'type: task\nnodes: 2\ncommands: [a]', /“nodes”/],
    ['a service of SkyPilot', 'service: {replicas: 2}\nrun: a', /“service”/],
    ['a fleet', 'type: fleet', /“type: fleet”/],
    ['no command', 'name: a', /no command/],
    ['several documents', 'run: a\n---\nrun: b', /not valid YAML/],
    ['a list', '- a', /no task/],
    ['an object of Python', 'run: !!python/object:os.system a', /not valid YAML in line 1/],
    ['too many levels', `run: ${'['.repeat(100_000)}`, /nested too deep|not valid YAML/],
    ['300 KB', `run: ${'a'.repeat(300_000)}`, /longer than 256 KB/],
  ] as const) {
    it(`with ${what} stays where it is, with a reason`, () => {
      assert.throws(
        () => read(source),
        (error) => error instanceof UserError && reason.test(error.message),
      );
    });
  }
});

/** Numbers may be rounded up to what the engine counts in, and the order of ports means nothing. */
function isSame(field: string, was: unknown, is: unknown): boolean {
  if (typeof was === 'number' && typeof is === 'number') {
    return is >= was && is - was < (field === 'limits.hours' ? 1 / 60 + 1e-9 : 1);
  }
  if (field === 'env') {
    // Variables of the machine and of the matrix arrive there as well.
    const now = is as Readonly<Record<string, unknown>>;
    return Object.entries(was as object).every(([name, value]) => now[name] === value);
  }
  if (field === 'filters.num_gpus') {
    const counts = [was, is].map((filter) =>
      gpuCountOf({ filters: { num_gpus: filter as Record<string, unknown> }, env: {}, whenRunning: 'ask' }),
    );
    return JSON.stringify(counts[0]) === JSON.stringify(counts[1]);
  }
  if (field === 'filters.gpu_name') {
    const names = (filter: unknown) => Object.values((filter ?? {}) as Record<string, unknown>).flat();
    return JSON.stringify(names(was)) === JSON.stringify(names(is));
  }
  return JSON.stringify(was) === JSON.stringify(is);
}

describe('the machine of a task of another engine', () => {
  it('is one that the workspace file can have', () => {
    const { name, job, machine } = read(
      'run: a\nresources: {image_id: "docker:a", max_hourly_cost: 1, use_spot: true}',
    );
    const source = JSON.stringify({
      ...machine,
      jobs: { [name]: { ...job, limits: { hours: 1, costDollars: 1 } } },
    });
    assert.equal(recipeForJobs(source)?.maxBid, 1);
  });
});
