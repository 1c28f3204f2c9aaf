import assert from 'node:assert/strict';
import type { JobState } from '../../../../src/model/jobs/job';
import { jobTroubleOf } from '../../../../src/store/jobs/jobTrouble';
import { aJobRow } from '../../../support/jobRow';

describe('The trouble of a job', () => {
  const deps = { fleet: { find: () => undefined }, clock: { now: () => 0 } };
  const cases: readonly (readonly [Partial<JobState>, string])[] = [
    [{ phase: 'renting' }, 'unreachable'],
    [{ phase: 'renting', firstHere: 1 }, 'unreachable'],
    [{ phase: 'renting', firstHere: 2 }, 'notReplaced'],
    [{ phase: 'syncing', firstHere: 2 }, 'sync'],
    [{ phase: 'running' }, 'unreachable'],
    [{ phase: 'ended' }, 'fetch'],
    [{ phase: 'fetching' }, 'fetch'],
    [{ phase: 'releasing', firstHere: 2 }, 'release'],
  ];

  for (const [state, trouble] of cases) {
    it(`is ${trouble} for ${JSON.stringify(state)}`, () => {
      assert.equal(jobTroubleOf(deps as never, aJobRow(state)), trouble);
    });
  }
});
