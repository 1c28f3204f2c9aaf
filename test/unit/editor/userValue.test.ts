import assert from 'node:assert/strict';
import { canWrite, userValue } from '../../../src/editor/userValue';

describe('The value of a setting', () => {
  const machines = { globalValue: '/tmp/evil-ssh', globalLocalValue: undefined };

  it('is what the user set on this computer, never what a rented machine has', () => {
    assert.equal(
      userValue({ globalValue: '/usr/bin/ssh', globalLocalValue: '/usr/bin/ssh' }, true),
      '/usr/bin/ssh',
    );
    assert.equal(userValue(machines, true), undefined);
    assert.equal(
      userValue({ globalValue: '/tmp/evil-ssh', globalLocalValue: '/usr/bin/ssh' }, true),
      '/usr/bin/ssh',
    );
    assert.equal(userValue({ globalValue: '/tmp/evil-ssh' }, true), undefined);
    assert.equal(userValue(undefined, true), undefined);
  });

  it('is the value of all in a window of this computer', () => {
    assert.equal(userValue({ globalValue: 'a' }, false), 'a');
    assert.equal(userValue(undefined, false), undefined);
  });

  it('is only changed where it is known', () => {
    assert.equal(canWrite({ globalValue: ['a'] }, true), false);
    assert.equal(canWrite(undefined, true), false);
    assert.equal(canWrite(machines, true), true);
    assert.equal(canWrite({ globalValue: 'a' }, false), true);
  });
});
