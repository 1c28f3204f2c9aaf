import assert from 'node:assert/strict';
import { jobId, jobOrder, useJobs } from '../../../support/jobScene';
import { until } from '../../../support/until';

describe('The time of a job on its machine', () => {
  const scene = useJobs();

  it('is reduced by the editor, as for a machine that has become dearer', async () => {
    const { job, run, ended } = scene();
    await run(jobOrder('echo up; sleep 1000', { limitSeconds: 1000 }));
    await until('the job to run', async () => (await job.check(jobId, 0, 0)).phase === 'running');
    assert.equal(await job.extend(jobId, 2), true);
    assert.equal((await ended(jobId)).end?.why, 'limit');
  });
});
