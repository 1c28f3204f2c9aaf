import assert from 'node:assert/strict';
import type { JobPhase, JobRow } from '../../../../src/jobs/model/job';
import type { JobMachine } from '../../../../src/jobs/model/jobMachine';
import {
  acceptedBefore,
  areOthersDue,
  isTurnOfAnother,
  seeOthers,
} from '../../../../src/jobs/store/otherJobs';
import { CancelledError } from '../../../../src/util/errors';
import { silentLog } from '../../../../src/util/log';
import { formatText, text } from '../../../../src/util/text';
import { aJobRow, jobNow } from '../../../support/jobRow';
import { beginJob, jobsScene, type JobsScene, type JobWindowScene } from '../../../support/jobWindowScene';
import { aJob, CutConnection, FakeMachine } from '../../../support/jobWindows';

const minute = 60_000;
const id = 5001;

describe('Jobs of other computers on a machine', () => {
  let { service, computer, machine, pass, open } = {} as JobsScene;
  beforeEach(async () => {
    ({ service, computer, machine, pass, open } = await jobsScene(new FakeMachine()));
  });
  afterEach(() => computer.dispose());

  const other = { id: 'feedfacefeedface01', name: 'eval' };
  const ends = () => [service.count('instances.stop'), service.count('instances.destroy')];

  async function ran(whenDone: object) {
    const window = await open();
    const job = await beginJob(computer, window, { whenDone });
    machine.ends({ code: 0, why: 'itself' });
    await pass(5 * minute);
    return { window, job, state: () => window.row(job).state };
  }

  it('are waited for, and never taken for our own', async () => {
    machine.there = [{ ...other, isAtWork: true }];
    const window = await open();
    const job = await beginJob(computer, window);
    assert.deepEqual(machine.orders.at(-1)?.after, [other.id]);
    assert.equal(window.row(job).state.phase, 'waiting');
    assert.deepEqual(window.row(job).state.others, machine.there);
    const second = await window.jobs.order(aJob(id), []);
    machine.there = [{ id: `${job}01`, name: 'train', isAtWork: true }];
    await pass(minute);
    assert.deepEqual(window.row(second.id).state.others, []);
  });

  for (const [action, isAtWork, isSpared] of [
    ['destroy', true, true],
    ['destroy', false, true],
    ['stop', true, true],
    // What is on its disk stays.
    ['stop', false, false],
  ] as const) {
    const what = isAtWork ? 'are not finished' : 'have outputs there';
    it(`${isSpared ? 'keep the machine from' : 'do not keep the machine from'} a ${action} where they ${what}`, async () => {
      machine.there = [{ ...other, isAtWork }];
      const { window, state } = await ran({ success: action });
      if (!isSpared) {
        assert.deepEqual([state().outcome, ...ends()], ['stopped', 1, 0]);
        return;
      }
      assert.deepEqual([state().trouble?.kind, ...ends()], ['othersThere', 0, 0]);
      assert.equal(window.noticeKinds().filter((kind) => kind === 'othersThere').length, 1);
      machine.there = [];
      await pass(10 * minute);
      assert.deepEqual(ends(), action === 'stop' ? [1, 0] : [0, 1]);
    });
  }

  it('are taken along only by the word of the user', async () => {
    machine.there = [{ ...other, isAtWork: false }];
    const { window, job, state } = await ran({ success: 'destroy' });
    await window.jobs.endMachine(job, 'destroy');
    await pass(5 * minute);
    assert.deepEqual([state().outcome, ...ends()], ['destroyed', 0, 1]);
  });

  it('are looked for every ten minutes', async () => {
    const window = await open();
    const { id: job } = await window.jobs.order(aJob(id), []);
    const at = computer.clock.now();
    const row = { ...window.row(job), state: { ...window.row(job).state, othersTriedAt: at } };
    assert.equal(areOthersDue(row, at + 10 * minute - 1), false);
    assert.equal(areOthersDue(row, at + 10 * minute), true);
    assert.equal(areOthersDue({ ...row, state: { ...row.state, othersTriedAt: undefined } }, at), true);
  });

  it('count as looked for where the machine does not answer, but not where the look was ended', async () => {
    const window = await open();
    const { id: job } = await window.jobs.order(aJob(id), []);
    const seen = (fault: Error, signal = new AbortController().signal) =>
      seeOthers(
        { jobs: window.jobs, log: silentLog },
        // Nothing else of it is used here.
        { jobsThere: () => Promise.reject(fault) } as unknown as JobMachine,
        window.row(job),
        signal,
      );
    assert.equal(await seen(new CutConnection()), window.row(job).state.others);
    await assert.rejects(seen(new CancelledError()), CancelledError);
    await assert.rejects(seen(new CutConnection(), AbortSignal.abort()), CutConnection);
  });

  for (const action of ['stop', 'destroy'] as const) {
    it(`keep the machine from a ${action} while it can’t be asked for them, which is reported`, async () => {
      let isCut = false;
      machine.trouble = (call) => {
        if (call === 'markFetched') {
          isCut = true;
        }
        if (call === 'jobsThere' && isCut) {
          throw new CutConnection();
        }
      };
      const { window, job, state } = await ran({ success: action });
      assert.ok(isCut);
      assert.deepEqual([state().phase, state().trouble?.kind, ...ends()], ['releasing', 'release', 0, 0]);
      assert.equal(
        formatText(state().trouble?.why ?? text('')),
        'Could not check whether it has jobs of other computers. The connection was cut.',
      );
      assert.ok(window.noticeKinds().includes('notReleased'));
      machine.trouble = undefined;
      machine.there = [{ ...other, isAtWork: true }];
      await window.jobs.retry(job);
      await pass(minute);
      assert.deepEqual([state().trouble?.kind, ...ends()], ['othersThere', 0, 0]);
    });
  }

  it('are not asked for once the user decided about a machine that does not answer', async () => {
    const { window, job, state } = await ran({ success: 'destroy', keepMinutes: 60 });
    machine.cut();
    await pass(70 * minute);
    assert.deepEqual([state().trouble?.kind, ...ends()], ['release', 0, 0]);
    await window.jobs.endMachine(job, 'destroy');
    await pass(10 * minute);
    assert.deepEqual([state().outcome, ...ends()], ['destroyed', 0, 1]);
  });

  const isStopped = async (window: JobWindowScene['window']) => {
    service.instances = service.instances.map((one) => ({
      ...one,
      ...{ actualStatus: 'exited', intendedStatus: 'stopped', currentState: 'stopped' },
    }));
    await window.fleet.refresh();
  };

  for (const [there, outcome] of [
    [[{ ...other, isAtWork: false }], undefined],
    [[], 'destroyed'],
  ] as const) {
    it(`${there.length > 0 ? 'keep' : 'do not keep'} a stopped machine of which its host names ${there.length > 0 ? 'one' : 'none'}`, async () => {
      const window = await open();
      const { id: job } = await window.jobs.order(aJob(id, { whenDone: { success: 'destroy' } }), []);
      await pass(minute);
      machine.ends({ code: 0, why: 'itself' });
      machine.there = there;
      await isStopped(window);
      await pass(minute);
      await window.jobs.copyOutputs(job);
      await pass(5 * minute);
      const { state } = window.row(job);
      assert.equal(machine.fetched, 'hash-of-list');
      assert.deepEqual(
        [state.outcome, state.trouble?.kind, ...ends()],
        outcome ? [outcome, undefined, 0, 1] : [undefined, 'othersThere', 0, 0],
      );
    });
  }

  it('leave a machine that was stopped after the fetch to the user, whose host was never to be asked', async () => {
    const { window, job, state } = await ran({ success: 'destroy', keepMinutes: 60 });
    await isStopped(window);
    const asked = machine.calls.filter((call) => call === 'jobsThere').length;
    await pass(70 * minute);
    assert.equal(
      formatText(state().trouble?.why ?? text('')),
      'Could not check whether it has jobs of other computers. It is stopped.',
    );
    assert.equal(machine.calls.filter((call) => call === 'jobsThere').length, asked);
    assert.deepEqual(ends(), [0, 0]);
    await window.jobs.endMachine(job, 'destroy');
    await pass(10 * minute);
    assert.equal(state().outcome, 'destroyed');
  });
});

