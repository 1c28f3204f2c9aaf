import assert from 'node:assert/strict';
import { budgetState, type BudgetNow } from '../../../../src/model/budget/budget';
import { stretchOf } from '../../../../src/model/budget/period';
import { fromDollars } from '../../../../src/model/money';
import { noRate } from '../../../../src/model/quote';

function budget(spent: number, isWhole = true): BudgetNow {
  const amount = fromDollars(spent);
  return {
    parts: [
      {
        period: 'day',
        span: stretchOf('day', 0),
        limit: fromDollars(3),
        spent: { amount, least: amount, isAtLeast: !isWhole },
      },
    ],
    isWhole,
    rate: noRate,
    at: 0,
    isProved: true,
  };
}

describe('a budget', () => {
  it('is used up from its limit on, also where not all charges were read', () => {
    assert.equal(budgetState(budget(2.99)), 'within');
    assert.equal(budgetState(budget(3)), 'usedUp');
    assert.equal(budgetState(budget(3.01, false)), 'usedUp');
  });

  it('may be used up where not all charges were read, and is not where there is none', () => {
    assert.equal(budgetState(budget(1, false)), 'unread');
    assert.equal(budgetState(undefined), 'within');
    assert.equal(budgetState({ ...budget(9, false), parts: [] }), 'within');
  });
});
