import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import {
  chargedFor,
  costOfPast,
  durationOfPast,
  hasFinalCharges,
  pastRentalShape,
  type PastRental,
} from '../../../../src/model/rentals/pastRental';
import { anInstance } from '../../../support/builders';

const hour = 3_600_000;
const startedAt = Date.UTC(2026, 0, 15, 10);
const past: PastRental = {
  version: 1,
  instance: anInstance({ startedAt: startedAt / 1000, totalPerHour: fromDollars(0.5) }),
  endedAt: startedAt + 3 * hour,
  end: 'destroyed',
};

describe('A past rental', () => {
  it('lasted from the beginning of its contract to its end', () => {
    assert.equal(durationOfPast(past), 3 * hour);
    const unknown: { startedAt?: number } & PastRental['instance'] = { ...past.instance };
    delete unknown.startedAt;
    assert.equal(durationOfPast({ ...past, instance: unknown }), undefined);
  });

  it('costs what was charged, otherwise at most its price for the time', () => {
    assert.deepEqual(costOfPast(past), { amount: fromDollars(1.5), isCharged: false });
    const charged = { amount: fromDollars(1.2), at: past.endedAt };
    assert.deepEqual(costOfPast({ ...past, charged }), { amount: fromDollars(1.2), isCharged: true });
  });

  it('sums the charges that name it, and has no figure without charges', () => {
    const charge = (source: string, dollars: number) => ({
      type: 'instance',
      source,
      amount: fromDollars(dollars),
      items: [],
    });
    const charges = [charge('instance-5001', 1), charge('instance-5001', 0.25), charge('instance-50010', 9)];
    assert.equal(chargedFor(past.instance, charges), fromDollars(1.25));
    assert.equal(chargedFor({ id: 7 }, charges), undefined);
  });

  it('has final charges once they were read a day after its end', () => {
    const read = (at: number) => ({ ...past, charged: { amount: fromDollars(1), at } });
    assert.equal(hasFinalCharges(past), false);
    assert.equal(hasFinalCharges(read(past.endedAt + hour)), false);
    assert.equal(hasFinalCharges(read(past.endedAt + 24 * hour)), true);
  });

  it('is read back as it was written', () => {
    const full = { ...past, message: 'no space left' };
    assert.deepEqual(pastRentalShape.parse(JSON.parse(JSON.stringify(full))), full);
    assert.equal(pastRentalShape.safeParse({ ...past, end: 'lost' }).success, false);
  });
});
