import assert from 'node:assert/strict';
import { extended, limitAt } from '../../../../src/jobs/model/jobExtension';
import { jobCost, jobMs } from '../../../../src/jobs/model/jobLimits';
import { fromDollars, toDollars, zero } from '../../../../src/model/money';
import { anInstance } from '../../../support/builders';
import { beginJob, jobsScene, type JobsScene } from '../../../support/jobWindowScene';
import { aJob, FakeMachine } from '../../../support/jobWindows';

const minute = 60_000;
const id = 5001;

describe('Limits of jobs that can be extended', () => {
  let { service, computer, machine, open, pass } = {} as JobsScene;
  beforeEach(async () => {
    ({ service, computer, machine, open, pass } = await jobsScene(new FakeMachine()));
  });
  afterEach(() => computer.dispose());

  it('are reported ten minutes before their limit, and end it later once the machine accepted an extension', async () => {
    const window = await open();
    const limits = { hours: 1, costDollars: 1.5 };
    const { id: job } = await window.jobs.order(aJob(id, { limits }), []);
    await pass(48 * minute);
    assert.deepEqual(window.noticeKinds(), []);
    await pass(3 * minute);
    assert.deepEqual(window.noticeKinds(), ['nearLimit']);
    const more = extended(window.row(job), 1);
    assert.ok(more);
    assert.equal(more.hours, 2);
    // Two hours at $1.00/h with two minutes to end it in.
    assert.ok(more.costDollars > 2.03 && more.costDollars < 2.06, String(more.costDollars));
    assert.equal(extended(window.row(job), 719)?.hours, 720);
    assert.equal(extended(window.row(job), 719.5), undefined);
    await window.jobs.extend(job, more);
    await pass(minute);
    assert.equal(machine.limitSeconds, 7200);
    assert.deepEqual(window.noticeKinds(), ['nearLimit', 'extended']);
    const at = limitAt(window.row(job)) ?? 0;
    assert.ok(Math.abs(at - computer.clock.now() - 68 * minute) <= minute);
    await pass(61 * minute);
    assert.deepEqual(window.noticeKinds().slice(2), ['nearLimit']);
  });

  it('end a job sooner whose machine has become dearer, and count each price for its own time', async () => {
    const price = (dollars: number) => {
      const running = anInstance({ id, actualStatus: 'running', intendedStatus: 'running' });
      service.instances = [{ ...running, totalPerHour: fromDollars(dollars) }];
    };
    price(1);
    const window = await open();
    const limits = { hours: 5, costDollars: 3, graceSeconds: 0 };
    const { id: job } = await window.jobs.order(aJob(id, { limits }), []);
    await pass(60 * minute);
    const limit = () => machine.limitSeconds;
    assert.equal(limit(), undefined);
    price(2);
    for (const ms of [40_000, 20_000]) {
      await window.fleet.refresh();
      await pass(ms);
    }
    const cost = () => toDollars(jobCost(window.row(job), computer.clock.now()) ?? zero);
    assert.ok(Math.abs(cost() - 1.03) < 0.03, `${cost()} dollars after an hour and a minute`);
    // One hour for the first dollar, and another for the other two.
    const hours = (limit() ?? 0) / 3600;
    assert.ok(hours > 1.97 && hours < 2.03, `${hours} h`);
    const at = limitAt(window.row(job)) ?? 0;
    assert.ok(Math.abs(at - computer.clock.now() - 59 * minute) <= 2 * minute);
    assert.equal(window.row(job).state.dearer, undefined, 'nothing is left to agree with');
    const tries = machine.calls.filter((call) => call === 'extend').length;
    price(0.5);
    await window.fleet.refresh();
    await pass(30 * minute);
    assert.equal(machine.calls.filter((call) => call === 'extend').length, tries);
    assert.ok(Math.abs(cost() - 2.03) < 0.03, 'a lower price is not counted on');
    assert.equal(jobMs(window.row(job), computer.clock.now()), 91 * minute);
  });

  it('are not cut by a price that one list alone states', async () => {
    const price = (dollars: number) => {
      const running = anInstance({ id, actualStatus: 'running', intendedStatus: 'running' });
      service.instances = [{ ...running, totalPerHour: fromDollars(dollars) }];
    };
    price(1);
    const window = await open();
    const { id: job } = await window.jobs.order(aJob(id, { limits: { hours: 5, costDollars: 3 } }), []);
    await pass(60 * minute);
    price(5000);
    await window.fleet.refresh();
    const { fetchedAt } = window.fleet.state as { fetchedAt: number };
    await pass(40_000);
    assert.equal(
      (window.fleet.state as { fetchedAt: number }).fetchedAt,
      fetchedAt,
      'no other list was read',
    );
    price(1);
    await window.fleet.refresh();
    await pass(10 * minute);
    assert.deepEqual(
      machine.calls.filter((call) => call === 'extend'),
      [],
    );
    assert.equal(window.row(job).state.phase, 'running');
    assert.ok(toDollars(jobCost(window.row(job), computer.clock.now()) ?? zero) < 1.2);
  });

  it('are not reported any more once they have passed, as on a computer that slept', async () => {
    const window = await open();
    await window.jobs.order(aJob(id, { limits: { hours: 1, costDollars: 1.5 } }), []);
    await pass(minute);
    machine.trouble = () => {
      throw new Error('away');
    };
    computer.clock.jump(61 * minute);
    await pass(5 * minute);
    assert.ok(!window.noticeKinds().includes('nearLimit'), window.noticeKinds().join());
  });

  it('show that an extension was too late', async () => {
    const window = await open();
    const job = await beginJob(computer, window);
    machine.trouble = (call, when) => {
      if (call === 'extend' && when === 'before') {
        machine.ends({ code: 143, why: 'limit' });
      }
    };
    await window.jobs.extend(job, { hours: 9, costDollars: 9 });
    await pass(0);
    assert.ok(window.noticeKinds().includes('notExtended'));
    await pass(5 * minute);
    assert.equal(window.row(job).state.end?.why, 'limit');
  });

  it('accept none once they are over', async () => {
    const window = await open();
    const job = await beginJob(computer, window);
    machine.ends({ code: 0, why: 'itself' });
    await pass(minute);
    const before = window.row(job);
    assert.equal(before.state.phase, 'over');
    assert.equal(await window.jobs.extend(job, { hours: 9, costDollars: 9 }), false);
    await pass(minute);
    assert.deepEqual(window.row(job).job, before.job);
  });
});
