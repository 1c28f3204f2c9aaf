import assert from 'node:assert/strict';
import { limitAt } from '../../../../src/jobs/model/jobExtension';
import { jobCost, jobMs } from '../../../../src/jobs/model/jobLimits';
import { fromDollars } from '../../../../src/model/money';
import { jobWindowScene, type JobWindowScene } from '../../../support/jobWindowScene';
import { aJob, FakeMachines } from '../../../support/jobWindows';

const minute = 60_000;
const id = 5001;

describe('Jobs of one instance', () => {
  let { service, computer, machine: machines, window, pass, open } = {} as JobWindowScene<FakeMachines>;
  beforeEach(async () => {
    ({ service, computer, machine: machines, window, pass, open } = await jobWindowScene(new FakeMachines()));
  });
  afterEach(() => computer.dispose());

  const order = async (success: string) =>
    (await window.jobs.order(aJob(id, { whenDone: { success } }), [])).id;
  const phases = (...jobs: readonly string[]) => jobs.map((job) => window.row(job).state.phase);

  it('are sent in turn, wait on the machine, and cost nothing while they wait', async () => {
    const [first, second, third] = [await order('keep'), await order('keep'), await order('keep')];
    await pass(minute);
    assert.deepEqual(phases(first, second, third), ['running', 'waiting', 'waiting']);
    assert.deepEqual(
      machines.of(third).orders.map(({ after }) => after),
      [[], [`${first}01`, `${second}01`]],
    );
    await pass(30 * minute);
    assert.equal(window.row(second).state.beganAt, undefined);
    machines.of(first).ends({ code: 0, why: 'itself' });
    machines.of(second).phase = 'running';
    await pass(minute);
    assert.deepEqual(phases(first, second, third), ['over', 'running', 'waiting']);
    assert.ok(computer.clock.now() - (window.row(second).state.beganAt ?? 0) <= minute);
  });

  it('count the time and cost of what happened while no window was open, and end at their true limit', async () => {
    const [first, second, third] = [await order('keep'), await order('keep'), await order('keep')];
    await pass(minute);
    window.owned.dispose();
    await pass(9 * 60 * minute);
    machines.of(first).ends({ code: 0, why: 'itself' });
    machines.of(first).ago = { work: 9 * 3600, script: 9 * 3600, end: 8 * 3600 };
    machines.of(second).ends({ code: 0, why: 'itself' });
    machines.of(second).ago = { work: 8 * 3600, script: 7 * 3600, end: 5 * 3600 };
    machines.of(third).phase = 'running';
    machines.of(third).ago = { work: 5 * 3600, script: 4 * 3600 };
    window = await open();
    await pass(minute);
    const now = computer.clock.now();
    const hoursOf = (ms: number) => Math.round((ms / 60 / minute) * 10) / 10;
    const rows = [first, second, third].map((job) => window.row(job));
    assert.deepEqual(
      rows.map((row) => hoursOf(jobMs(row, now))),
      [1, 3, 5],
    );
    assert.equal(Math.round((jobCost(window.row(second), now) ?? 0) / fromDollars(0.1)), 30);
    const { startedAt = 0, limitSeconds = 0 } = window.row(third).state;
    assert.equal(hoursOf(now - startedAt), 4);
    assert.equal(limitAt(window.row(third)), startedAt + limitSeconds * 1000);
  });

  it('keep the times of a machine whose clock jumps between what was seen and now', async () => {
    const job = await order('keep');
    await pass(minute);
    machines.of(job).ends({ code: 0, why: 'itself' });
    machines.of(job).ago = { work: 99 * 3600, script: -5, end: 98 * 3600 };
    await pass(minute);
    const ms = jobMs(window.row(job), computer.clock.now());
    assert.ok(ms > 0 && ms <= 2 * minute, String(ms));
  });

  it('start from the beginning if the machine was restarted while they waited, and need no retries for that', async () => {
    const [first, second] = [await order('keep'), await order('keep')];
    await pass(minute);
    assert.deepEqual(phases(first, second), ['running', 'waiting']);
    machines.of(first).ends({ code: undefined, why: 'interrupted' });
    await pass(minute);
    machines.of(second).phase = 'synced';
    await pass(minute);
    assert.deepEqual(phases(first, second), ['over', 'running']);
    const { attempt, attempts = [] } = window.row(second).state;
    assert.deepEqual([attempt, attempts.length, machines.of(second).starts], [1, 0, 2]);
  });

  it('leave the end of the machine to the last that ran', async () => {
    const [first, second, third] = [await order('stop'), await order('destroy'), await order('stop')];
    await pass(minute);
    machines.of(first).ends({ code: 0, why: 'itself' });
    await pass(5 * minute);
    assert.deepEqual(phases(first, second), ['releasing', 'waiting']);
    machines.of(second).ends({ code: 0, why: 'itself' });
    await pass(5 * minute);
    assert.deepEqual([service.count('instances.stop'), service.count('instances.destroy')], [0, 0]);
    machines.of(third).phase = 'running';
    await pass(minute);
    machines.of(third).ends({ code: 0, why: 'itself' });
    await pass(5 * minute);
    const outcomes = [first, second, third].map((job) => window.row(job).state.outcome);
    assert.deepEqual(outcomes, ['kept', 'kept', 'stopped']);
    assert.deepEqual([service.count('instances.stop'), service.count('instances.destroy')], [1, 0]);
  });

  it('end the machine as confirmed where those after them were never started', async () => {
    const first = await order('destroy');
    await pass(minute);
    const second = await order('keep');
    await window.jobs.stop(second);
    machines.of(first).ends({ code: 0, why: 'itself' });
    await pass(5 * minute);
    assert.deepEqual(
      [window.row(first).state.outcome, window.row(second).state.outcome],
      ['destroyed', 'notStarted'],
    );
  });
});
