import assert from 'node:assert/strict';
import { redrawAt } from '../../../src/util/duration';

describe('The time of a wait', () => {
  it('is shown for the same moment in all places, and redrawn at the next one', () => {
    assert.deepEqual(redrawAt(20_000), { now: 20_000, nextInMs: 5000 });
    assert.deepEqual(redrawAt(20_001), { now: 20_000, nextInMs: 4999 });
    assert.deepEqual(redrawAt(24_999), { now: 20_000, nextInMs: 1 });
  });
});
