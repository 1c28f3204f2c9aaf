import assert from 'node:assert/strict';
import { jobCost } from '../../../../src/jobs/model/jobLimits';
import { fromDollars } from '../../../../src/model/money';
import { beginJob, jobWindowScene, type JobWindowScene } from '../../../support/jobWindowScene';
import { aJob, FakeMachine, FakeMachines } from '../../../support/jobWindows';

const minute = 60_000;
const day = 24 * 60 * minute;
const id = 5001;

describe('Jobs while the clock is set back by a day', () => {
  let { service, computer, machine, window, pass } = {} as JobWindowScene;
  beforeEach(async () => {
    ({ service, computer, machine, window, pass } = await jobWindowScene(new FakeMachine()));
  });
  afterEach(() => computer.dispose());

  const setBack = () => {
    computer.clock.jump(-day);
  };
  const order = (fields?: Readonly<Record<string, unknown>>) => beginJob(computer, window, fields);

  it('end a machine that you could still keep as soon as before', async () => {
    const job = await order({ whenDone: { success: 'destroy', keepMinutes: 10 } });
    machine.ends({ code: 0, why: 'itself' });
    await pass(minute);
    assert.equal(window.row(job).state.phase, 'keeping');
    setBack();
    await pass(9 * minute);
    assert.equal(service.count('instances.destroy'), 0);
    await pass(5 * minute);
    assert.deepEqual([window.row(job).state.outcome, service.count('instances.destroy')], ['destroyed', 1]);
  });

  it('count what they cost and used before, so that the next attempt gets no more than is left', async () => {
    const limits = { hours: 9, costDollars: 4 };
    const job = await order({ retries: { exitCodes: { 3: 1 } }, limits });
    await pass(60 * minute);
    setBack();
    await pass(60 * minute);
    const cost = jobCost(window.row(job), computer.clock.now()) ?? 0;
    assert.ok(cost > fromDollars(1.95) && cost < fromDollars(2.05), String(cost));
    machine.onBegin = () => {
      Object.assign(machine, { phase: 'none', end: undefined });
    };
    machine.ends({ code: 3, why: 'itself' });
    await pass(5 * minute);
    const { limitSeconds = 0, attempt } = window.row(job).state;
    assert.equal(attempt, 2);
    assert.ok(limitSeconds > 6600 && limitSeconds <= 7200, String(limitSeconds));
  });

  it('are reported ten minutes before their limit all the same', async () => {
    await order({ limits: { hours: 1, costDollars: 5 } });
    await pass(20 * minute);
    setBack();
    await pass(35 * minute);
    assert.deepEqual(window.noticeKinds(), ['nearLimit']);
  });

  it('continue after a later choice of the user', async () => {
    machine.isTransferHeld = true;
    const job = (await window.jobs.order(aJob(id), [])).id;
    machine.isTransferHeld = false;
    await pass(0);
    machine.isTransferHeld = true;
    machine.ends({ code: 0, why: 'itself' });
    await pass(minute);
    await window.jobs.pauseFetch(job);
    await pass(minute);
    assert.equal(window.row(job).state.trouble?.kind, 'fetchPaused');
    machine.isTransferHeld = false;
    setBack();
    await window.jobs.retry(job);
    await pass(minute);
    assert.equal(window.row(job).state.outcome, 'kept');
  });

  it('get each of two extensions', async () => {
    const job = await order();
    await window.jobs.extend(job, { hours: 3, costDollars: 9 });
    await pass(minute);
    assert.equal(machine.limitSeconds, 3 * 3600);
    setBack();
    await window.jobs.extend(job, { hours: 4, costDollars: 9 });
    await pass(minute);
    assert.equal(machine.limitSeconds, 4 * 3600);
  });

  it('look for jobs of other computers and for checkpoints as often as before', async () => {
    const job = await order({ checkpoints: ['*.ckpt'], fetchMinutes: 10 });
    await pass(11 * minute);
    const checks = () =>
      ['jobsThere', 'checkpoint'].map((name) => machine.calls.filter((call) => call === name).length);
    const [others = 0, checkpoints = 0] = checks();
    assert.equal(checkpoints, 1);
    setBack();
    await pass(25 * minute);
    const [othersAfter = 0, checkpointsAfter = 0] = checks();
    assert.ok(othersAfter - others >= 2 && checkpointsAfter - checkpoints >= 2, checks().join());
    assert.equal(window.row(job).state.phase, 'running');
  });
});

describe('Jobs of one instance while the clock is set back by a day', () => {
  it('keep their order', async () => {
    const { computer, machine: machines, window } = await jobWindowScene(new FakeMachines());
    const first = await window.jobs.order(aJob(id), []);
    await computer.clock.advance(minute);
    computer.clock.jump(-day);
    const second = await window.jobs.order(aJob(id), []);
    assert.ok(second.orderedAt > first.orderedAt);
    await computer.clock.advance(minute);
    assert.deepEqual(machines.of(second.id).orders.at(-1)?.after, [`${first.id}01`]);
    await computer.dispose();
  });
});
