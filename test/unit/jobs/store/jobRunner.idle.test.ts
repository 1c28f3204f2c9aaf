import assert from 'node:assert/strict';
import { beginJob, jobsScene, type JobsScene } from '../../../support/jobWindowScene';
import { aJob, FakeMachine } from '../../../support/jobWindows';

const minute = 60_000;
const id = 5001;

describe('Jobs that do nothing', () => {
  let { computer, machine, open, pass } = {} as JobsScene;
  beforeEach(async () => {
    ({ computer, machine, open, pass } = await jobsScene(new FakeMachine()));
  });
  afterEach(() => computer.dispose());

  it('are reported as idle once, again after they worked, and never before their limit', async () => {
    const window = await open();
    const limits = { hours: 20, costDollars: 400, idleMinutes: 30 };
    const job = await beginJob(computer, window, { limits });
    const order = machine.orders.at(-1);
    assert.deepEqual([order?.idleSeconds, order?.endsIfIdle], [1800, undefined]);
    const idleFor = async (idleSeconds: number) => {
      machine.beat = { at: 0, logSize: 0, freeKb: 1, gpuPercent: 0, idleSeconds };
      await pass(minute);
      return [window.noticeKinds().filter((kind) => kind === 'idle').length, window.row(job).state.idleSince];
    };
    assert.deepEqual(await idleFor(1799), [0, undefined]);
    assert.equal((await idleFor(1800))[0], 1);
    const [count, since] = await idleFor(1860);
    assert.deepEqual([count, computer.clock.now() - Number(since) >= 1_800_000], [1, true]);
    assert.deepEqual(await idleFor(10), [1, undefined]);
    assert.equal((await idleFor(1800))[0], 2);
    assert.equal(window.row(job).state.phase, 'running');
  });

  it('are ended by the machine if the file requests that', async () => {
    const window = await open();
    const limits = { hours: 2, costDollars: 4, idleMinutes: 5 };
    await window.jobs.order(aJob(id, { limits, whenDone: { idle: 'stop' } }), []);
    await pass(0);
    const order = machine.orders.at(-1);
    assert.deepEqual([order?.idleSeconds, order?.endsIfIdle], [300, true]);
  });
});
