import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsYou } from '../../../../src/jobs/model/job';
import { JobMachineError, UnfitMachineError } from '../../../../src/jobs/model/jobMachineError';
import { canReleaseMachine } from '../../../../src/jobs/model/outOfReach';
import { formatText, text } from '../../../../src/util/text';
import { beginJob, jobWindowScene, type JobWindowScene } from '../../../support/jobWindowScene';
import { aJob, CutConnection, FakeMachine } from '../../../support/jobWindows';

const minute = 60_000;
const id = 5001;

describe('Jobs in trouble', () => {
  let { service, computer, machine, window, pass, open } = {} as JobWindowScene;
  beforeEach(async () => {
    ({ service, computer, machine, window, pass, open } = await jobWindowScene(new FakeMachine()));
  });
  afterEach(() => computer.dispose());

  const cut = () => machine.cut();
  const heal = () => {
    machine.trouble = undefined;
  };

  it('are not judged while their machine is out of sight, which is reported, and continue once it is back', async () => {
    const job = await beginJob(computer, window, { whenDone: { success: 'destroy' } });
    assert.equal(window.row(job).state.phase, 'running');
    cut();
    const before = machine.calls.length;
    await pass(8 * minute);
    assert.deepEqual(window.noticeKinds(), []);
    await pass(52 * minute);
    assert.deepEqual(window.noticeKinds(), ['noAnswer']);
    const { phase, trouble, end, lastSeenAt } = window.row(job).state;
    assert.deepEqual([phase, trouble?.kind, end], ['running', 'unreachable', undefined]);
    assert.ok(lastSeenAt !== undefined && computer.clock.now() - lastSeenAt >= 60 * minute);
    const tries = machine.calls.length - before;
    assert.ok(tries >= 5 && tries < 60, `${tries} tries in an hour`);
    assert.equal(service.count('instances.destroy'), 0);
    machine.ends({ code: 0, why: 'itself' });
    heal();
    await window.jobs.retry(job);
    await pass(10 * minute);
    assert.deepEqual([window.row(job).state.outcome, machine.starts], ['destroyed', 1]);
  });

  it('wait for the next try in a later window as long as they would have in the one that was closed', async () => {
    const { id: job } = await window.jobs.order(aJob(id), []);
    cut();
    await pass(20 * minute);
    const { nextTryAt = 0 } = window.row(job).state.trouble ?? {};
    const leftMs = nextTryAt - computer.clock.now();
    assert.ok(leftMs > 2000, `${leftMs} ms are left`);
    window.close();
    const before = machine.calls.length;
    window = await open();
    await pass(leftMs - 1000);
    assert.equal(machine.calls.length, before);
    await pass(2000);
    assert.ok(machine.calls.length > before);
  });

  it('are not begun on a machine that refuses every login, and are as soon as it accepts one', async () => {
    cut();
    const { id: job } = await window.jobs.order(aJob(id), []);
    await pass(20 * minute);
    const { phase, trouble } = window.row(job).state;
    assert.deepEqual([phase, trouble?.kind], ['connecting', 'unreachable']);
    assert.deepEqual([machine.starts, window.noticeKinds()], [0, ['noAnswer']]);
    heal();
    await pass(20 * minute);
    assert.deepEqual([window.row(job).state.phase, machine.starts], ['running', 1]);
  });

  it('are not started if the image lacks programs, and name them', async () => {
    machine.trouble = (call) => {
      if (call === 'begin') {
        throw new UnfitMachineError(text('The instance lacks tar.'));
      }
    };
    const { id: job } = await window.jobs.order(aJob(id), []);
    await pass(10 * minute);
    const { phase, outcome, why } = window.row(job).state;
    assert.deepEqual([phase, outcome, window.noticeKinds()], ['over', 'notStarted', ['notStarted']]);
    assert.equal(why && formatText(why), 'The instance lacks tar.');
  });

  it('are reported with the error of a machine that answers, which is not called unreachable', async () => {
    machine.trouble = (call) => {
      if (call === 'start') {
        throw new JobMachineError(text('Its disk is full.'), { nextStep: 'retry' });
      }
    };
    const { id: job } = await window.jobs.order(aJob(id), []);
    await pass(10 * minute);
    const { phase, trouble } = window.row(job).state;
    assert.deepEqual(
      [phase, trouble?.kind, window.noticeKinds()],
      ['starting', 'machineFails', ['noAnswer']],
    );
    assert.equal(trouble?.why && formatText(trouble.why), 'Its disk is full.');
    heal();
    await pass(10 * minute);
    assert.deepEqual([window.row(job).state.phase, machine.starts], ['running', 1]);
  });

  it('stay in the list until they are forgotten, however long ago they ended', async () => {
    const job = await beginJob(computer, window);
    machine.ends({ code: 0, why: 'itself' });
    await pass(10 * minute);
    computer.clock.jump(400 * 24 * 60 * minute);
    assert.deepEqual(
      window.jobs.rows.map((row) => [row.job.id, row.state.phase]),
      [[job, 'over']],
    );
    await window.jobs.forget(job);
    assert.deepEqual(window.jobs.rows, []);
  });

  it('end where their folder is gone for good, and keep the machine', async () => {
    const fields = { retries: { interrupted: 1 }, whenDone: { failure: 'destroy' } };
    const job = await beginJob(computer, window, fields);
    const missing = (one: number) => {
      let checks = 0;
      machine.trouble = (call, when) => {
        machine.phase = call === 'check' && when === 'before' && (checks += 1) <= one ? 'none' : 'running';
      };
    };
    missing(1);
    await pass(10 * minute);
    assert.deepEqual([window.row(job).state.phase, window.row(job).state.trouble], ['running', undefined]);
    missing(Infinity);
    await pass(10 * minute);
    const { phase, trouble, end, outputs } = window.row(job).state;
    assert.deepEqual([phase, trouble?.kind, end?.why, outputs?.files], ['fetched', 'incomplete', 'gone', 0]);
    assert.deepEqual([window.noticeKinds(), machine.starts], [['ended', 'incomplete'], 1]);
    assert.equal(service.count('instances.destroy'), 0);
  });

  it('are tried again soon where the clock was set back by a day', async () => {
    const job = await beginJob(computer, window);
    cut();
    await pass(minute);
    assert.equal(window.row(job).state.trouble?.kind, 'unreachable');
    computer.clock.jump(-24 * 60 * minute);
    heal();
    await pass(6 * minute);
    assert.equal(window.row(job).state.trouble, undefined);
  });

  it('need the user as soon where the clock was set back by a day, and no sooner where the computer slept', async () => {
    const job = await beginJob(computer, window);
    cut();
    await pass(minute);
    computer.clock.jump(24 * 60 * minute);
    await pass(20_000);
    assert.equal(needsYou(window.row(job)), false);
    computer.clock.jump(-48 * 60 * minute);
    await pass(10 * minute);
    assert.equal(needsYou(window.row(job)), true);
  });

  for (const [end, count] of [
    ['destroy', 'instances.destroy'],
    ['stop', 'instances.stop'],
  ] as const) {
    it(`let go of a machine that does not answer once they were stopped and the user chose to ${end} it`, async () => {
      machine.trouble = (call, when) => {
        if (call === 'start' && when === 'before') {
          cut();
        }
      };
      const { id: job } = await window.jobs.order(aJob(id), []);
      await pass(minute);
      assert.equal(window.row(job).state.phase, 'starting');
      await window.jobs.stop(job);
      await pass(5 * minute);
      const { phase, trouble } = window.row(job).state;
      assert.deepEqual([phase, trouble?.kind], ['starting', 'unreachable']);
      assert.equal(canReleaseMachine(window.row(job)), true);
      await window.jobs.endMachine(job, end);
      await pass(10 * minute);
      const { outcome } = window.row(job).state;
      assert.deepEqual([outcome, service.count(count)], [end === 'stop' ? 'stopped' : 'destroyed', 1]);
      assert.equal(window.noticeKinds().at(-1), 'released');
    });
  }

  it('keep a machine that answers again until their outputs are here, though the user chose to destroy it', async () => {
    const job = await beginJob(computer, window);
    assert.equal(canReleaseMachine(window.row(job)), false);
    cut();
    await window.jobs.stop(job);
    await pass(5 * minute);
    assert.equal(canReleaseMachine(window.row(job)), true);
    heal();
    await window.jobs.endMachine(job, 'destroy');
    await pass(10 * minute);
    const { outcome, outputs } = window.row(job).state;
    assert.deepEqual([machine.cancels, outputs?.files, outcome], [1, 1, 'destroyed']);
  });

  it('report once that this computer can’t store a checkpoint, with the cause, and again after one was stored', async () => {
    const fields = { checkpoints: ['*.ckpt'], fetchMinutes: 10 };
    const outputsTo = mkdtempSync(join(tmpdir(), 'gr-checkpoint-'));
    machine.checkpointThere = ['first.ckpt'];
    const fill = () => {
      machine.onFetch = () =>
        Promise.reject(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }));
    };
    fill();
    const { id: job } = await window.jobs.order({ ...aJob(id, fields), outputsTo, workspace: outputsTo }, []);
    await pass(45 * minute);
    assert.deepEqual(window.noticeKinds(), ['notCheckpointed']);
    const { checkpointProblem, phase, checkpoint } = window.row(job).state;
    assert.deepEqual([phase, checkpoint], ['running', undefined]);
    assert.equal(
      checkpointProblem && formatText(checkpointProblem.why),
      'The disk of this computer is full. Free some space on it.',
    );
    machine.onFetch = undefined;
    await pass(15 * minute);
    assert.equal(window.row(job).state.checkpointProblem, undefined);
    assert.equal(window.row(job).state.checkpoint?.files, 1);
    machine.checkpointThere = ['second.ckpt'];
    fill();
    await pass(30 * minute);
    assert.deepEqual(window.noticeKinds(), ['notCheckpointed', 'notCheckpointed']);
    rmSync(outputsTo, { recursive: true });
  });

  it('report a checkpoint of which files are missing, once the next one is not whole either', async () => {
    const fields = { checkpoints: ['*.ckpt'], fetchMinutes: 10 };
    const outputsTo = mkdtempSync(join(tmpdir(), 'gr-checkpoint-'));
    machine.checkpointThere = ['first.ckpt', 'second.ckpt'];
    machine.leavesOut = ['second.ckpt'];
    const { id: job } = await window.jobs.order({ ...aJob(id, fields), outputsTo, workspace: outputsTo }, []);
    await pass(15 * minute);
    assert.deepEqual(window.noticeKinds(), [], 'the job may just have been writing it');
    machine.leavesOut = [];
    await pass(10 * minute);
    assert.equal(window.row(job).state.checkpoint?.files, 2);
    machine.checkpointThere = ['third.ckpt', 'fourth.ckpt'];
    machine.leavesOut = ['fourth.ckpt'];
    await pass(35 * minute);
    assert.deepEqual(window.noticeKinds(), ['notCheckpointed']);
    const { checkpointProblem, checkpoint } = window.row(job).state;
    assert.equal(checkpoint?.hash, 'hash-of-first.ckpt,second.ckpt');
    assert.equal(
      checkpointProblem && formatText(checkpointProblem.why),
      '1 of 2 files could not be fetched. The first is fourth.ckpt: cut',
    );
    rmSync(outputsTo, { recursive: true });
  });

  it('name each output that could not be brought, and why', async () => {
    const job = await beginJob(computer, window, { whenDone: { success: 'destroy' } });
    machine.outputsThere = ['a', 'b', 'c', 'd', 'e'];
    machine.leavesOut = ['b', 'c', 'd', 'e'];
    machine.ends({ code: 0, why: 'itself' });
    await pass(31_000);
    const { why } = window.row(job).state.trouble ?? {};
    assert.equal(why && formatText(why), '4 outputs could not be fetched. The first is b: cut');
    await pass(10 * minute);
    const { outputs, trouble } = window.row(job).state;
    assert.deepEqual([trouble?.kind, outputs?.leftOut], ['incomplete', 4]);
    assert.deepEqual(
      outputs?.named?.map((one) => `${one.name}: ${formatText(one.why)}`),
      ['b: cut', 'c: cut', 'd: cut'],
    );
    assert.equal(service.count('instances.destroy'), 0);
  });

  it('have outputs here before the end of their machine is refused, which is tried and reported until it is done', async () => {
    let isRefused = true;
    service.before = (call) => {
      if (isRefused && call === 'instances.destroy') {
        throw new CutConnection();
      }
    };
    const { id: job } = await window.jobs.order(aJob(id, { whenDone: { success: 'destroy' } }), []);
    await window.jobs.endMachine(job, 'destroy');
    await pass(0);
    machine.ends({ code: 0, why: 'itself' });
    await pass(30 * minute);
    computer.clock.jump(-24 * 60 * minute);
    await pass(120 * minute);
    const { phase, trouble, outcome, outputs } = window.row(job).state;
    assert.deepEqual([phase, trouble?.kind, outcome, outputs?.files], ['releasing', 'release', undefined, 1]);
    const noticed = window.noticeKinds().filter((kind) => kind === 'notReleased').length;
    assert.ok(noticed === 2 || noticed === 3, `told ${noticed} times in two and a half hours`);
    isRefused = false;
    await window.jobs.retry(job);
    await pass(10 * minute);
    assert.equal(window.row(job).state.outcome, 'destroyed');
  });
});
