import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import { firstSearch, type FirstSearchInput } from '../../../../src/model/offers/firstSearch';
import { inListOrder } from '../../../../src/model/offers/localFilter';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import { marketOffer } from '../../../support/marketOffer';

const sizeAndPrice = (input: Partial<FirstSearchInput>) => {
  const { gpuCount, pricePerHour } = firstSearch({ rented: [], ...input }).filters;
  return [gpuCount?.min, gpuCount?.max, pricePerHour?.max];
};

describe('the first search', () => {
  it('begins with single GPUs, as anybody would be shown them', () => {
    assert.deepEqual(sizeAndPrice({}), [1, 1, undefined]);
    const { filters, ...rest } = firstSearch({ rented: [] });
    assert.deepEqual(
      { ...rest, filters: { ...filters, gpuCount: undefined } },
      { ...defaultQuery, filters: { ...defaultQuery.filters, gpuCount: undefined } },
    );
  });

  it('leaves out what the credit does not pay for an afternoon', () => {
    assert.deepEqual(sizeAndPrice({ credit: fromDollars(5) }), [1, 1, 1.2]);
    assert.deepEqual(sizeAndPrice({ credit: fromDollars(100) }), [1, 1, undefined]);
    assert.deepEqual(sizeAndPrice({ credit: fromDollars(0) }), [1, 1, undefined]);
  });

  it('keeps to the limit where there is no credit, or less than none', () => {
    for (const credit of [0, -3]) {
      const input = { credit: fromDollars(credit), limitPerHour: fromDollars(1.5) };
      assert.deepEqual(sizeAndPrice(input), [1, 1, 1.5]);
    }
    assert.deepEqual(sizeAndPrice({ credit: fromDollars(4), limitPerHour: fromDollars(1.5) }), [1, 1, 1]);
  });

  it('has no price where almost every offer costs less, or hardly any', () => {
    const price = (dollars: number, gpuCount = 1) => {
      const rented = [marketOffer({ gpuCount, totalPerHour: fromDollars(100) })];
      return sizeAndPrice({ rented, limitPerHour: fromDollars(dollars) })[2];
    };
    assert.deepEqual(
      [0.04, 0.05].map((dollars) => price(dollars)),
      [undefined, 0.05],
    );
    assert.deepEqual(
      [3.9, 4, 4.1].map((dollars) => price(dollars)),
      [3.9, undefined, undefined],
    );
    assert.deepEqual(
      [7.9, 8].map((dollars) => price(dollars, 2)),
      [7.9, undefined],
    );
  });

  it('uses the last rentals before the credit, and never exceeds the limit', () => {
    const rented = [
      marketOffer({ gpuCount: 2, totalPerHour: fromDollars(0.8) }),
      marketOffer({ totalPerHour: fromDollars(1.1) }),
    ];
    assert.deepEqual(sizeAndPrice({ rented, credit: fromDollars(2) }), [2, 2, 2.2]);
    assert.deepEqual(sizeAndPrice({ rented, limitPerHour: fromDollars(1.5) }), [2, 2, 1.5]);
    assert.deepEqual(sizeAndPrice({ limitPerHour: fromDollars(0.07) }), [1, 1, 0.07]);
  });
});

describe('the order of the list', () => {
  const offers = ['A', 'A', 'B', 'A', 'C'].map((gpuName, index) =>
    marketOffer({ id: index + 1, gpuName, score: 100 - index }),
  );
  const ids = (query: Partial<typeof defaultQuery>) =>
    inListOrder(offers, { ...defaultQuery, ...query }).map(({ id }) => id);

  it('has one of each kind of GPU first, and all others in the order of the service', () => {
    assert.deepEqual(ids({}), [1, 3, 5, 2, 4]);
  });

  it('ends with what the credit pays for less than the hours of an estimate', () => {
    const dear = { gpuName: 'D', gpuPerHour: fromDollars(4.8), totalPerHour: fromDollars(4.8), score: 99.5 };
    const withDear = [
      ...offers,
      marketOffer({ id: 6, ...dear }),
      marketOffer({ id: 7, ...dear, gpuName: 'A' }),
    ];
    const order = (credit?: number) =>
      inListOrder(withDear, defaultQuery, credit === undefined ? undefined : fromDollars(credit)).map(
        ({ id }) => id,
      );
    assert.deepEqual(order(25), [1, 3, 5, 2, 4, 6, 7]);
    for (const credit of [40, 0, undefined]) {
      assert.deepEqual(order(credit), [1, 6, 3, 5, 7, 2, 4]);
    }
  });

  it('is left alone where a kind or another order was chosen', () => {
    assert.deepEqual(ids({ filters: { gpu: { oneOf: ['A', 'B', 'C'] } } }), [1, 2, 3, 4, 5]);
    assert.deepEqual(ids({ sort: 'price' }), [1, 2, 3, 4, 5]);
  });
});
