import assert from 'node:assert/strict';
import { newJobState } from '../../../../src/jobs/model/job';
import { jobFile, stateFile } from '../../../../src/jobs/store/jobSchemas';
import { aJobRow, jobNow, jobTrouble } from '../../../support/jobRow';

describe('Files of jobs from older versions', () => {
  const { job } = aJobRow();

  /** The same without fields, as it comes from the disk. */
  const without = (value: object, ...names: string[]): unknown =>
    JSON.parse(JSON.stringify(value, (name, member: unknown) => (names.includes(name) ? undefined : member)));

  it('run one job at a time without a retry or checkpoint, which would be fetched every ten minutes', () => {
    const older = without({ version: 1, ...job }, 'maxParallel', 'retries', 'checkpoints', 'fetchMinutes');
    const { maxParallel, retries, checkpoints, fetchMinutes } = jobFile.parse(older).spec;
    assert.deepEqual(
      { maxParallel, retries, checkpoints, fetchMinutes },
      { maxParallel: 1, retries: {}, checkpoints: [], fetchMinutes: 10 },
    );
  });

  it('have trouble that has lasted for no time yet', () => {
    const state = { ...newJobState(job), ...jobTrouble('unreachable') };
    assert.equal(stateFile.parse(without(state, 'lastedMs')).trouble?.lastedMs, 0);
  });

  it('are none where they hold what no version wrote', () => {
    const state = { ...newJobState(job), ...jobTrouble('unreachable') };
    for (const [file, value, isOne] of [
      [jobFile, { version: 1, ...job }, true],
      [jobFile, { version: 2, ...job }, false],
      [jobFile, { version: 1, ...job, id: '../x' }, false],
      [jobFile, { version: 1, ...job, rental: { marker: '../x' } }, false],
      [stateFile, state, true],
      [stateFile, { ...state, phase: 'resting' }, false],
      [stateFile, { ...state, why: { template: 'It is gone.', args: [] } }, true],
      ...['It is gone.', null, {}].map((why) => [stateFile, { ...state, why }, false] as const),
      [stateFile, { ...state, reopened: { at: jobNow, outcome: 'kept' } }, true],
      [stateFile, { ...state, end: { why: 'itself', isOutOfMemory: false } }, true],
    ] as const) {
      assert.equal(file.safeParse(JSON.parse(JSON.stringify(value))).success, isOne, JSON.stringify(value));
    }
  });
});
