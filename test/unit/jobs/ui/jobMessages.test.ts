import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { JobRow, JobState } from '../../../../src/jobs/model/job';
import type { JobNotice } from '../../../../src/jobs/store/jobNotice';
import type { JobDeps } from '../../../../src/jobs/ui/deps';
import { showJobMessages } from '../../../../src/jobs/ui/jobMessages';
import { localProblem } from '../../../../src/util/localProblem';
import { text } from '../../../../src/util/text';
import { FakeEventEmitter } from '../../../support/fakeEditor/events';
import { aJobRow, endOfJob, jobNow, jobTrouble, minuteMs, outputsOfJob } from '../../../support/jobRow';
import { textsOn, useScreen } from '../../../support/onScreen';

const noPrice = { machine: { instanceId: 7, name: 'trainer' } };
const rented = { machine: { name: 'RTX 4090' } };
const destroys = { machineEnd: 'destroy' } as const;
const endsIfIdle = { limits: { hours: 2, costDollars: 4, idleMinutes: 20 }, whenDone: { idle: 'keep' } };
const over = { phase: 'over' } as const;
const diskFull = localProblem(Object.assign(new Error('full'), { code: 'ENOSPC' }));
const others = (isAtWork: boolean) => ({ others: [{ id: 'a', name: 'eval', isAtWork }] });
const again = (more: Partial<JobState>) => ({
  ...{ attempt: 2, attempts: [{ cause: 'interrupted', at: jobNow, machine: 'old' }] },
  ...more,
});

