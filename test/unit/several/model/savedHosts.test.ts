import assert from 'node:assert/strict';
import { differences, savedHosts } from '../../../../src/several/model/savedHosts';
import { anInstance } from '../../../support/builders';

describe('Host files that were saved', () => {
  const [one, two, three] = [1, 2, 3].map((id) => anInstance({ id, label: `sweep-${id}` }));
  const saved = (more: object = {}) =>
    savedHosts.parse({
      ...{ accountKey: 'mine', folder: '/work', hashes: {}, leftOut: [] },
      ...{ names: { 1: 'sweep-1', 2: 'sweep-2' }, ...more },
    });
  assert.ok(one && two && three);

  for (const [what, record, running, expected] of [
    ['nothing, while the same ones run', saved(), [one, two], [[], []]],
    ['those that have ended', saved({ ids: [1, 2] }), [two], [['sweep-1'], []]],
    ['new ones, if they are for all that run', saved(), [one, two, three], [[], ['sweep-3']]],
    ['no others, if they are for chosen ones', saved({ ids: [1, 2] }), [one, two, three], [[], []]],
    ['chosen ones that run again', saved({ ids: [1, 2, 3] }), [one, two, three], [[], ['sweep-3']]],
    ['none that they leave out', saved({ leftOut: [3] }), [one, two, three], [[], []]],
  ] as const) {
    it(`differ from the running instances by ${what}`, () => {
      const { ended, added } = differences(record, running);
      assert.deepEqual([ended, added], expected);
    });
  }
});
