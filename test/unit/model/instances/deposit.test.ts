import assert from 'node:assert/strict';
import { depositTerms } from '../../../../src/model/instances/deposit';
import { anInstance } from '../../../support/builders';

const terms = (discountMax: number | undefined, isInterruptible = false) =>
  depositTerms(anInstance({ ...(discountMax === undefined ? {} : { discountMax }), isInterruptible })).map(
    ({ months, percent, paysFromDays }) => [months, percent, paysFromDays],
  );

describe('the terms of a deposit', () => {
  it('are those that the service documents, with the days from which they cost less', () => {
    assert.deepEqual(terms(0.4), [
      [1, 20, 24],
      [3, 30, 63],
    ]);
  });

  it('are never better than they are', () => {
    assert.deepEqual(terms(0.58), [
      [1, 29, 22],
      [3, 43, 51],
    ]);
  });

  it('do not exist for a bid, or where no discount is stated', () => {
    assert.deepEqual([terms(0.4, true), terms(undefined), terms(0.01)], [[], [], []]);
  });

  it('agree with what each end costs', () => {
    for (const { months, paysFromDays } of depositTerms(anInstance({ discountMax: 0.4 }))) {
      const rate = months === 1 ? 0.2 : 0.3;
      const days = months * 30;
      // Of a price of 1 a day: what is not paid back of the deposit, with the discount and 5 % of it taken back.
      const cost = (day: number) => {
        const paid = days * (1 - rate);
        return paid - Math.max(0, paid - day * (1 - rate) - day * rate * 1.05);
      };
      assert.ok(cost(paysFromDays - 1) > paysFromDays - 1 && cost(paysFromDays + 1) < paysFromDays + 1);
    }
  });
});
