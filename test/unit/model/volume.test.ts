import assert from 'node:assert/strict';
import { fromDollars } from '../../../src/model/money';
import { isAttached, volumeName, volumePerDay } from '../../../src/model/volume';

describe('a volume', () => {
  it('is called as the user called it, else as the service does', () => {
    assert.equal(volumeName({ id: 7, label: ' data\n' }), 'data');
    assert.equal(volumeName({ id: 7, label: ' \u202e ' }), 'V.7');
    assert.equal(volumeName({ id: 7 }), 'V.7');
  });

  it('costs what 24 hours cost, to the millionth', () => {
    assert.equal(volumePerDay({ id: 7, perHour: fromDollars(0.005) }), 120_000);
    assert.equal(volumePerDay({ id: 7 }), undefined);
  });

  it('is in use while an instance has it; a record that does not state it counts as free', () => {
    assert.equal(isAttached({ id: 7, instanceIds: [12] }), true);
    assert.equal(isAttached({ id: 7, instanceIds: [] }), false);
    assert.equal(isAttached({ id: 7 }), false);
  });
});
