import assert from 'node:assert/strict';
import { jobEndText } from '../../../../src/model/jobs/jobWords';
import type { JobEnd } from '../../../../src/model/jobs/onMachine';
import { formatText } from '../../../../src/util/text';

const end = (more: Partial<JobEnd>): JobEnd => ({
  code: undefined,
  why: 'itself',
  at: undefined,
  isOutOfMemory: false,
  ...more,
});

describe('what became of a job', () => {
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
    it(`says “${said}” of ${JSON.stringify(given)}`, () => {
      assert.equal(formatText(jobEndText(given)), said);
    });
  }
});
