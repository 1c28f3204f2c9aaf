import assert from 'node:assert/strict';
import { observedCharges } from '../../../../../src/hosting/ui/reports/observed';
import { fromDollars, toDollars } from '../../../../../src/model/money';
import type { PastRental } from '../../../../../src/model/rentals/pastRental';
import { anInstance } from '../../../../support/builders';

const hour = 3_600_000;
const now = 1_900_000_000_000;
const secondsAgo = (hours: number) => (now - hours * hour) / 1000;

function past(id: number, more: Partial<PastRental> = {}): PastRental {
  return { version: 1, instance: costing(id, 6), endedAt: now - 2 * hour, end: 'destroyed', ...more };
}

/** A dollar an hour, of which a tenth is its disk. */
function costing(id: number, hoursAgo: number) {
  return anInstance({
    id,
    startedAt: secondsAgo(hoursAgo),
    totalPerHour: fromDollars(1),
    gpuPerHour: fromDollars(0.9),
    storagePerHour: fromDollars(0.1),
    storagePerMonth: fromDollars(72),
  });
}

const amounts = ({ charges }: ReturnType<typeof observedCharges>) =>
  charges.map(({ source, amount, start = 0, end = 0 }) => [source, toDollars(amount), (end - start) / 3600]);

describe('what this computer has seen of the spending', () => {
  it('counts instances that are gone until their end, and those that are there until now', () => {
    assert.deepEqual(amounts(observedCharges([costing(1, 3)], [past(2)], now)), [
      ['instance-1', 3, 3],
      ['instance-2', 4, 4],
    ]);
  });

  it('uses what the service charged for one that is gone, and counts none twice', () => {
    const charged = { amount: fromDollars(2.5), at: now };
    assert.deepEqual(amounts(observedCharges([costing(1, 3)], [past(1), past(2, { charged })], now)), [
      ['instance-1', 3, 3],
      ['instance-2', 2.5, 4],
    ]);
  });

  it('is listed by kind, and shows where a price is unknown', () => {
    const whole = observedCharges([costing(1, 10)], [], now);
    assert.ok(whole.isWhole);
    assert.deepEqual(
      whole.charges[0]?.items.map(({ type, amount }) => [type, toDollars(amount)]),
      [
        ['gpu', 9],
        ['disk', 1],
      ],
    );
    const { totalPerHour, gpuPerHour, ...unpriced } = costing(3, 1);
    assert.ok(totalPerHour !== undefined && gpuPerHour !== undefined);
    const part = observedCharges([unpriced], [], now);
    assert.deepEqual(part, { charges: [], isWhole: false });
  });
});
