import assert from 'node:assert/strict';
import { AttachedKeys } from '../../../../src/store/instances/attachedKeys';
import { Interests } from '../../../../src/store/instances/fleetShared';
import { FakeClock } from '../../../support/fakeClock';

describe('A key that was attached to an instance', () => {
  it('may be on its way to that machine for thirty seconds, counted from the last one', async () => {
    const clock = new FakeClock();
    const keys = new AttachedKeys(clock);
    assert.equal(keys.isOnTheWay(7), false);
    keys.add(7);
    await clock.advance(29_999);
    assert.deepEqual([keys.isOnTheWay(7), keys.isOnTheWay(8)], [true, false]);
    await clock.advance(1);
    assert.equal(keys.isOnTheWay(7), false);
    keys.add(7);
    assert.equal(keys.isOnTheWay(7), true);
  });
});

describe('What all windows show', () => {
  it('is looked at where one of them shows it and is in front, for as long as it is open', () => {
    const interests = new Interests();
    assert.equal(interests.isInView, false);
    for (const [viewVisible, windowFocused] of [
      [true, false],
      [false, true],
    ] as const) {
      interests.set('one', { viewVisible, windowFocused });
      assert.equal(interests.isInView, false);
    }
    interests.set('two', { viewVisible: true, windowFocused: true });
    assert.equal(interests.isInView, true);
    interests.keepOnly(new Set(['one', 'two']));
    assert.equal(interests.isInView, true);
    interests.keepOnly(new Set(['one']));
    assert.equal(interests.isInView, false);
  });
});
