import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, jobId, jobOrder, sentFrom, useJobs } from '../../../support/jobScene';
import { openedFolder } from '../../../support/openedFolder';
import { until } from '../../../support/until';

describe('A checkpoint of a job', () => {
  const scene = useJobs();

  it('is listed with its hash while the job runs, and is fetched without other files of the job', async () => {
    const { job, results, file } = scene();
    const run =
      'mkdir -p outputs; echo weights >outputs/last.ckpt; echo x >outputs/other; echo up; sleep 1000';
    await scene().run(jobOrder(run));
    await until('its first line', async () => (await job.check(jobId, 0, 1000)).log.piece.includes('up'));
    const list = await job.checkpoint(jobId, ['outputs/*.ckpt']);
    assert.deepEqual(
      list.files.map(({ path, sha256 }) => [path, sha256?.length]),
      [['outputs/last.ckpt', 64]],
    );
    const { leftOut } = await job.fetch(jobId, list, openedFolder(results));
    assert.deepEqual(leftOut, []);
    assert.deepEqual(filesBelow(results), ['outputs/last.ckpt']);
    assert.throws(() => readFileSync(file(jobId, 'outputs.list')), /ENOENT/);
  });

  it('is found by the attempt on another machine, where the one before never ran', async () => {
    const { job, workspace } = scene();
    const before = `${jobId}01`;
    mkdirSync(join(workspace, 'outputs'));
    writeFileSync(join(workspace, 'outputs', 'last.ckpt'), 'weights');
    const sent = jobOrder('true', { id: before, workspaceKey: 'c0de' });
    await job.begin(sent);
    await job.sync(sent, sentFrom(workspace, ['outputs/last.ckpt']));
    const order = jobOrder('cat "$GPU_RENTAL_RESUME/outputs/last.ckpt"', { previous: before });
    await job.begin(order);
    await job.sync(order, undefined);
    await job.start(order);
    const { log, end } = await scene().ended(jobId);
    assert.deepEqual([log.piece.toString(), end?.code], ['weights', 0]);
  });
});
