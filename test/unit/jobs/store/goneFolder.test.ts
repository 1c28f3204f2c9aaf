import assert from 'node:assert/strict';
import { jobFolderGone } from '../../../../src/jobs/model/jobWords';
import type { JobLook } from '../../../../src/jobs/model/onMachine';
import { noOutputs, withoutFolder } from '../../../../src/jobs/store/goneFolder';
import { text } from '../../../../src/util/text';
import { aJobRow, endOfJob, jobNow, jobTrouble } from '../../../support/jobRow';

const look: JobLook = {
  phase: 'none',
  end: undefined,
  beat: undefined,
  ago: undefined,
  log: { offset: 0, piece: Buffer.alloc(0) },
  pidAlive: false,
  hasOutputsList: false,
};
const reopened = { reopened: { at: jobNow, outcome: 'kept' as const } };
const gone = jobTrouble('machineFails', 5, jobFolderGone);

describe('The folder of a job that is gone from its machine', () => {
  it('is there as long as anything of the job is', () => {
    assert.equal(withoutFolder(aJobRow(), { ...look, phase: 'running' }), undefined);
    assert.equal(withoutFolder(aJobRow(), { ...look, ...endOfJob('itself', 0) }), undefined);
  });

  it('is looked for once more, whatever else went wrong before', () => {
    for (const state of [{}, jobTrouble('unreachable'), jobTrouble('unreachable', 5, text('The cut.'))]) {
      const event = { kind: 'failed', trouble: 'machineFails', why: jobFolderGone };
      assert.deepEqual(withoutFolder(aJobRow(state), look), event);
      const fetching = withoutFolder(aJobRow({ ...state, ...reopened }), look);
      assert.deepEqual(fetching, { ...event, trouble: 'fetch' });
    }
  });

  it('ends the job once it is missed twice, without outputs', () => {
    const event = withoutFolder(aJobRow(gone), look);
    assert.ok(event?.kind === 'looked');
    assert.deepEqual(event.look.end, { code: undefined, why: 'gone', at: undefined, isOutOfMemory: false });
    assert.deepEqual(noOutputs, { files: 0, bytes: 0, hash: '', areHashed: false, leftOut: 0 });
  });

  it('ends the fetch of a job that was over, which stays as it ended', () => {
    const event = withoutFolder(aJobRow({ ...gone, ...reopened }), look);
    assert.deepEqual(event, { kind: 'notFetched', why: jobFolderGone });
  });
});