const here = 7;
const at = (phase: JobPhase, id: string, orderedAt: number, since = jobNow) =>
  aJobRow({ phase, since }, { instanceId: here, job: { id, orderedAt } });
const on = (...rows: readonly JobRow[]) => ({ ofInstance: (id: number) => (id === here ? rows : []) });

describe('The turn of a job on a machine', () => {
  for (const [mine, phase, orderedAt, since, waits] of [
    ['queued', 'queued', 1, 0, true],
    ['queued', 'queued', 3, 0, false],
    ['queued', 'syncing', 3, 0, true],
    ['queued', 'starting', 3, 0, true],
    ['queued', 'connecting', 1, 0, true],
    ['queued', 'waiting', 1, 0, false],
    ['queued', 'running', 1, 0, false],
    ['connecting', 'connecting', 1, 0, true],
    ['connecting', 'connecting', 3, 0, false],
    ['syncing', 'starting', 3, 0, true],
    ['syncing', 'queued', 1, 0, false],
    ['syncing', 'connecting', 1, 0, false],
    // Both found the mirror free: the first of them, or at the same moment the one that was ordered first.
    ['syncing', 'syncing', 3, -1, true],
    ['syncing', 'syncing', 1, 1, false],
    ['syncing', 'syncing', 1, 0, true],
    ['syncing', 'syncing', 3, 0, false],
  ] as const) {
    const order = orderedAt === 1 ? 'an earlier' : 'a later';
    const when = since === 0 ? '' : since < 0 ? ', which began before it' : ', which began after it';
    it(`${waits ? 'is after' : 'does not wait for'} ${order} one that is ${phase}${when}, while ${mine}`, () => {
      const row = at(mine, 'b', 2);
      const other = at(phase, 'a', orderedAt, jobNow + since);
      assert.equal(isTurnOfAnother(on(row, other), row), waits);
    });
  }

  it('is its own if it is alone there, or its machine is unknown', () => {
    const row = at('queued', 'b', 2);
    assert.equal(isTurnOfAnother(on(row), row), false);
    const elsewhere = aJobRow({ phase: 'queued' }, { instanceId: undefined });
    assert.equal(isTurnOfAnother(on(at('starting', 'a', 1)), elsewhere), false);
  });

  it('is after those that the machine has accepted, in any order', () => {
    const row = at('starting', 'row', 2);
    const rows = (['waiting', 'settingUp', 'running', 'starting', 'ended', 'queued'] as const).map(
      (phase, index) => at(phase, phase, index),
    );
    const accepted = acceptedBefore(on(row, ...rows), row).map(({ job }) => job.id);
    assert.deepEqual(accepted, ['waiting', 'settingUp', 'running']);
    assert.deepEqual(acceptedBefore(on(at('running', 'row', 2)), row), []);
  });
});
