import assert from 'node:assert/strict';
import { noFacts } from '../../../../src/model/instances/instanceState';
import { fromDollars } from '../../../../src/model/money';
import { ownLimitProblem, type OwnLimitsDeps } from '../../../../src/store/agents/ownLimits';
import { anInstance } from '../../../support/builders';

const now = Date.UTC(2026, 0, 15, 12);

describe('the limits of the user that an agent is held to', () => {
  const problem = (state: OwnLimitsDeps['fleet']['state'], limit = 5) =>
    ownLimitProblem(
      {
        fleet: { state, facts: () => noFacts },
        volumes: { state: { kind: 'idle' } },
        clock: { now: () => now },
        budget: { current: () => Promise.resolve(undefined) },
        limitPerHour: () => limit,
      },
      fromDollars(1),
    );
  const listed = (...instances: readonly ReturnType<typeof anInstance>[]) =>
    ({ kind: 'ready', value: { instances, skipped: 0 }, fetchedAt: now }) as const;

  it('leave room by all that is listed, volumes or not', async () => {
    assert.equal(await problem(listed(anInstance())), undefined);
    assert.match((await problem(listed(anInstance()), 1.2)) ?? '', /may cost \$1\.2\/h, and with this/);
  });

  it('leave none where it is not known what runs, or what that costs', async () => {
    const unpriced = anInstance({ totalPerHour: undefined, gpuPerHour: undefined } as never);
    for (const state of [
      { kind: 'idle' } as const,
      { kind: 'failed', error: new Error('no') } as const,
      { ...listed(anInstance()), value: { instances: [anInstance()], skipped: 1 } },
      listed(unpriced),
    ]) {
      assert.match((await problem(state)) ?? '', /not known what everything that runs costs/);
      assert.equal(await problem(state, 0), undefined);
    }
  });
});
