import assert from 'node:assert/strict';
import { signOutText, stillCostsText } from '../../../../src/model/accounts/signOutText';
import { formatText } from '../../../../src/util/text';

describe('the question before an account is left', () => {
  const words = (isDemo: boolean) => {
    const { question, button, done } = signOutText({ isDemo, name: 'ada@example.com' });
    return [question, button, done].map((one) => formatText(one));
  };

  it('leaves the demo, and signs out of an account', () => {
    assert.deepEqual(words(true), ['Leave the demo?', 'Leave Demo', 'You left the demo.']);
    assert.deepEqual(words(false), [
      'Sign out of ada@example.com?',
      'Sign Out',
      'Signed out of ada@example.com.',
    ]);
  });

  it('warns that instances still cost money, except in the demo', () => {
    const said = [
      stillCostsText(false, 0),
      stillCostsText(false, 1),
      stillCostsText(false, 3),
      stillCostsText(true, 3),
      stillCostsText(false, undefined),
    ];
    assert.deepEqual(
      said.map((one) => one && formatText(one)),
      [
        undefined,
        'Your instance still costs money.',
        'Your 3 instances still cost money.',
        undefined,
        'Could not list your instances. Any that exist still cost money.',
      ],
    );
  });
});
