import assert from 'node:assert/strict';
import type { JobState } from '../../../../src/jobs/model/job';
import type { JobDeps } from '../../../../src/jobs/ui/deps';
import { notStartedMessage } from '../../../../src/jobs/ui/resultMessages';
import type { Instance } from '../../../../src/model/instances/instance';
import { text } from '../../../../src/util/text';
import { anInstance } from '../../../support/builders';
import { aJobRow } from '../../../support/jobRow';

describe('The message about a job that was not started on an instance', () => {
  const why = 'train was not started on trainer. Its image has no bash.';

  /** The sentence and the labels of the buttons. */
  function said(instance: Instance | undefined, outcome: JobState['outcome'] = 'notStarted') {
    const row = aJobRow({ phase: 'over', outcome, why: text('Its image has no bash.') });
    const fleet = { find: () => instance, facts: () => ({}) } as unknown as JobDeps['fleet'];
    const { sentence, actions } = notStartedMessage(row, fleet);
    return [sentence, ...actions.map(({ label }) => label)];
  }

  for (const outcome of ['notStarted', 'kept'] as const) {
    it(`names what the instance still costs if its outcome is ${outcome}`, () => {
      assert.deepEqual(said(anInstance(), outcome), [
        `${why} trainer was left as it is and costs $0.400/h.`,
        'Run Job Again…',
        'Show Instance',
      ]);
    });
  }

  it('shows that it costs money if the service states no price', () => {
    const { totalPerHour, ...unpriced } = anInstance();
    assert.ok(totalPerHour);
    const [sentence] = said(unpriced);
    assert.equal(sentence, `${why} trainer was left as it is and costs money.`);
  });

  it('shows no price of an instance that is stopped or not listed', () => {
    const stopped = anInstance({ actualStatus: 'exited', intendedStatus: 'stopped' });
    for (const instance of [stopped, undefined]) {
      assert.deepEqual(said(instance), [why, 'Run Job Again…']);
    }
  });

  for (const outcome of ['stopped', 'destroyed', 'lost'] as const) {
    it(`shows no price of an instance that is ${outcome}, though a list still has it as it was`, () => {
      assert.deepEqual(said(anInstance(), outcome), [why, 'Run Job Again…']);
    });
  }
});
