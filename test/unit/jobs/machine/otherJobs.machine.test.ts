import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJobs, wholeList } from '../../../../src/jobs/machine/otherJobs';
import { jobId, jobOrder, useJobs } from '../../../support/jobScene';
import { until } from '../../../support/until';

describe('The jobs that a machine has', () => {
  const scene = useJobs();
  const idOf = (letter: string, attempt = 1) => `${jobId.padEnd(15, '0')}${letter}0${attempt}`;
  const there = async () =>
    (await scene().job.jobsThere()).map(({ id, name, isAtWork }) => [id.slice(15), name, isAtWork]);
  const run = (letter: string, name: string, script: string, attempt = 1) =>
    scene().run(jobOrder(script, { id: idOf(letter, attempt), name, attempt }));

  it('are none where there never was one', async () => {
    assert.deepEqual(await there(), []);
  });

  it('are named while they work, and until their outputs were fetched', async () => {
    const { job, ended } = scene();
    await run('a', 'train LR=0.1', 'until [ -e "$HOME/go" ]; do sleep 0.1; done; echo x >outputs/x');
    assert.deepEqual(await there(), [['a01', 'train LR=0.1', true]]);
    writeFileSync(join(scene().remote, 'go'), '');
    await ended(idOf('a'));
    assert.deepEqual(await there(), [['a01', 'train LR=0.1', false]]);
    await job.markFetched(idOf('a'), 'ab'.repeat(32));
    assert.deepEqual(await there(), []);
  });

  it('are not named where they brought nothing, or had not begun', async () => {
    await run('b', 'nothing', 'true');
    await scene().ended(idOf('b'));
    await scene().job.begin(jobOrder('true', { id: idOf('c') }));
    assert.deepEqual(await there(), []);
  });

  it('are named where their runner was killed', async () => {
    await run('d', 'killed', 'echo x >outputs/x; sleep 600');
    await until('the output', async () => (await scene().job.check(idOf('d'), 0, 0)).phase === 'running');
    const [runner = ''] = readFileSync(scene().file(idOf('d'), 'pid'), 'utf8').split(' ');
    process.kill(Number(runner), 'SIGKILL');
    await until('the end of it', async () => (await there())[0]?.[2] === false);
    await scene().job.cancel(idOf('d'));
  });

  it('count by their last attempt, and a hostile folder adds none', async () => {
    await run('e', 'again', 'echo x >outputs/x', 1);
    await scene().ended(idOf('e', 1));
    await run('e', 'again', 'echo x >outputs/x', 2);
    await scene().ended(idOf('e', 2));
    const folder = join(scene().remote, '.gpu-rental', 'jobs', "x'; touch y\njob aa");
    mkdirSync(join(folder, 'lock', 'started'), { recursive: true });
    assert.deepEqual(await there(), [['e02', 'again', false]]);
    rmSync(folder, { recursive: true });
    assert.deepEqual(parseJobs(['job zz atWork a', `job ${idOf('a')} atWork \u001b[31m`, 'x']), []);
  });

  it('are all read, and a list of more than can be kept is none', () => {
    const lines = (count: number) =>
      Array.from({ length: count }, (_, at) => `job ${at.toString(16).padStart(16, '0')}01 atWork eval`);
    assert.equal(wholeList(lines(500)).length, 500);
    assert.throws(() => wholeList(lines(501)), /more than 500/);
  });
});
