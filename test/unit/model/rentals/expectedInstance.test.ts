import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import { completedRecord, expectedInstance } from '../../../../src/model/rentals/expectedInstance';
import { anInstance, anOffer } from '../../../support/builders';

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

describe('a record that lacks what was rented', () => {
  const rented = expectedInstance(42, {
    offer: anOffer({ storagePerGbMonth: fromDollars(0.072), location: 'Sweden, SE' }),
    config: { image: 'pytorch/pytorch', diskGb: 100, label: 'trainer' },
    rentalType: 'on-demand',
  });

  it('gets machine and price, and nothing that changes later', () => {
    const shown = completedRecord({ id: 42, actualStatus: 'loading' }, rented);
    assert.equal(shown.totalPerHour, fromDollars(0.4));
    assert.deepEqual(
      [shown.gpuName, shown.location, shown.actualStatus, shown.intendedStatus, shown.label, shown.image],
      ['RTX 4090', 'Sweden, SE', 'loading', undefined, undefined, undefined],
    );
    assert.deepEqual([shown.isExpected, shown.isPriceOfRental], [undefined, true]);
  });

  it('keeps what it states, and is the same one where it lacks nothing', () => {
    const dearer = completedRecord({ id: 42, totalPerHour: fromDollars(0.9), gpuName: 'H100' }, rented);
    assert.deepEqual([dearer.totalPerHour, dearer.gpuName], [fromDollars(0.9), 'H100']);
    assert.equal(dearer.isPriceOfRental, undefined);
    const whole = { ...anInstance({ id: 42 }), ...rented };
    assert.equal(completedRecord(whole, rented), whole);
  });
});
