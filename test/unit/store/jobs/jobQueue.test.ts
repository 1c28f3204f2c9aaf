import assert from 'node:assert/strict';
import { anInstance } from '../../../support/builders';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';
import { FakeJobDisk } from '../../../support/fakeJobDisk';
import { aJob, FakeMachines, openJobWindow } from '../../../support/jobWindows';

const minute = 60_000;
const id = 5001;

describe('Jobs of one instance', () => {
  let service: FakeService;
  let computer: FakeComputer;
  let machines: FakeMachines;
  let window: Awaited<ReturnType<typeof openJobWindow>>;
  beforeEach(async () => {
    service = new FakeService();
    service.instances = [anInstance({ id, actualStatus: 'running', intendedStatus: 'running' })];
    machines = new FakeMachines();
    computer = await FakeComputer.make(service.client);
    window = await openJobWindow(computer, new FakeJobDisk(), machines);
  });
  afterEach(() => computer.dispose());

  const pass = (ms: number) => computer.clock.advance(ms);
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
