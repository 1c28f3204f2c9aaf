import assert from 'node:assert/strict';
import { isStranded } from '../../../../src/jobs/model/job';
import { jobFolderGone, nothingRan } from '../../../../src/jobs/model/jobText';
import { afterNotStarted } from '../../../../src/jobs/model/nextAttempt';
import { canReleaseMachine } from '../../../../src/jobs/model/outOfReach';
import { remainingMachine } from '../../../../src/jobs/store/remainingMachine';
import { anInstance } from '../../../support/builders';
import { aJobRow } from '../../../support/jobRow';
import { beginJob, jobWindowScene, type JobWindowScene } from '../../../support/jobWindowScene';
import { aJob, FakeMachine } from '../../../support/jobWindows';

const minute = 60_000;
const id = 5001;

describe('Jobs whose machine was stopped before their outputs were fetched', () => {
  let { service, computer, machine, window, pass } = {} as JobWindowScene;
  beforeEach(async () => {
    ({ service, computer, machine, window, pass } = await jobWindowScene(new FakeMachine()));
  });
  afterEach(() => computer.dispose());

  const cut = () => machine.cut();
  async function isStopped(): Promise<void> {
    cut();
    service.instances = [anInstance({ id, actualStatus: 'exited', intendedStatus: 'stopped' })];
    await window.fleet.refresh();
    await pass(minute);
  }
  /** A job in this phase. */
  async function order(phase: string): Promise<string> {
    if (phase === 'starting') {
      machine.cut((call) => call === 'start');
    }
    const job = await beginJob(computer, window, { retries: { interrupted: 1 } });
    if (phase === 'fetching') {
      machine.cut((call) => call === 'fetch');
      machine.ends({ code: 0, why: 'itself' });
      await pass(minute);
    }
    assert.equal(window.row(job).state.phase, phase);
    return job;
  }

  for (const phase of ['starting', 'running', 'fetching']) {
    it(`leave it stopped by the word of the user while ${phase}, and can be fetched later if it ran`, async () => {
      const job = await order(phase);
      await isStopped();
      assert.equal(window.row(job).state.trouble?.kind, 'machineStopped');
      assert.equal(canReleaseMachine(window.row(job)), true);
      await window.jobs.endMachine(job, 'stop');
      await pass(minute);
      assert.deepEqual([window.row(job).state.phase, window.row(job).state.outcome], ['over', 'stopped']);
      // Nothing was seen to run of one whose start was not answered.
      assert.equal(
        remainingMachine(window, window.row(job))?.instanceId,
        phase === 'starting' ? undefined : id,
      );
    });

    it(`let it be destroyed by the word of the user while ${phase}`, async () => {
      const job = await order(phase);
      await isStopped();
      await window.jobs.endMachine(job, 'destroy');
      await pass(minute);
      assert.deepEqual([window.row(job).state.outcome, service.count('instances.destroy')], ['destroyed', 1]);
    });
  }

  for (const [when, outcome] of [
    ['before', 'notStarted'],
    ['after', 'kept'],
  ] as const) {
    it(`can be fetched where the connection was cut ${when} the machine took the order to start`, async () => {
      machine.cut((call, at) => call === 'start' && at === when);
      const job = await beginJob(computer, window);
      await isStopped();
      assert.equal(window.row(job).state.phase, 'starting');
      assert.ok(isStranded(window.row(job)));
      machine.trouble = undefined;
      if (when === 'after') {
        machine.ends({ code: 1, why: 'interrupted' });
      }
      await window.jobs.stop(job);
      await window.jobs.copyOutputs(job);
      await pass(minute);
      const { state } = window.row(job);
      assert.deepEqual(
        [state.phase, state.outcome, state.outputs?.files, state.why],
        ['over', outcome, ...(when === 'after' ? [1, undefined] : [undefined, nothingRan])],
      );
      assert.equal(machine.starts, when === 'after' ? 1 : 0);
    });
  }

  for (const [failure, outcome, stops] of [
    ['stop', 'stopped', 1],
    ['keep', 'kept', 0],
  ] as const) {
    it(`show that nothing ran on a machine that was started to fetch, and ${failure} it as confirmed`, async () => {
      machine.cut((call, at) => call === 'start' && at === 'before');
      const job = await beginJob(computer, window, { whenDone: { failure } });
      await isStopped();
      machine.trouble = undefined;
      await window.jobs.stop(job);
      await window.jobs.startForOutputs(job);
      service.instances = [anInstance({ id, actualStatus: 'running', intendedStatus: 'running' })];
      await window.fleet.refresh();
      await pass(minute);
      const { state } = window.row(job);
      assert.deepEqual([state.phase, state.outcome, state.why], ['over', outcome, nothingRan]);
      assert.deepEqual([service.count('instances.stop'), machine.starts], [stops, 0]);
      assert.ok(window.noticeKinds().includes('notStarted'));
    });
  }

  it('leave a machine that was started to fetch as it is where the folder of the job is gone', () => {
    const { job, state } = aJobRow({ phase: 'starting' }, { job: { decidedAt: { stop: 1, start: 1 } } });
    assert.deepEqual(afterNotStarted(job, state, jobFolderGone, 2), [
      'over',
      { why: jobFolderGone, endedAt: 2, outcome: 'notStarted' },
    ]);
    assert.equal(afterNotStarted(job, state, undefined, 2)[0], 'releasing');
  });

  for (const [status, outcome] of [
    ['offline', 'destroyed'],
    ['running', undefined],
  ] as const) {
    it(`${outcome ? 'let' : 'do not let'} a machine be destroyed that is ${status} and does not answer`, async () => {
      const job = await order('fetching');
      cut();
      service.instances = [anInstance({ id, actualStatus: status, intendedStatus: 'running' })];
      await window.fleet.refresh();
      await pass(10 * minute);
      assert.equal(window.row(job).state.trouble?.kind, 'fetch');
      assert.equal(service.count('instances.destroy'), 0);
      await window.jobs.endMachine(job, 'destroy');
      await pass(20 * minute);
      assert.equal(window.row(job).state.outcome, outcome);
      assert.equal(service.count('instances.destroy'), outcome ? 1 : 0);
    });
  }

  for (const [how, outcome] of [
    ['stop', 'stopped'],
    ['destroy', 'destroyed'],
  ] as const) {
    for (const phase of ['starting', 'running', 'fetching']) {
      it(`${how} a machine by the word of the user while ${phase} whose host does not give the outputs away`, async () => {
        const job = await order(phase);
        await isStopped();
        await window.jobs.copyOutputs(job);
        await pass(10 * minute);
        assert.equal(window.row(job).state.trouble?.kind, 'fetch');
        assert.equal(canReleaseMachine(window.row(job)), true);
        await window.jobs.endMachine(job, how);
        await pass(10 * minute);
        const ended = service.count('instances.destroy');
        assert.deepEqual([window.row(job).state.outcome, ended], [outcome, how === 'destroy' ? 1 : 0]);
      });
    }

    it(`${how} a machine by the word of the user after a canceled fetch, and fetch nothing more`, async () => {
      const job = await order('fetching');
      await window.jobs.pauseFetch(job);
      await pass(minute);
      assert.equal(window.row(job).state.trouble?.kind, 'fetchPaused');
      machine.trouble = undefined;
      await window.jobs.endMachine(job, how);
      await pass(10 * minute);
      assert.deepEqual([window.row(job).state.outcome, window.row(job).state.outputs], [outcome, undefined]);
    });
  }

  it('are over one by one where the machine has several', async () => {
    const [first, second] = [await order('running'), (await window.jobs.order(aJob(id), [])).id];
    await pass(minute);
    await isStopped();
    await window.jobs.endMachine(first, 'stop');
    await pass(5 * minute);
    const phases = [first, second].map((job) => window.row(job).state.phase);
    assert.deepEqual([phases[0], phases[1] === 'over'], ['over', false]);
  });

  it('are not given up by what the user decided while it ran', async () => {
    const job = await order('fetching');
    await window.jobs.endMachine(job, 'destroy');
    await isStopped();
    await pass(60 * minute);
    const { phase, trouble } = window.row(job).state;
    assert.deepEqual(
      [phase, trouble?.kind, service.count('instances.destroy')],
      ['fetching', 'machineStopped', 0],
    );
  });
});
