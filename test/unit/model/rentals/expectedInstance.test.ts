import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import { expectedInstance } from '../../../../src/model/rentals/expectedInstance';
import { anOffer } from '../../../support/builders';

describe('an instance that no answer has had', () => {
  const offer = anOffer({ storagePerGbMonth: fromDollars(0.072), location: 'Sweden, SE' });
  const config = { image: 'pytorch/pytorch', diskGb: 100, label: 'trainer [gr-0a0b0c0d]' };

  it('is what was rented, with the price of its disk', () => {
    const row = expectedInstance(42, { offer, config, rentalType: 'on-demand' });
    assert.deepEqual(
      [row.id, row.label, row.gpuName, row.intendedStatus, row.isExpected],
      [42, config.label, 'RTX 4090', 'running', true],
    );
    assert.equal(row.totalPerHour, fromDollars(0.4));
    assert.equal(row.storagePerHour, fromDollars(0.01));
    assert.equal(row.actualStatus, undefined);
  });

  it('costs the bid and its disk where it is interruptible', () => {
    const row = expectedInstance(42, {
      offer,
      config: { ...config, bidPerHour: fromDollars(0.2), targetState: 'stopped' },
      rentalType: 'interruptible',
    });
    assert.equal(row.totalPerHour, fromDollars(0.21));
    assert.equal(row.intendedStatus, 'stopped');
  });
});
