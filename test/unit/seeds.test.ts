import assert from 'node:assert/strict';
import fc from 'fast-check';
import { testSeed } from '../support/seeded';

describe('What tests draw at random', () => {
  it('is the same in each run with the same seed', () => {
    const values: number[][] = [[], []];
    for (const drawn of values) {
      fc.assert(fc.property(fc.nat(), (value) => void drawn.push(value)));
    }
    assert.ok(values[0]?.length === 100);
    assert.deepEqual(values[0], values[1]);
    assert.equal(fc.readConfigureGlobal().seed, testSeed);
  });

  it('can be played again from the text of a failure', () => {
    assert.throws(
      () => fc.assert(fc.property(fc.nat(), (value) => value < 0)),
      new RegExp(`seed: ${testSeed}, path: "`),
    );
  });
});
