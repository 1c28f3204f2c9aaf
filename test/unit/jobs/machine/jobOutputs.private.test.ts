import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { jobId, jobOrder, useJobs } from '../../../support/jobScene';
import { openedFolder } from '../../../support/openedFolder';

describe('Outputs of a job', () => {
  const scene = useJobs();

  for (const [size, conditions] of Object.entries({ small: {}, large: { singleBytes: 1 } })) {
    it(`that only their owner can read there are as private here (${size})`, async () => {
      const { results, run, ended } = scene();
      const job = scene().with(conditions);
      await run(
        jobOrder(
          ['cd outputs', 'echo x >token', 'chmod 600 token', 'echo y >public', 'chmod 644 public'].join('\n'),
        ),
      );
      await ended(jobId);
      const list = await job.outputs(jobId, ['outputs/**']);
      assert.deepEqual((await job.fetch(jobId, list, openedFolder(results))).leftOut, []);
      const forOthers = (name: string) => statSync(join(results, 'outputs', name)).mode & 0o077;
      assert.equal(forOthers('token'), 0);
      assert.notEqual(forOthers('public'), 0);
    });

    it(`in a folder that only its owner can enter there are in such a one here (${size})`, async () => {
      const { results, run, ended } = scene();
      const job = scene().with(conditions);
      const script = [
        'mkdir -p outputs/keys/deep outputs/open outputs/empty',
        'for one in keys/deep/a keys/b open/c; do echo x >outputs/$one; done',
        'chmod 700 outputs/keys outputs/empty',
      ];
      await run(jobOrder(script.join('\n')));
      await ended(jobId);
      const list = await job.outputs(jobId, ['outputs/**']);
      assert.deepEqual((await job.fetch(jobId, list, openedFolder(results))).leftOut, []);
      const modeOf = (name: string) => statSync(join(results, 'outputs', name)).mode & 0o777;
      assert.deepEqual([modeOf('keys'), modeOf('open') === 0o700], [0o700, false]);
      assert.equal(statSync(join(results, 'outputs', 'keys', 'deep', 'a')).size, 2);
      assert.equal(list.files.length, 3);
    });
  }
});
