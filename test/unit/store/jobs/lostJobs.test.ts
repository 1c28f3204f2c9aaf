import assert from 'node:assert/strict';
import { anInstance } from '../../../support/builders';
import { FakeJobDisk } from '../../../support/fakeJobDisk';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';
import { aJob, FakeMachine, openJobWindow } from '../../../support/jobWindows';

const minute = 60_000;
const id = 5001;

describe('Jobs whose progress is lost', () => {
  let service: FakeService;
  let computer: FakeComputer;
  let disk: FakeJobDisk;
  let machine: FakeMachine;
  beforeEach(async () => {
    service = new FakeService();
    service.instances = [anInstance({ id, actualStatus: 'running', intendedStatus: 'running' })];
    disk = new FakeJobDisk();
    machine = new FakeMachine();
    computer = await FakeComputer.make(service.client);
  });
  afterEach(() => computer.dispose());

  const open = () => openJobWindow(computer, disk, machine);
  const pass = (ms: number) => computer.clock.advance(ms);

  for (const after of ['running', 'over'] as const) {
    it(`are over and start nothing where they were ${after}, and others wait for them`, async () => {
      const window = await open();
      const retries = { machineLost: 2, interrupted: 2 };
      const { id: job } = await window.jobs.order(
        aJob(id, { retries, whenDone: { success: 'destroy' } }),
        [],
      );
      await pass(0);
      if (after === 'over') {
        service.instances = [anInstance({ id, actualStatus: 'exited', intendedStatus: 'stopped' })];
        await window.jobs.endMachine(job, 'keep');
        machine.ends({ code: 0, why: 'itself' });
        await pass(5 * minute);
        assert.equal(window.row(job).state.outcome, 'kept');
        service.instances = [anInstance({ id, actualStatus: 'running', intendedStatus: 'running' })];
      }
      disk.damageState(job, computer.clock.now());
      window.close();
      const calls = machine.calls.length;
      const next = await open();
      await pass(60 * minute);
      const { phase, outcome } = next.row(job).state;
      assert.deepEqual([phase, outcome, machine.starts, machine.calls.length], ['over', 'unknown', 1, calls]);
      assert.deepEqual(
        [service.count('instances.destroy'), next.jobs.open, next.jobs.atRiskOn(id)],
        [0, [], [next.row(job)]],
      );
      machine.there = [{ id: `${job}01`, name: 'train', isAtWork: true }];
      Object.assign(machine, { phase: 'none', end: undefined });
      await next.jobs.order(aJob(id), []);
      await pass(0);
      assert.deepEqual(machine.orders.at(-1)?.after, [`${job}01`]);
    });
  }
});
