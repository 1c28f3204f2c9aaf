import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beginJob, jobsScene, type JobsScene } from '../../../support/jobWindowScene';
import { aJob, FakeMachine } from '../../../support/jobWindows';

const minute = 60_000;
const id = 5001;

describe('Transfers of jobs', () => {
  let { service, computer, machine, open, pass } = {} as JobsScene;
  beforeEach(async () => {
    ({ service, computer, machine, open, pass } = await jobsScene(new FakeMachine()));
  });
  afterEach(() => computer.dispose());

  const destroys = () => service.count('instances.destroy');

  it('show all windows how far a transfer is, and send no more once they are stopped', async () => {
    const first = await open();
    const second = await open();
    machine.isTransferHeld = true;
    const job = await beginJob(computer, second);
    for (const { jobs } of [first, second]) {
      assert.deepEqual(jobs.moves.find(job), { way: 'sending', bytes: 50, totalBytes: 100 });
    }
    await second.jobs.stop(job);
    await pass(0);
    assert.deepEqual([second.row(job).state.outcome, machine.starts], ['notStarted', 0]);
    assert.equal(first.jobs.moves.find(job) ?? second.jobs.moves.find(job), undefined);
  });

  it('send files for as long as their dollars pay for a start, and no longer', async () => {
    const window = await open();
    machine.isTransferHeld = true;
    const order = aJob(id, { limits: { hours: 2, costDollars: 0.5 } });
    const { id: job } = await window.jobs.order(order, ['data.bin']);
    await pass(27 * minute);
    assert.equal(window.row(job).state.phase, 'syncing');
    await pass(2 * minute);
    assert.deepEqual([window.row(job).state.outcome, machine.starts], ['notStarted', 0]);
    assert.deepEqual(window.noticeKinds(), ['notStarted']);
  });

  it('need few logins for a long log, because its machine costs money until it is read', async () => {
    const window = await open();
    const job = await beginJob(computer, window);
    machine.log = `${'epoch\r'.repeat(4_000_000)}done\n`;
    machine.ends({ code: 0, why: 'itself' });
    const checks = machine.checks;
    await pass(minute);
    const { fetchedAt, logSize } = window.row(job).state;
    assert.deepEqual([fetchedAt !== undefined, logSize], [true, 24_000_005]);
    assert.ok(machine.checks - checks <= 10, `${machine.checks - checks} logins`);
  });

  it('are followed and stopped while a checkpoint is fetched for long', async () => {
    const window = await open();
    const fields = { checkpoints: ['*.ckpt'], fetchMinutes: 10 };
    const outputsTo = mkdtempSync(join(tmpdir(), 'gr-followed-'));
    const { id: job } = await window.jobs.order({ ...aJob(id, fields), outputsTo, workspace: outputsTo }, []);
    machine.checkpointThere = ['large.ckpt'];
    await pass(9 * minute);
    machine.isTransferHeld = true;
    await pass(2 * minute);
    machine.log = 'epoch 7\n';
    await pass(minute);
    assert.equal((await window.jobs.log(job)).bytes.toString(), 'epoch 7\n');
    await window.jobs.stop(job);
    await pass(0);
    assert.equal(machine.cancels, 1);
    rmSync(outputsTo, { recursive: true, force: true });
  });

  it('bring no checkpoint of a job that has ended, whose machine costs money until its outputs are here', async () => {
    const window = await open();
    const outputsTo = mkdtempSync(join(tmpdir(), 'gr-ended-'));
    const fields = { checkpoints: ['*.ckpt'], fetchMinutes: 10, whenDone: { success: 'destroy' } };
    const { id: job } = await window.jobs.order({ ...aJob(id, fields), outputsTo, workspace: outputsTo }, []);
    machine.checkpointThere = ['large.ckpt'];
    await pass(5 * minute);
    machine.isTransferHeld = true;
    await pass(6 * minute);
    assert.equal(machine.calls.at(-1), 'check', 'looks for the end while it is fetched');
    machine.trouble = (call) => {
      // The outputs are fetched after the look that shows the end.
      if (call === 'check' && machine.end) {
        machine.isTransferHeld = false;
      }
    };
    machine.ends({ code: 0, why: 'itself' });
    await pass(3 * minute);
    const { outcome, outputs, checkpoint } = window.row(job).state;
    assert.deepEqual([outcome, outputs?.files, checkpoint], ['destroyed', 1, undefined]);
    rmSync(outputsTo, { recursive: true });
  });

  it('fetch no more once that was stopped, keep the machine, and go on at a word', async () => {
    const window = await open();
    const job = await beginJob(computer, window, { whenDone: { success: 'destroy' } });
    machine.isTransferHeld = true;
    machine.ends({ code: 0, why: 'itself' });
    await pass(minute);
    assert.equal(window.jobs.moves.find(job)?.way, 'fetching');
    await window.jobs.pauseFetch(job);
    const calls = machine.calls.length;
    await pass(120 * minute);
    assert.equal(window.row(job).state.trouble?.kind, 'fetchPaused');
    assert.deepEqual([machine.calls.length, destroys()], [calls, 0]);
    machine.isTransferHeld = false;
    await window.jobs.retry(job);
    await pass(minute);
    assert.deepEqual([window.row(job).state.outcome, destroys()], ['destroyed', 1]);
  });

  it('bring outputs of any name, and leave all of them there', async () => {
    const outputsTo = mkdtempSync(join(tmpdir(), 'gr-outputs-'));
    try {
      const window = await open();
      const order = aJob(id, { whenDone: { success: 'destroy' }, outputs: ['**'] });
      const { id: job } = await window.jobs.order({ ...order, outputsTo, workspace: outputsTo }, []);
      await pass(0);
      machine.onFetch = async (into) => {
        await mkdir(join(into, '.checkpoint'), { recursive: true });
        await writeFile(join(into, '.checkpoint', 'model.bin'), 'model');
      };
      machine.ends({ code: 0, why: 'itself' });
      await pass(5 * minute);
      assert.equal(window.row(job).state.outcome, 'destroyed');
      assert.ok(existsSync(join(outputsTo, '.checkpoint', 'model.bin')));
    } finally {
      rmSync(outputsTo, { recursive: true });
    }
  });

  it('of a checkpoint do not put off an extension of the job', async () => {
    const window = await open();
    const { id: job } = await window.jobs.order(aJob(id, { checkpoints: ['*.ckpt'], outputs: [] }), []);
    await pass(minute);
    machine.checkpointThere = ['a.ckpt'];
    machine.isTransferHeld = true;
    await pass(15 * minute);
    const fetches = () => machine.calls.filter((call) => call === 'checkpoint').length;
    assert.equal(fetches(), 1);
    await window.jobs.extend(job, { hours: 5, costDollars: 9 });
    await pass(minute);
    assert.equal(machine.limitSeconds, 5 * 3600);
    assert.ok(window.noticeKinds().includes('extended'));
    assert.equal(fetches(), 1, 'it is not begun again');
  });

  for (const [what, left, keepMinutes] of [
    ['some of it did not come', ['outputs/model.bin'], 0],
    ['it is gone from this computer', [], 60],
  ] as const) {
    it(`fetch again at a word where ${what}, before the machine ends`, async () => {
      const window = await open();
      const order = aJob(id, { whenDone: { success: 'destroy', keepMinutes } });
      const { id: job } = await window.jobs.order(order, []);
      await pass(0);
      machine.leavesOut = left;
      machine.ends({ code: 0, why: 'itself' });
      await pass(30 * minute);
      assert.equal(window.row(job).state.outputs?.leftOut, left.length);
      machine.leavesOut = [];
      const before = machine.calls.filter((call) => call === 'fetch').length;
      computer.clock.jump(-24 * 60 * minute);
      await window.jobs.retry(job);
      await pass(minute);
      assert.equal(machine.calls.filter((call) => call === 'fetch').length, before + 1);
      assert.equal(window.row(job).state.outputs?.leftOut, 0);
      assert.equal(destroys(), keepMinutes === 0 ? 1 : 0);
      await pass(70 * minute);
      assert.deepEqual([window.row(job).state.outcome, destroys()], ['destroyed', 1]);
    });
  }
});
