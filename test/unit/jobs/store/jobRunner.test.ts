import assert from 'node:assert/strict';
import { newJobState } from '../../../../src/jobs/model/job';
import { beginJob, jobsScene, type JobsScene } from '../../../support/jobWindowScene';
import { aJob, CutConnection, FakeMachine, openJobWindow } from '../../../support/jobWindows';

const minute = 60_000;
const id = 5001;

describe('Jobs on an instance', () => {
  let { service, computer, disk, machine, pass } = {} as JobsScene;
  beforeEach(async () => {
    ({ service, computer, disk, machine, pass } = await jobsScene(new FakeMachine()));
  });
  afterEach(() => computer.dispose());

  const open = () => openJobWindow(computer, disk, machine);
  const destroys = () => service.count('instances.destroy');

  it('run to their end, and keep the machine', async () => {
    const window = await open();
    const { id: job } = await window.jobs.order(aJob(id), ['train.py']);
    await pass(0);
    assert.equal(window.row(job).state.phase, 'running');
    machine.log = 'epoch 1\nepoch 2\n';
    await pass(minute);
    assert.equal((await window.jobs.log(job)).bytes.toString(), 'epoch 1\nepoch 2\n');
    machine.log += 'done\n';
    machine.ends({ code: 0, why: 'itself' });
    await pass(minute);
    const { state } = window.row(job);
    assert.deepEqual([state.phase, state.outcome, state.outputs?.files], ['over', 'kept', 1]);
    assert.equal((await window.jobs.log(job)).bytes.toString(), 'epoch 1\nepoch 2\ndone\n');
    assert.equal(machine.fetched, 'hash-of-list');
    assert.deepEqual(window.noticeKinds(), ['ended']);
    assert.deepEqual([machine.starts, destroys()], [1, 0]);
  });

  it('are looked at every 30 seconds, every 3 while a log is shown, and never without one', async () => {
    const window = await open();
    const idle = computer.clock.pending;
    const job = await beginJob(computer, window);
    const before = machine.checks;
    await pass(5 * minute);
    assert.equal(machine.checks - before, 10);
    window.jobs.watch(window, [job]);
    const watched = machine.checks;
    await pass(minute);
    assert.ok(Math.abs(machine.checks - watched - 20) <= 1, String(machine.checks - watched));
    machine.ends({ code: 0, why: 'itself' });
    await pass(minute);
    const after = machine.calls.length;
    await pass(60 * minute);
    assert.equal(machine.calls.length, after);
    assert.equal(computer.clock.pending, idle);
  });

  it('are not read again with each list of instances while none is open, except for one with an unreported end', async () => {
    const window = await open();
    const job = await beginJob(computer, window);
    machine.ends({ code: 0, why: 'itself' });
    await pass(5 * minute);
    const ordered = window.row(job).job;
    let lists = 0;
    window.fleet.onDidChange(() => {
      lists += 1;
    });
    const { reads } = disk;
    await window.fleet.refresh();
    await pass(0);
    assert.ok(lists > 0);
    assert.equal(disk.reads, reads);
    const unannounced = { ...ordered, id: 'fedcba9876543210' };
    await disk.storage.putState(newJobState(unannounced));
    await disk.storage.put(unannounced);
    await window.fleet.refresh();
    await pass(0);
    assert.equal(window.row('fedcba9876543210').state.outcome, 'kept');
  });

  it('are read one more time, and not with each list, if the file of one is damaged', async () => {
    const window = await open();
    disk.broken.add('fedcba9876543210');
    await window.fleet.refresh();
    await pass(0);
    const { reads } = disk;
    assert.ok(reads > 0);
    await window.fleet.refresh();
    await pass(0);
    assert.equal(disk.reads, reads);
  });

  const limits = { hours: 2, costDollars: 4, idleMinutes: 30 };
  for (const [what, end, fields, expected] of [
    ['success', { code: 0, why: 'itself' }, { success: 'destroy', failure: 'keep' }, 'destroyed'],
    ['failure', { code: 3, why: 'itself' }, { success: 'destroy', failure: 'stop' }, 'stopped'],
    ['an idle limit', { code: 143, why: 'idle' }, { idle: 'destroy', limit: 'stop' }, 'destroyed'],
    ['a limit', { code: 137, why: 'limit' }, { success: 'destroy', limit: 'stop' }, 'stopped'],
    ['cancel', { code: 143, why: 'cancelled' }, { success: 'destroy', failure: 'keep' }, 'kept'],
  ] as const) {
    it(`end the machine after ${what} as confirmed, once the outputs are here`, async () => {
      const window = await open();
      const job = await beginJob(computer, window, { limits, whenDone: fields });
      machine.ends(end);
      await pass(5 * minute);
      assert.equal(window.row(job).state.outcome, expected);
      assert.equal(destroys(), expected === 'destroyed' ? 1 : 0);
      assert.equal(service.count('instances.stop'), expected === 'stopped' ? 1 : 0);
      assert.equal(machine.fetched, 'hash-of-list');
    });
  }

  for (const action of ['destroy', 'stop'] as const) {
    it(`end no machine whose files are being saved, and end it afterwards: ${action}`, async () => {
      const window = await open();
      const job = await beginJob(computer, window, { whenDone: { success: action } });
      machine.isSaved = true;
      machine.ends({ code: 0, why: 'itself' });
      await pass(30 * minute);
      assert.deepEqual([destroys(), service.count('instances.stop')], [0, 0]);
      machine.isSaved = false;
      await pass(5 * minute);
      assert.equal(window.row(job).state.outcome, action === 'destroy' ? 'destroyed' : 'stopped');
    });
  }

  it('never end the machine before the outputs are here', async () => {
    const window = await open();
    const job = await beginJob(computer, window, { whenDone: { success: 'destroy' } });
    machine.ends({ code: 0, why: 'itself' });
    machine.cut((call, when) => call === 'fetch' && when === 'before');
    await pass(60 * minute);
    assert.equal(window.row(job).state.trouble?.kind, 'fetch');
    assert.equal(destroys(), 0);
    assert.deepEqual(window.noticeKinds(), ['notFetched']);
    machine.trouble = undefined;
    await pass(10 * minute);
    assert.deepEqual([window.row(job).state.outcome, destroys()], ['destroyed', 1]);
  });

  it('ask before they end a machine on which no output was found, or one that can’t be fetched', async () => {
    for (const [there, hostile] of [
      [[], []],
      [['a'], ['../b']],
    ] as const) {
      machine = new FakeMachine();
      machine.outputsThere = there;
      machine.hostile = hostile;
      const window = await open();
      const job = await beginJob(computer, window, { whenDone: { success: 'destroy' } });
      machine.ends({ code: 0, why: 'itself' });
      await pass(60 * minute);
      assert.equal(window.row(job).state.trouble?.kind, 'incomplete');
      assert.equal(destroys(), 0);
      await window.jobs.endMachine(job, 'keep');
      await pass(minute);
      assert.equal(window.row(job).state.outcome, 'kept');
      window.close();
    }
  });

  it('stop a machine as confirmed although no output was found, because a stop loses nothing', async () => {
    machine.outputsThere = [];
    const window = await open();
    const job = await beginJob(computer, window, { whenDone: { failure: 'stop' } });
    machine.ends({ code: 1, why: 'itself' });
    await pass(5 * minute);
    assert.deepEqual([window.row(job).state.outcome, service.count('instances.stop')], ['stopped', 1]);
    assert.deepEqual(window.noticeKinds(), ['ended', 'released']);
  });

  it('leave the machine for as long as set, and keep it on request', async () => {
    const window = await open();
    const order = aJob(id, { whenDone: { success: 'destroy', keepMinutes: 10 } });
    const { id: job } = await window.jobs.order(order, []);
    await pass(0);
    machine.ends({ code: 0, why: 'itself' });
    await pass(8 * minute);
    assert.equal(window.row(job).state.phase, 'keeping');
    assert.deepEqual(window.noticeKinds(), ['ended', 'keeping']);
    await window.jobs.endMachine(job, 'keep');
    await pass(10 * minute);
    assert.deepEqual([window.row(job).state.outcome, destroys()], ['kept', 0]);
  });

  it('stop on request, fetch all the same, and are shown as canceled', async () => {
    const window = await open();
    const job = await beginJob(computer, window);
    await window.jobs.stop(job);
    await pass(minute);
    const { state } = window.row(job);
    assert.deepEqual([machine.cancels, state.end?.why, state.outputs?.files], [1, 'cancelled', 1]);
  });

  it('are not started once they were stopped', async () => {
    machine.cut((call) => call === 'sync');
    const window = await open();
    const { id: job } = await window.jobs.order(aJob(id), []);
    await pass(minute);
    await window.jobs.stop(job);
    await pass(0);
    assert.deepEqual([window.row(job).state.outcome, machine.starts], ['notStarted', 0]);
    assert.deepEqual(window.noticeKinds(), []);
  });

  it('run again after an interruption or a listed code, as often as the file allows and never after a stop', async () => {
    const window = await open();
    const retries = { interrupted: 1, exitCodes: { '75': 1 } };
    const job = await beginJob(computer, window, { retries });
    const again = async (end: Parameters<typeof machine.ends>[0]) => {
      machine.log = 'lost\n';
      machine.ends(end);
      machine.onBegin = () => {
        machine.phase = 'none';
        machine.end = undefined;
        machine.log = '';
      };
      await pass(minute);
      return [window.row(job).state.attempt, window.row(job).state.phase];
    };
    assert.deepEqual(await again({ code: undefined, why: 'interrupted' }), [2, 'running']);
    assert.deepEqual(await again({ code: 75, why: 'itself' }), [3, 'running']);
    assert.equal(machine.orders.at(-1)?.previous, `${job}02`);
    assert.equal((await window.jobs.log(job)).bytes.toString(), 'lost\nlost\n');
    assert.deepEqual(await again({ code: 75, why: 'itself' }), [3, 'over']);
    assert.deepEqual([machine.starts, window.row(job).state.end?.code], [3, 75]);
    assert.deepEqual(window.noticeKinds(), ['triedAgain', 'triedAgain', 'ended']);
    machine.phase = 'none';
    machine.end = undefined;
    const other = await beginJob(computer, window, { retries });
    await window.jobs.stop(other);
    await again({ code: 75, why: 'itself' });
    assert.deepEqual([window.row(other).state.attempt, window.row(other).state.phase], [1, 'over']);
  });

  it('do not run again once the dollars are used up, and bring back what there is', async () => {
    const window = await open();
    const limits = { hours: 1, costDollars: 0.5 };
    const { id: job } = await window.jobs.order(aJob(id, { limits, retries: { interrupted: 5 } }), []);
    await pass(29 * minute);
    machine.ends({ code: undefined, why: 'interrupted' });
    await pass(minute);
    const { state } = window.row(job);
    assert.deepEqual([state.attempt, state.phase, state.outputs?.files], [1, 'over', 1]);
  });

  it('are refused where the dollars are used up before the start', async () => {
    const window = await open();
    const order = aJob(id, { setup: 'x', limits: { hours: 2, costDollars: 0.1, setupMinutes: 30 } });
    const { id: job } = await window.jobs.order(order, []);
    await pass(minute);
    assert.deepEqual([window.row(job).state.outcome, machine.starts], ['notStarted', 0]);
    assert.deepEqual(window.noticeKinds(), ['notStarted']);
  });

  it('hand secrets to the start alone, and refuse one that is not kept', async () => {
    const window = await open();
    const job = await beginJob(computer, window, { secrets: ['HF_TOKEN'] });
    assert.deepEqual(
      machine.orders.map(({ secrets }) => secrets),
      [{}, { HF_TOKEN: 'hf_value' }],
    );
    assert.ok(!JSON.stringify(window.row(job)).includes('hf_value'));
    machine.ends({ code: 0, why: 'itself' });
    await pass(minute);
    machine.phase = 'none';
    machine.end = undefined;
    const { id: other } = await window.jobs.order(aJob(id, { secrets: ['OTHER'] }), []);
    await pass(minute);
    assert.deepEqual([window.row(other).state.outcome, machine.starts], ['notStarted', 1]);
  });

  it('show that the machine was lost, and send nothing to it any more', async () => {
    const window = await open();
    const job = await beginJob(computer, window);
    service.instances = [];
    await window.fleet.refresh();
    await pass(10 * minute);
    await window.fleet.refresh();
    await pass(10 * minute);
    assert.equal(window.row(job).state.outcome, 'lost');
    assert.deepEqual(window.noticeKinds(), ['lost']);
  });

  it('go on after a window was killed at any step, with each answer lost or not, and start once', async () => {
    const whole = ['begin', 'check', 'sync', 'start', 'outputs', 'fetch', 'markFetched'];
    for (const call of whole) {
      for (const when of ['before', 'after'] as const) {
        machine = new FakeMachine();
        const first = await open();
        let isHit = false;
        machine.trouble = (now, at) => {
          if (!isHit && now === call && at === when) {
            isHit = true;
            first.close();
            throw new CutConnection();
          }
          if (now === 'start' && at === 'after') {
            machine.ends({ code: 7, why: 'itself' });
          }
        };
        const { id: job } = await first.jobs.order(aJob(id), []);
        await pass(5 * minute);
        assert.ok(isHit, `${call} ${when}`);
        const second = await open();
        if (machine.phase === 'running') {
          machine.ends({ code: 7, why: 'itself' });
        }
        await pass(10 * minute);
        const { state } = second.row(job);
        const seen = [state.phase, state.end?.code, machine.starts, machine.fetched];
        assert.deepEqual(seen, ['over', 7, 1, 'hash-of-list'], `${call} ${when}`);
        second.close();
      }
    }
  });

  it('are carried out by one of two windows, and by the other after that one closes', async () => {
    const first = await open();
    const second = await open();
    const { id: job } = await second.jobs.order(aJob(id, { whenDone: { success: 'destroy' } }), []);
    await pass(minute);
    first.close();
    machine.ends({ code: 0, why: 'itself' });
    await pass(5 * minute);
    assert.deepEqual([second.row(job).state.outcome, machine.starts, destroys()], ['destroyed', 1, 1]);
  });

  it('rest while signed out', async () => {
    const window = await open();
    await window.jobs.order(aJob(id), []);
    await pass(minute);
    const { active } = window.accounts;
    await window.accounts.signOut(active?.key ?? '');
    const calls = machine.calls.length;
    await pass(60 * minute);
    assert.equal(machine.calls.length, calls);
  });
});
