import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jobId, jobOrder, processesOf, useJobs } from '../../../support/jobScene';
import { until } from '../../../support/until';

describe('Jobs that run in turn on a machine', () => {
  const scene = useJobs();
  const [first, second, third] = [`${jobId}01`, `${jobId}02`, `${jobId}03`];
  const phase = async (id: string) => (await scene().job.check(id, 0, 0)).phase;
  const waits = (id: string) => until('the job to wait', async () => (await phase(id)) === 'waiting');
  const order = (id: string, run: string, after: readonly string[] = []) =>
    jobOrder(`echo ${id} >>"$HOME/turns"; ${run}`, { id, after });
  const turns = () => readFileSync(join(scene().remote, 'turns'), 'utf8').trim().split('\n');

  it('run one after the other, without an editor, for any end of those before', async () => {
    const { run, ended } = scene();
    await run(order(first, 'until [ -e "$HOME/go" ]; do sleep 0.1; done; exit 3'));
    await run(order(second, 'true', [first]));
    await run(order(third, 'true', [first, second]));
    await waits(second);
    await waits(third);
    await scene().job.cancel(second);
    assert.deepEqual((await ended(second)).end?.why, 'cancelled');
    assert.equal(await phase(third), 'waiting');
    assert.deepEqual(turns(), [first]);
    assert.ok(!existsSync(scene().file(second, 'env')));
    await scene().with({}).cancel(first);
    assert.equal((await ended(third)).end?.code, 0);
    assert.deepEqual(turns(), [first, third]);
  });

  it('do not wait for one whose runner was killed, or that was never started', async () => {
    const { run, ended, file, job } = scene();
    await run(order(first, 'sleep 600'));
    await run(order(second, 'true', [first, 'ffff']));
    await waits(second);
    const [runner = ''] = readFileSync(file(first, 'pid'), 'utf8').split(' ');
    process.kill(Number(runner), 'SIGKILL');
    assert.equal((await ended(second)).end?.code, 0);
    await job.cancel(first);
    await until('the end of the first', () => processesOf(first).length === 0, { timeoutMs: 30_000 });
  });

  it('that are killed while they wait have ended without a code', async () => {
    const { run, file, job } = scene();
    await run(order(first, 'sleep 600'));
    await run(order(second, 'true', [first]));
    await waits(second);
    const [runner = ''] = readFileSync(file(second, 'pid'), 'utf8').split(' ');
    process.kill(Number(runner), 'SIGKILL');
    await until('the end of the runner', async () => !(await job.check(second, 0, 0)).pidAlive);
    assert.equal((await job.check(second, 0, 0)).end?.why, 'killed');
  });

  it('have run nothing if the machine was restarted while they waited, and start from the beginning', async () => {
    const { run, file, job, ended } = scene();
    await run(order(first, 'sleep 600'));
    const waiting = order(second, 'true', [first]);
    await run(waiting);
    await waits(second);
    for (const id of [second, first]) {
      const [runner = ''] = readFileSync(file(id, 'pid'), 'utf8').split(' ');
      process.kill(Number(runner), 'SIGKILL');
      await until('the end of the runner', async () => !(await job.check(id, 0, 0)).pidAlive);
    }
    const said = readFileSync(file(second, 'pid'), 'utf8').split(' ');
    // As in an earlier life of the container.
    writeFileSync(file(second, 'pid'), said.with(2, '1').join(' '));
    const check = await job.check(second, 0, 100);
    assert.deepEqual([check.phase, check.end, check.pidAlive], ['synced', undefined, false]);
    assert.ok(!existsSync(file(second, 'env')));
    await Promise.all([job.start(waiting), job.start(waiting)]);
    assert.deepEqual((await ended(second)).end?.code, 0);
    assert.deepEqual(turns(), [first, second]);
    await job.cancel(first);
  });

  it('wait for each other where two computers start them at the same moment', async () => {
    const { job, remote, ended } = scene();
    const orders = [first, second].map((id, at) => ({
      ...order(id, 'until [ -e "$HOME/go" ]; do sleep 0.1; done'),
      workspaceKey: `fe0${at}`,
    }));
    for (const one of orders) {
      await job.begin(one);
      await job.sync(one, undefined);
    }
    await Promise.all(orders.map((one) => job.start(one)));
    await until('one of them to work', () => existsSync(join(remote, 'turns')));
    const phases = await Promise.all([first, second].map(phase));
    assert.deepEqual([...phases].sort(), ['running', 'waiting']);
    writeFileSync(join(remote, 'go'), '');
    await Promise.all([first, second].map((id) => ended(id)));
    const inTurn = phases[0] === 'running' ? [first, second] : [second, first];
    assert.deepEqual(turns(), inTurn);
    assert.deepEqual(readdirSync(join(remote, '.gpu-rental', 'starts')), []);
  });
});