/** The messages of a job at a notice, and the buttons below them. */
const table: readonly (readonly [said: string, kind: JobNotice['kind'], row: JobRow, why?: string])[] = [
  [
    'warning train reaches its limit at 12:10 PM. It then ends, and its outputs are fetched. [Extend Job…, Show Log]',
    'nearLimit',
    aJobRow(),
  ],
  [
    'info train now ends at 12:10 PM at the latest and costs at most $4.00, without traffic. []',
    'extended',
    aJobRow(),
  ],
  ['warning Could not extend train: it is already ending. [Show Log]', 'notExtended', aJobRow()],
  [
    'warning train has been idle for 20 min (no new log line, GPU under 5 %). Its machine costs $1.00/h. [Stop Job, Show Log]',
    'idle',
    aJobRow({ idleSince: jobNow - 20 * minuteMs }),
  ],
  [
    'warning train has been idle for 20 min (no new log line, GPU under 5 %). [Stop Job, Show Log]',
    'idle',
    aJobRow({ idleSince: jobNow - 20 * minuteMs }, { job: noPrice }),
  ],
  [
    'warning train ends because it has been idle for 20 min (no new log line, GPU under 5 %). [Show Log]',
    'idle',
    aJobRow({ idleSince: jobNow - 20 * minuteMs }, { fields: endsIfIdle }),
  ],
  [
    'info train: succeeded after 1 h, for $1.00. [Open Outputs of Job, Show Log]',
    'ended',
    aJobRow({ ...endOfJob('itself', 0), ...outputsOfJob(2), endedAt: jobNow }),
  ],
  [
    'warning train: failed with code 3 after 1 h, for $1.00. [Show Log]',
    'ended',
    aJobRow({ ...endOfJob('itself', 3), ...outputsOfJob(0), endedAt: jobNow }),
  ],
  [
    'warning train: ended at its limit after 1 h. [Show Log]',
    'ended',
    aJobRow({ ...endOfJob('limit', 0), endedAt: jobNow }, { job: noPrice }),
  ],
  [
    'warning train was not started. No offer fits. [Run Job Again…]',
    'notStarted',
    aJobRow({ ...over, why: text('No offer fits.') }, { job: rented }),
  ],
  [
    'warning train was not started on trainer. Its image has no bash. [Run Job Again…]',
    'notStarted',
    aJobRow({ ...over, why: text('Its image has no bash.') }),
  ],
  [
    'warning train runs again on another machine (attempt 2): its machine was interrupted. [Show Log]',
    'triedAgain',
    aJobRow(again({ firstHere: 2 })),
  ],
  [
    'warning train runs again (attempt 2): its machine was interrupted. [Show Log]',
    'triedAgain',
    aJobRow(again({ firstHere: 1 })),
  ],
  [
    'warning Could not save a checkpoint of train on this computer, so more work is lost if its machine is lost. The disk is full. [Show Log]',
    'notCheckpointed',
    aJobRow({ checkpointProblem: { since: jobNow, why: text('The disk is full.') } }),
  ],
  [
    'warning trainer did not get ready for train. It still costs $1.00/h. [Stop Job, Show Instance]',
    'notReady',
    aJobRow({ phase: 'gettingReady', ...jobTrouble('notReady') }),
  ],
  [
    'warning The machine of train was lost, and no replacement is rented yet. No offer fits. Retrying… [Stop Job, Show Log]',
    'notReplaced',
    aJobRow({ phase: 'renting', ...jobTrouble('notReplaced', 5, text('No offer fits.')) }),
  ],
  [
    'warning The machine of train was lost, and no replacement is rented yet.  Retrying… [Stop Job, Show Instance, Show Log]',
    'notReplaced',
    aJobRow({ phase: 'renting', ...jobTrouble('notReplaced'), ...others(true) }),
  ],
  [
    'warning trainer is gone. The outputs of train that were not fetched are lost. [Show Log]',
    'lost',
    aJobRow({ ...over, outcome: 'lost' }),
  ],
  [
    'warning trainer is stopped before the outputs of train were fetched. Storage still costs money. [Fetch Outputs of Job, Show Instance]',
    'machineStopped',
    aJobRow({ phase: 'fetching', ...jobTrouble('machineStopped') }),
  ],
  [
    'warning trainer is stopped, and it is unknown whether train started there. Storage still costs money. [Fetch Outputs of Job, Show Instance]',
    'machineStopped',
    aJobRow({ phase: 'starting', ...jobTrouble('machineStopped') }),
  ],
  [
    "warning trainer is stopped, so train can't start there. Storage still costs money. [Start…]",
    'machineStopped',
    aJobRow({ phase: 'connecting', ...jobTrouble('machineStopped') }),
  ],
  [
    "warning RTX 4090 is stopped, so train can't start there. Storage still costs money. []",
    'machineStopped',
    aJobRow({ phase: 'connecting', ...jobTrouble('machineStopped') }, { job: rented }),
  ],
  [
    'warning trainer will be destroyed at 12:05 PM, after train. All data on it is lost. [Keep Machine of Job]',
    'keeping',
    aJobRow({ phase: 'keeping', keepUntil: jobNow + 5 * minuteMs }, { job: destroys }),
  ],
  [
    'warning trainer will be stopped at 12:05 PM, after train. [Keep Machine of Job]',
    'keeping',
    aJobRow({ phase: 'keeping', keepUntil: jobNow + 5 * minuteMs }, { job: { machineEnd: 'stop' } }),
  ],
  [
    'warning Some outputs of train could not be fetched, so trainer is kept. It still costs $1.00/h. Left out: odd name (hostile) [Fetch Outputs of Job, Release Machine of Job…, Keep Machine of Job, Show Log]',
    'incomplete',
    aJobRow({ phase: 'fetching', ...jobTrouble('incomplete'), ...outputsOfJob(2, 1) }),
  ],
  [
    'warning No outputs of train were found, so trainer is kept. It still costs $1.00/h. [Release Machine of Job…, Keep Machine of Job, Show Log]',
    'incomplete',
    aJobRow({ phase: 'fetching', ...jobTrouble('incomplete'), ...outputsOfJob(0) }),
  ],
  [
    'warning Some outputs of train could not be fetched, so trainer is kept. It still costs $1.00/h. [Release Machine of Job…, Keep Machine of Job, Show Log]',
    'incomplete',
    aJobRow({ phase: 'fetching', ...jobTrouble('incomplete'), ...outputsOfJob(2) }),
  ],
  [
    'warning trainer is kept after train. It still costs $1.00/h. The job eval of another computer is not finished there. [Release Machine of Job…, Keep Machine of Job]',
    'othersThere',
    aJobRow({ phase: 'releasing', ...jobTrouble('othersThere'), ...others(true) }),
  ],
  [
    'info trainer is destroyed after train. The service no longer lists it. []',
    'released',
    aJobRow({ ...over, outcome: 'destroyed' }),
  ],
  [
    'info trainer is stopped after train. Storage still costs money. []',
    'released',
    aJobRow({ ...over, outcome: 'stopped' }),
  ],
  [
    'warning trainer does not answer, so train could not start there yet. It still costs $1.00/h. Retrying… [Retry, Stop Job, Show Instance]',
    'noAnswer',
    aJobRow({ phase: 'connecting', ...jobTrouble('unreachable') }),
  ],
  [
    'warning trainer has not answered for 5 min, and train may still run there. It still costs money. Connection refused. Retrying… [Retry, Stop Job, Show Instance]',
    'noAnswer',
    aJobRow(jobTrouble('unreachable'), { job: noPrice }),
    'Connection refused.',
  ],
  [
    'warning trainer has not answered for 5 min, and train may still run there. It still costs $1.00/h. Retrying… [Retry, Release Machine of Job…, Show Instance]',
    'noAnswer',
    aJobRow(jobTrouble('unreachable'), { job: { decidedAt: { stop: jobNow } } }),
  ],
  [
    'warning Could not start train on trainer yet. It still costs $1.00/h. No bash. Retrying… [Retry, Stop Job, Show Instance]',
    'noAnswer',
    aJobRow({ phase: 'starting', ...jobTrouble('machineFails') }),
    'No bash.',
  ],
  [
    'warning Could not check train on trainer, where it may still run. It still costs $1.00/h. Retrying… [Retry, Stop Job, Show Instance]',
    'noAnswer',
    aJobRow(jobTrouble('machineFails')),
  ],
  [
    'warning Could not save the progress of train on this computer, so it is not followed on trainer. It still costs $1.00/h. Retrying… [Retry, Stop Job, Show Instance]',
    'notSaved',
    aJobRow(jobTrouble('notSaved')),
  ],
  [
    'warning Could not send the files of train to trainer yet. It still costs $1.00/h. Retrying… [Retry, Stop Job, Show Instance]',
    'notSent',
    aJobRow({ phase: 'syncing', ...jobTrouble('sync') }),
  ],
  [
    'warning train has passed its limit and has not ended on trainer. It still costs $1.00/h. [Stop Job, Show Instance, Show Log]',
    'overdue',
    aJobRow(),
  ],
  [
    'warning train has ended, but trainer has not listed its outputs for 50 min. It still costs $1.00/h. [Release Machine of Job…, Show Instance]',
    'overdue',
    aJobRow({ phase: 'ended', ...endOfJob('itself', 0) }),
  ],
  [
    'warning Could not fetch the outputs of train yet, so trainer is kept. It still costs $1.00/h. Retrying… [Retry, Release Machine of Job…, Show Instance]',
    'notFetched',
    aJobRow({ phase: 'fetching', ...jobTrouble('fetch', 5, text('Connection lost.')) }),
  ],
  [
    'warning Could not fetch the outputs of train yet, so trainer is kept. It still costs $1.00/h. Retrying… [Retry]',
    'notFetched',
    aJobRow({ phase: 'fetching', ...jobTrouble('fetch', 5, diskFull) }),
  ],
  [
    'warning trainer is kept after train, but it does not answer and may still stop by itself. Retrying… [Show Instance]',
    'stillGuarded',
    aJobRow({ phase: 'releasing', ...jobTrouble('guard') }),
  ],
  [
    'warning trainer has not ended yet after train. It still costs $1.00/h. Retrying… [Keep Machine of Job, Retry]',
    'notReleased',
    aJobRow({ phase: 'releasing', ...jobTrouble('release') }, { job: destroys }),
  ],
  [
    'warning trainer has not ended yet after train. It still costs $1.00/h. Retrying… [Release Machine of Job…, Keep Machine of Job, Retry]',
    'notReleased',
    aJobRow(
      { phase: 'releasing', ...jobTrouble('release') },
      { fields: { whenDone: { success: 'stop', failure: 'stop' } } },
    ),
  ],
  [
    'info Fetched the outputs of train again. trainer was left as it is. [Open Outputs of Job]',
    'fetchedAgain',
    aJobRow({ ...over, ...outputsOfJob(2) }),
  ],
  [
    'info Fetched the outputs of train again. [Open Outputs of Job]',
    'fetchedAgain',
    aJobRow({ ...over, ...outputsOfJob(2) }, { job: destroys }),
  ],
  [
    'warning Some outputs of train could not be fetched again. trainer was left as it is. Left out: odd name (hostile) [Show Log]',
    'fetchedAgain',
    aJobRow({ ...over, ...outputsOfJob(2, 1) }),
  ],
  [
    'warning No outputs of train were found. trainer was left as it is. [Show Log]',
    'fetchedAgain',
    aJobRow({ ...over, ...outputsOfJob(0) }),
  ],
  [
    'warning Could not fetch the outputs of train again. It is gone. [Show Instance, Show Log]',
    'notFetchedAgain',
    aJobRow({ ...over, reopened: { at: jobNow, outcome: 'kept', why: text('It is gone.') } }),
  ],
];

