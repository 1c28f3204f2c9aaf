import assert from 'node:assert/strict';
import { anInstance } from '../../../support/builders';
import { beginJob, jobsScene, type JobsScene } from '../../../support/jobWindowScene';
import { aJob, FakeMachine } from '../../../support/jobWindows';

const minute = 60_000;
const id = 5001;

describe('Jobs whose progress is lost', () => {
  let { service, computer, disk, machine, open, pass } = {} as JobsScene;
  beforeEach(async () => {
    ({ service, computer, disk, machine, open, pass } = await jobsScene(new FakeMachine()));
  });
  afterEach(() => computer.dispose());

  for (const after of ['running', 'over'] as const) {
    it(`are over and start nothing where they were ${after}, and others wait for them`, async () => {
      const window = await open();
      const retries = { machineLost: 2, interrupted: 2 };
      const job = await beginJob(computer, window, { retries, whenDone: { success: 'destroy' } });
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
