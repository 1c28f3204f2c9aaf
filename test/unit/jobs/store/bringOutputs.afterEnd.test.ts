import assert from 'node:assert/strict';
import { jobCost } from '../../../../src/jobs/model/jobLimits';
import { mayReopen } from '../../../../src/jobs/model/reopenedJob';
import { formatText, text } from '../../../../src/util/text';
import { anInstance } from '../../../support/builders';
import { jobWindowScene, type JobWindowScene } from '../../../support/jobWindowScene';
import { aJob, FakeMachine } from '../../../support/jobWindows';

const minute = 60_000;
const id = 5001;

describe('The outputs of a job that is over', () => {
  let { service, computer, disk, machine, window, open, pass } = {} as JobWindowScene;
  let job = '';
  beforeEach(async () => {
    ({ service, computer, disk, machine, window, open, pass } = await jobWindowScene(new FakeMachine()));
  });
  afterEach(() => computer.dispose());

  const state = () => window.row(job).state;
  const counts = () => [machine.starts, service.count('instances.stop'), service.count('instances.destroy')];
  const fetches = () => machine.calls.filter((call) => call === 'fetch').length;
  function setMachine(status: 'running' | 'stopped'): void {
    const actualStatus = status === 'running' ? 'running' : 'exited';
    service.instances = [anInstance({ id, actualStatus, intendedStatus: status })];
  }

  /** A job that would run again after every cause, and whose machine was to be destroyed, and was not. */
  async function over(fields: object = {}, end: 'keep' | 'stop' = 'keep'): Promise<void> {
    const retries = { machineLost: 3, interrupted: 3, exitCodes: { 3: 3 } };
    const whenDone = { success: 'destroy', failure: 'destroy', limit: 'destroy' };
    job = (await window.jobs.order(aJob(id, { retries, whenDone, ...fields }), [])).id;
    await pass(0);
    await window.jobs.endMachine(job, end);
    machine.ends({ code: 0, why: 'itself' });
    await pass(5 * minute);
    assert.equal(state().outcome, end === 'keep' ? 'kept' : 'stopped');
  }

  it('are fetched again from a machine that was kept, which stays as it is, after any confirmation', async () => {
    await over();
    const { endedAt } = state();
    const cost = jobCost(window.row(job), computer.clock.now());
    const [noticed, before] = [window.noticeKinds().length, counts()];
    await pass(60 * minute);
    assert.ok(await window.jobs.reopen(job, {}));
    await pass(0);
    assert.deepEqual([fetches(), state().phase, state().outcome], [2, 'over', 'kept']);
    await pass(24 * 60 * minute);
    assert.deepEqual([fetches(), counts(), state().endedAt], [2, before, endedAt]);
    assert.equal(jobCost(window.row(job), computer.clock.now()), cost);
    assert.deepEqual(window.noticeKinds().slice(noticed), ['fetchedAgain']);
    assert.ok(await window.jobs.reopen(job, {}));
    await pass(minute);
    assert.deepEqual([fetches(), state().outcome, counts()], [3, 'kept', before]);
  });

  it('are requested at once by two windows and fetched once', async () => {
    await over();
    const other = await open();
    const asked = await Promise.all([window.jobs.reopen(job, {}), other.jobs.reopen(job, {})]);
    assert.ok(asked.includes(true));
    await pass(10 * minute);
    assert.deepEqual([fetches(), other.row(job).state.outcome], [2, 'kept']);
  });

  for (const call of ['check', 'outputs', 'fetch', 'markFetched']) {
    it(`are fetched by the next window if one is killed at ${call}`, async () => {
      await over();
      machine.trouble = (one, when) => {
        if (one === call && when === 'after') {
          machine.trouble = undefined;
          window.close();
        }
      };
      await window.jobs.reopen(job, {});
      await pass(minute);
      window = await open();
      await pass(10 * minute);
      assert.deepEqual([state().outcome, state().reopened?.isFetched, counts()], ['kept', true, [1, 0, 0]]);
    });
  }

  it('are fetched if the window is killed right after the question, and the clock was set back by a day', async () => {
    await over();
    window.close();
    const { jobs } = await open();
    computer.clock.jump(-24 * 60 * minute);
    await jobs.ready;
    await jobs.reopen(job, {});
    window = await open();
    await pass(minute);
    assert.deepEqual([fetches(), state().outcome], [2, 'kept']);
    assert.ok(await window.jobs.reopen(job, {}));
    await pass(minute);
    assert.deepEqual([fetches(), state().outcome, counts()], [3, 'kept', [1, 0, 0]]);
  });

  it('are given up if the machine is destroyed during the fetch, with what became of them', async () => {
    await over();
    machine.isTransferHeld = true;
    await window.jobs.reopen(job, {});
    await pass(0);
    assert.equal(state().phase, 'fetching');
    service.instances = [];
    machine.isTransferHeld = false;
    machine.cut();
    window.close();
    window = await open();
    window.fleet.hasEnded(id);
    for (let count = 0; count < 10; count++) {
      await window.fleet.refresh();
      await pass(minute);
    }
    assert.deepEqual([state().phase, state().outcome, counts()], ['over', 'destroyed', [1, 0, 0]]);
    assert.equal(mayReopen(window.row(job)), false);
    assert.equal(await window.jobs.reopen(job, {}), false);
  });

  it('are given up where their folder is gone, without a word about those that are here', async () => {
    await over();
    Object.assign(machine, { phase: 'none', end: undefined });
    await window.jobs.reopen(job, {});
    await pass(5 * minute);
    assert.deepEqual([state().phase, state().outcome, state().outputs?.files], ['over', 'kept', 1]);
    assert.equal(formatText(state().reopened?.why ?? text('')), 'Its folder on the machine is gone.');
    assert.equal(state().end?.why, 'itself');
    assert.deepEqual([window.noticeKinds().at(-1), mayReopen(window.row(job))], ['notFetchedAgain', false]);
  });

  it('are given up after half an hour without an answer, and can be asked for again', async () => {
    await over();
    machine.cut();
    await window.jobs.reopen(job, {});
    await pass(20 * minute);
    assert.deepEqual([state().phase, state().trouble?.kind], ['fetching', 'fetch']);
    await pass(20 * minute);
    assert.deepEqual(
      [state().phase, state().outcome, window.noticeKinds().at(-1)],
      ['over', 'kept', 'notFetchedAgain'],
    );
    machine.trouble = undefined;
    assert.ok(await window.jobs.reopen(job, {}));
    await pass(minute);
    assert.deepEqual([state().reopened?.isFetched, counts()], [true, [1, 0, 0]]);
  });

  it('are left where the user cancels the transfer', async () => {
    await over();
    const noticed = window.noticeKinds().length;
    machine.isTransferHeld = true;
    await window.jobs.reopen(job, {});
    await pass(0);
    await window.jobs.pauseFetch(job);
    await pass(minute);
    assert.deepEqual(
      [state().phase, state().outcome, window.noticeKinds().length],
      ['over', 'kept', noticed],
    );
    assert.ok(mayReopen(window.row(job)));
  });

  it('are fetched from a machine that was started for them, which is stopped again, and never destroyed', async () => {
    await over({}, 'stop');
    assert.deepEqual(counts(), [1, 1, 0]);
    setMachine('stopped');
    await window.fleet.refresh();
    await window.jobs.reopen(job, { isStarted: true });
    await pass(10_000);
    setMachine('running');
    await window.fleet.refresh();
    await pass(minute);
    assert.deepEqual([state().outcome, counts()], ['stopped', [1, 2, 0]]);
    assert.deepEqual(window.noticeKinds().slice(-2), ['fetchedAgain', 'released']);
    assert.ok(!window.noticeKinds().includes('machineStopped'));
  });

  it('are given up if the start fails', async () => {
    await over({}, 'stop');
    setMachine('stopped');
    await window.fleet.refresh();
    await window.jobs.reopen(job, { isStarted: true });
    await pass(10 * minute);
    assert.deepEqual([state().phase, state().outcome, counts()], ['over', 'stopped', [1, 1, 0]]);
    assert.ok(window.noticeKinds().includes('notFetchedAgain'));
  });

  it('are fetched from a machine that the user started for something else, which keeps running', async () => {
    await over({}, 'stop');
    setMachine('running');
    await window.fleet.refresh();
    await window.jobs.reopen(job, {});
    await pass(60 * minute);
    assert.deepEqual([fetches(), state().outcome, counts()], [2, 'stopped', [1, 1, 0]]);
  });

  it('follow what is decided about the machine while they are fetched', async () => {
    await over();
    machine.isTransferHeld = true;
    await window.jobs.reopen(job, {});
    await pass(0);
    await window.jobs.endMachine(job, 'destroy');
    machine.isTransferHeld = false;
    window.close();
    window = await open();
    await pass(5 * minute);
    assert.deepEqual([state().outcome, service.count('instances.destroy')], ['destroyed', 1]);
  });

  it('keep the machine from another job that is to destroy it', async () => {
    await over();
    machine.isTransferHeld = true;
    await window.jobs.reopen(job, {});
    await pass(0);
    const held = machine;
    const { id: other } = await window.jobs.order(
      aJob(id, { outputs: [], whenDone: { success: 'destroy' } }),
      [],
    );
    await disk.storage.putState({ ...window.row(other).state, phase: 'releasing', end: held.end });
    await pass(30 * minute);
    assert.equal(service.count('instances.destroy'), 0);
  });

  it('are fetched if the progress of the job is lost: nothing is started, and its end is read from the machine', async () => {
    await over();
    disk.damageState(job, computer.clock.now() - 1);
    window.close();
    window = await open();
    assert.deepEqual([state().outcome, mayReopen(window.row(job))], ['unknown', true]);
    assert.ok(await window.jobs.reopen(job, {}));
    await pass(5 * minute);
    assert.deepEqual([state().phase, state().outcome, state().end?.code], ['over', 'unknown', 0]);
    assert.deepEqual([fetches(), counts(), window.noticeKinds().at(-1)], [2, [1, 0, 0], 'fetchedAgain']);
    assert.equal(jobCost(window.row(job), computer.clock.now()), undefined);
    // The decision was about the first loss.
    disk.damageState(job, computer.clock.now());
    window.close();
    window = await open();
    await pass(60 * minute);
    assert.deepEqual([state().phase, fetches()], ['over', 2]);
  });

  it('wait for a command that still runs where the progress is lost, and end nothing', async () => {
    job = (await window.jobs.order(aJob(id, { whenDone: { success: 'destroy' } }), [])).id;
    await pass(0);
    disk.damageState(job, computer.clock.now());
    window.close();
    window = await open();
    await window.jobs.reopen(job, {});
    await pass(5 * 60 * minute);
    assert.deepEqual([state().phase, fetches(), window.noticeKinds()], ['fetching', 0, []]);
    machine.ends({ code: 3, why: 'itself' });
    await pass(5 * minute);
    assert.deepEqual([state().outcome, state().end?.code, fetches(), counts()], ['unknown', 3, 1, [1, 0, 0]]);
  });
});
