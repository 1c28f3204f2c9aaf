import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { jobPrograms } from '../../../../src/jobs/machine/programs';
import { filesBelow, jobId, jobOrder, processesOf, useSshJobs } from '../../../support/jobScene';
import { openedFolder } from '../../../support/openedFolder';
import { fill } from '../../../support/transfers';

describe('A job on its machine', () => {
  const scene = useSshJobs();

  for (const [name, program] of Object.entries(jobPrograms)) {
    it(`has nothing in its ${name} that shellcheck objects to`, () => {
      const { status, stdout, stderr } = spawnSync('shellcheck', ['--shell=sh', '-'], { input: program });
      assert.equal(status, 0, `${String(stdout)}${String(stderr)}`);
      assert.ok(!/^# include/m.test(program), 'all parts are there');
    });
  }

  it('runs to its end, and its outputs are fetched with the same bytes', async () => {
    const { workspace, results, job, run, ended } = scene();
    fill(workspace, ['data/in.txt', 'train.sh']);
    const order = jobOrder(
      ['cat data/in.txt', 'mkdir -p outputs/a', 'head -c 9000 /dev/urandom >outputs/a/m.bin', 'exit 3'].join(
        '\n',
      ),
    );
    await run(order);
    assert.equal(await job.start(order), 'already');
    const check = await ended(jobId);
    assert.equal(check.phase, 'ended');
    assert.deepEqual({ ...check.end, at: 0 }, { code: 3, why: 'itself', at: 0, isOutOfMemory: false });
    assert.equal(check.log.piece.toString(), 'data/in.txt');
    assert.equal(check.log.offset, 11);
    const list = await job.outputs(jobId, ['outputs/**']);
    assert.ok(list.areHashed);
    assert.deepEqual(
      list.files.map(({ path, size }) => [path, size]),
      [['outputs/a/m.bin', 9000]],
    );
    assert.deepEqual(await job.fetch(jobId, list, openedFolder(results)), {
      files: 1,
      bytes: 9000,
      leftOut: [],
    });
    assert.ok(
      readFileSync(join(results, 'outputs/a/m.bin')).equals(
        readFileSync(scene().file(jobId, 'src/outputs/a/m.bin')),
      ),
    );
    await job.markFetched(jobId, list.hash);
    assert.equal(readFileSync(scene().file(jobId, 'fetched'), 'utf8'), `${list.hash}\n`);
    assert.equal(statSync(scene().file(jobId, '')).mode & 0o777, 0o700);
    await job.remove(jobId);
    assert.ok(!existsSync(scene().file(jobId, '')));
    assert.equal((await job.check(jobId, 0, 100)).phase, 'none');
    assert.deepEqual(filesBelow(results), ['outputs/a/m.bin']);
    assert.deepEqual(processesOf(jobId), []);
    assert.deepEqual(readdirSync(results), ['outputs']);
  });
});
