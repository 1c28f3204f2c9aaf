import assert from 'node:assert/strict';
import { attemptId } from '../../../../src/jobs/model/attemptIds';
import { newJobState, type JobRow, type JobState } from '../../../../src/jobs/model/job';
import type { JobLook } from '../../../../src/jobs/model/onMachine';
import { lookAgain } from '../../../../src/jobs/store/lookAgain';
import type { StoppedMachine } from '../../../../src/jobs/model/jobMachine';
import { aJob } from '../../../support/jobWindows';

const end = { code: 0, why: 'itself', at: 5, isOutOfMemory: false } as const;
const { signal } = new AbortController();

/** A job that may run on two machines more, and after two interruptions. */
function aRow(more: Partial<JobState>): JobRow {
  const retries = { machineLost: 2, interrupted: 2 };
  const job = { ...aJob(5001, { retries }), id: '0123456789abcdef', orderedAt: 1000 };
  const reopened = { at: 9, outcome: 'unknown' } as const;
  return { job, state: { ...newJobState(job), phase: 'fetching', reopened, ...more } };
}

/** A machine that has some attempts of a job, and the attempts that it was asked for. */
function machineWith(phases: Readonly<Record<number, JobLook['phase']>>, row: JobRow) {
  const asked: number[] = [];
  const attemptOf = (id: string) =>
    [1, 2, 3, 4, 5, 6].find((one) => attemptId(row.job, { attempt: one }) === id);
  const source: Pick<StoppedMachine, 'look'> = {
    look: (id, offset) => {
      const attempt = attemptOf(id) ?? 0;
      asked.push(attempt);
      const phase = phases[attempt] ?? 'none';
      const log = { offset, piece: Buffer.alloc(0) };
      return Promise.resolve({
        ...{ phase, log, pidAlive: false, hasOutputsList: true },
        ...(phase === 'ended' ? { end } : {}),
      });
    },
  };
  return { asked, look: () => lookAgain(source as StoppedMachine, row, signal) };
}

describe('What a machine has of a job whose outputs are fetched again', () => {
  it('is the newest attempt where the progress is lost, from the last that the file allows', async () => {
    const { asked, look } = machineWith({ 1: 'ended', 3: 'ended' }, aRow({ isLost: true }));
    assert.deepEqual(await look(), { kind: 'attemptFound', attempt: 3 });
    assert.deepEqual(asked, [5, 4, 3]);
  });

  it('is how the attempt ended, once that is found', async () => {
    const { asked, look } = machineWith({ 1: 'ended', 3: 'ended' }, aRow({ isLost: true, attempt: 3 }));
    const event = await look();
    assert.ok(event?.kind === 'looked');
    assert.deepEqual(event.look.end, end);
    assert.deepEqual(asked, [5, 4, 3]);
  });

  it('can be fetched at once where its end is known, by one look at its own attempt', async () => {
    for (const isLost of [true, undefined]) {
      const { asked, look } = machineWith({ 2: 'ended', 5: 'ended' }, aRow({ isLost, end, attempt: 2 }));
      assert.equal(await look(), undefined);
      assert.deepEqual(asked, [2]);
    }
  });

  it('is nothing to fetch where its command was never started', async () => {
    const event = await machineWith({ 1: 'synced' }, aRow({ isLost: true })).look();
    assert.ok(event?.kind === 'notFetched');
    assert.equal(event.why?.template, 'Its command was never started.');
  });

  it('is a failure where its folder is gone, which is tried once more', async () => {
    const event = await machineWith({}, aRow({ end })).look();
    assert.ok(event?.kind === 'failed');
    assert.deepEqual([event.trouble, event.why?.template], ['fetch', 'Its folder on the machine is gone.']);
  });
});
