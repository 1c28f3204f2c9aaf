import assert from 'node:assert/strict';
import { newJobState, type JobRow, type JobState } from '../../../../src/jobs/model/job';
import { jobEndText, phaseText, useText } from '../../../../src/jobs/model/jobText';
import type { JobEnd } from '../../../../src/jobs/model/onMachine';
import { formatText } from '../../../../src/util/text';
import { aJob } from '../../../support/jobWindows';

const end = (more: Partial<JobEnd>): JobEnd => ({
  code: undefined,
  why: 'itself',
  at: undefined,
  isOutOfMemory: false,
  ...more,
});

describe('the outcome of a job', () => {
  for (const [said, given] of [
    ['ended', undefined],
    ['succeeded', end({ code: 0 })],
    ['failed with code 3', end({ code: 3 })],
    ['out of memory', end({ code: 137, isOutOfMemory: true })],
    ['succeeded', end({ code: 0, isOutOfMemory: true })],
    ['ended without an exit code', end({})],
    ['ended at its limit', end({ why: 'limit', code: 143 })],
    ['interrupted by a stop or restart of the machine', end({ why: 'interrupted' })],
    ['lost its files on the machine', end({ why: 'gone' })],
  ] as const) {
    it(`is “${said}” for ${JSON.stringify(given)}`, () => {
      assert.equal(formatText(jobEndText(given)), said);
    });
  }
});

describe('the state of a job', () => {
  it('is that it serves a model', () => {
    const serves = { name: 'tiny', repository: 'org/tiny', engine: 'vllm', gpus: 1 } as const;
    const job = { ...aJob(7), id: '0123456789abcdef', orderedAt: 0 };
    const said = (row: Partial<JobRow['job']>) =>
      formatText(phaseText({ job: { ...job, ...row }, state: { ...newJobState(job), phase: 'running' } }));
    assert.deepEqual(
      [said({}), said({ serves: { ...serves, maxSequences: 8, idleMinutes: 30 } })],
      ['running', 'serving a model'],
    );
  });
});

describe('the use of a job', () => {
  const minute = 60_000;
  const rowOf = (limits: Readonly<Record<string, unknown>>, more: Partial<JobState>): JobRow => {
    const job = { ...aJob(7, { setup: 'pip install x', limits }), id: '0123456789abcdef', orderedAt: 0 };
    return { job, state: { ...newJobState(job), phase: 'running', ...more } };
  };
  const said = (row: JobRow, now: number) => formatText(useText(row, now));

  it('is compared with the end that its machine enforces, by its dollars and after its set-up', () => {
    const started = { beganAt: 0, startedAt: 20 * minute, limitSeconds: 100 * 60 };
    assert.equal(
      said(rowOf({ hours: 6, costDollars: 2.1 }, started), 90 * minute),
      '1 h 30 min of 2 h · $1.50 of $2.10',
    );
    assert.equal(
      said(rowOf({ hours: 1, costDollars: 9 }, { ...started, limitSeconds: 3600 }), 79 * minute),
      '1 h 19 min of 1 h 20 min · $1.32 of $9.00',
    );
  });

  it('is compared with the hours of the file before its script runs', () => {
    const row = rowOf({ hours: 6, costDollars: 9 }, { phase: 'settingUp', beganAt: 0 });
    assert.equal(said(row, 6 * minute), '6 min of 6 h · $0.100 of $9.00');
  });
});