describe('A message about a job', () => {
  const screen = useScreen();
  const posted = new FakeEventEmitter<object>();
  let row: JobRow | undefined;
  showJobMessages({
    accounts: { active: { key: 'mine' } },
    clock: { now: () => jobNow },
    fleet: { find: () => undefined },
    jobs: { ready: Promise.resolve(), find: () => row },
    notices: { onDidPost: posted.event },
    oneWindow: { offer: (_: string, run: () => unknown) => run() },
  } as unknown as JobDeps);
  const said = async (data: object, more: object = {}) => {
    posted.fire({ key: 'k', kind: 'job', accountKey: 'mine', data, ...more });
    await setImmediate();
    return textsOn(screen).join('\n');
  };

  for (const [words, kind, given, reason] of table) {
    it(`at ${kind}: ${words}`, async () => {
      row = given;
      const notice = { kind, jobId: given.job.id, ...(reason === undefined ? {} : { why: text(reason) }) };
      assert.equal(await said(notice), words);
    });
  }

  it('is nothing of a job of another account, of one that is gone, and at what is no notice of jobs', async () => {
    row = aJobRow();
    const notice = { kind: 'nearLimit', jobId: row.job.id };
    assert.equal(await said(notice, { accountKey: 'other' }), '');
    assert.equal(await said(notice, { kind: 'schedule' }), '');
    assert.equal(await said({ ...notice, kind: 'odd' }), '');
    row = undefined;
    assert.equal(await said(notice), '');
  });
});
