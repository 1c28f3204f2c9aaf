import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { variantsOf } from '../../../../src/jobs/model/jobMatrix';
import { jobNames, readJob } from '../../../../src/jobs/model/jobSpec';
import { workerJobs } from '../../../../src/jobs/model/workerJobs';
import { parseJson } from '../../../../src/util/json';
import { repository } from '../../../support/installed';

describe('a job of workers', () => {
  for (const { name, job } of workerJobs) {
    it(`can run as it is: ${name}`, () => {
      const spec = readJob(JSON.stringify({ jobs: { [name]: job } }), name);
      assert.equal(variantsOf(spec).length, spec.maxParallel);
    });
  }

  it('is in the guide as it is offered', () => {
    const guide = readFileSync(path.join(repository, 'docs', 'tools.md'), 'utf8');
    const [, shown = ''] = /\n## Workers\n[^]*?```json\n([^]*?)```/.exec(guide) ?? [];
    assert.deepEqual(parseJson(shown), {
      jobs: Object.fromEntries(workerJobs.map(({ name, job }) => [name, job])),
    });
  });
});

describe('the sample workspace', () => {
  it('has jobs that can run, one of them on all GPUs of a machine', () => {
    const source = readFileSync(path.join(repository, 'media', 'sample', 'gpu-rental.json'), 'utf8');
    assert.deepEqual(jobNames(source), ['train', 'all GPUs']);
    assert.match(
      readJob(source, 'all GPUs').run,
      /^torchrun --standalone --nproc-per-node=\$GPU_RENTAL_GPUS /,
    );
    readJob(source, 'train');
  });
});
