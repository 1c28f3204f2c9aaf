import assert from 'node:assert/strict';
import { parseHours, parsePrice } from '../../../src/hosting/ui/machines/maintenanceInput';
import { bidProblem, diskProblem } from '../../../src/model/rentals/rentPlan';
import { typedNumber } from '../../../src/util/typedNumber';
import { anOffer } from '../../support/builders';

describe('a typed number', () => {
  it('is read as people write it', () => {
    assert.deepEqual(['12', ' 0.25 ', '0,5', '.5'].map(typedNumber), [12, 0.25, 0.5, 0.5]);
  });

  it('is none in the notations of programs, which no user means as a price', () => {
    for (const typed of ['0x10', '1e1', '0b11', '0o7', 'Infinity', '-1', '+1', '1.2.3', '1 000', '']) {
      assert.ok(Number.isNaN(typedNumber(typed)), typed);
    }
  });

  it('is refused as a price, a bid, hours and a disk in such a notation', () => {
    for (const typed of ['0x10', '1e1', '0b11']) {
      assert.equal(typeof parsePrice(typed), 'object', typed);
      assert.equal(typeof parseHours(typed), 'object', typed);
      assert.notEqual(bidProblem(typed, anOffer()), undefined, typed);
      assert.notEqual(diskProblem(typed, undefined), undefined, typed);
    }
  });
});
