import assert from 'node:assert/strict';
import type { JobState } from '../../../../src/jobs/model/job';
import { isCopied, isEndedUnasked, isStopped, jobTroubleOf } from '../../../../src/jobs/store/jobTrouble';
import { anInstance } from '../../../support/builders';
import { aJobRow, jobNow } from '../../../support/jobRow';
import { only } from '../../../support/only';

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
      assert.equal(jobTroubleOf(only(deps), aJobRow(state)), trouble);
    });
  }
});

describe('The machine of a job in trouble', () => {
  const deps = (actualStatus: string, intendedStatus = 'running') => {
    const instance = anInstance({ id: 7, actualStatus, intendedStatus });
    const fleet = { find: (id: number) => (id === 7 ? instance : undefined), facts: () => ({}) };
    return only<Parameters<typeof jobTroubleOf>[0]>({ fleet, clock: { now: () => jobNow } });
  };
  const stopped = deps('stopped', 'stopped');
  const copied = { job: { decidedAt: { copy: jobNow } } };

  it('is stopped if the list shows that of its own machine', () => {
    assert.equal(isStopped(stopped, aJobRow()), true);
    assert.equal(isStopped(deps('running'), aJobRow()), false);
    assert.equal(isStopped(stopped, aJobRow({}, { instanceId: 8 })), false);
    assert.equal(isStopped(stopped, aJobRow({}, { instanceId: undefined })), false);
  });

  it('is copied from at the request of the user, if it is stopped and the job had begun', () => {
    assert.equal(isCopied(stopped, aJobRow({}, copied)), true);
    assert.equal(isCopied(stopped, aJobRow()), false);
    assert.equal(isCopied(stopped, aJobRow({ phase: 'syncing' }, copied)), false);
    assert.equal(isCopied(deps('running'), aJobRow({}, copied)), false);
  });

  it('is what is reported, before what the job was doing', () => {
    for (const [parts, state, kind] of [
      [{}, {}, 'machineStopped'],
      [copied, {}, 'fetch'],
      [{}, { leaving: 'machineLost' }, 'notReplaced'],
      [{ job: { decidedAt: { stop: jobNow } } }, { leaving: 'machineLost' }, 'machineStopped'],
    ] as const) {
      assert.equal(jobTroubleOf(stopped, aJobRow(state, parts)), kind);
    }
  });

  it('is not ended unasked while nothing was decided', () => {
    for (const one of [stopped, deps('running'), deps('offline')]) {
      assert.equal(isEndedUnasked(one, aJobRow({ phase: 'fetching' })), false);
    }
  });
});
