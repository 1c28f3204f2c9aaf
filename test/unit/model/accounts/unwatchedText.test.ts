import assert from 'node:assert/strict';
import { unwatchedText, type PreviousAccount } from '../../../../src/model/accounts/unwatchedText';
import { formatText } from '../../../../src/util/text';

describe('the message about an account when another one becomes active', () => {
  const left = { isDemo: false, name: 'ada@example.com', instances: 2, hasOpenRental: false };
  const said = (change: Partial<PreviousAccount> = {}) => {
    const words = unwatchedText({ ...left, ...change });
    return words && formatText(words).split('. ')[0];
  };

  it('names what costs money there', () => {
    assert.equal(said(), 'Instances of ada@example.com still cost money: 2');
  });

  it('is no number where the list could not be read, or where a rental has no answer', () => {
    for (const change of [
      { instances: undefined },
      { hasOpenRental: true },
      { instances: 0, hasOpenRental: true },
    ]) {
      assert.equal(said(change), 'Instances of ada@example.com may cost money');
    }
  });

  it('is nothing where nothing costs money', () => {
    assert.deepEqual([said({ instances: 0 }), said({ isDemo: true })], [undefined, undefined]);
  });
});
