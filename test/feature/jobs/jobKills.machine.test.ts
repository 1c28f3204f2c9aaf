import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { anyBlows, kill, playJob } from '../../fuzz/jobs/scene';
import { prepareProduct } from '../../support/fakeEditor/product';
import { JobJudge } from '../../support/feature/jobJudge';
import { killAt } from '../../support/feature/jobKills';
import { useComputer } from '../../support/feature/useComputer';

const patienceMs = 240_000;

describe('a job that a machine is rented for, with a window that is killed', function () {
  this.timeout(patienceMs);
  before(() => prepareProduct());

  for (const place of [
    'after write order',
    'after PUT /api/v0/asks/{id}/',
    'after ssh start',
    'before name output',
    'before DELETE /api/v0/instances/{id}/',
  ]) {
    it(`breaks no rule and reaches its end if it is ${place}`, async () => {
      const { violations, steps } = await playJob(5, () => [kill(place)]);
      assert.deepEqual(violations, []);
      assert.ok(
        steps.some((step) => step.includes(place)),
        'it came there',
      );
    });
  }

  it('is carried on by another process where this one ended by SIGKILL right after the start', async () => {
    assert.deepEqual(await killAt('after ssh start'), { violations: [], rentals: 1 });
  });

  for (const seed of [6, 9]) {
    it(`breaks no rule with the faults of seed ${seed}`, async () => {
      const { violations } = await playJob(seed, anyBlows);
      assert.deepEqual(violations, []);
    });
  }
});

describe('the judge of jobs', () => {
  const computer = useComputer();

  it('finds what broke a rule, and nothing before that', async () => {
    const { simulator, root, storage } = computer();
    const startsFile = path.join(root, 'starts');
    const job = { name: 'train', startsFile, payload: Buffer.from('model'), epochs: 1, code: 0, ends: {} };
    const judge = new JobJudge(computer(), job);
    const id = await computer().rentRunning({ label: 'train [gr-0123abcd]' });
    const instance = simulator.world.instance(id);
    assert.ok(instance);
    const rows = { instances: [`train #${id}`], jobs: ['train'] };
    judge.check(rows);
    assert.deepEqual(judge.violations, []);
    writeFileSync(startsFile, 'a01\na01\n');
    mkdirSync(path.join(storage, 'accounts', 'account', 'jobs'), { recursive: true });
    const file = path.join(storage, 'accounts', 'account', 'jobs', '0123456789abcdef');
    writeFileSync(`${file}.json`, '{}');
    judge.check({ instances: [], jobs: [] });
    const end = { code: 3, why: 'itself' };
    const machine = { instanceId: id };
    writeFileSync(`${file}.state.json`, JSON.stringify({ phase: 'running' }));
    judge.check({ ...rows, jobs: [] });
    const over = { jobId: '0123456789abcdef', phase: 'over', outcome: 'destroyed', machine, end };
    writeFileSync(`${file}.state.json`, JSON.stringify(over));
    judge.check(rows);
    simulator.world.addInstance({ ...instance, id: id + 1 });
    simulator.world.removeInstance(instance);
    const found = [
      /^started twice: a01 a01/,
      /^#\d+ costs money and is in no view/,
      /^an order was never taken up/,
      /^the job is still running, and nothing says why/,
      /^the job is running and in no view/,
      /^the job is over \(destroyed\), and #\d+ still runs/,
      /^#\d+ counts as destroyed and is there/,
      /^the exit code became 3/,
      /^the log is ""/,
      /^two machines were rented for gr-0123abcd/,
      /^#\d+ is machine 2 of one job/,
      /^#\d+ was destroyed before its outputs were here/,
    ];
    assert.deepEqual(
      judge.violations.map((text) => found.find((one) => one.test(text)) ?? text),
      found,
    );
  });
});
