import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import { quantile, quantilesFromOffers } from '../../../../src/model/offers/offerQuantiles';

describe('quantiles of offers', () => {
  const offer = (id: number, gpuName: string, dollars: number, gpuCount = 1) => ({
    id,
    gpuName,
    gpuCount,
    totalPerHour: fromDollars(dollars),
  });

  it('are prices of one GPU, by model, and no count of free GPUs, of which a search returns a few', () => {
    const gpus = quantilesFromOffers([
      offer(1, 'A', 1),
      offer(2, 'A', 4, 2),
      offer(3, 'A', 3),
      offer(4, 'B', 0.5),
      { id: 5, gpuName: 'C' },
    ]);
    assert.deepEqual(
      gpus.map(({ gpuName, available, priceMedian }) => [gpuName, available, priceMedian]),
      [
        ['A', undefined, 2_000_000],
        ['B', undefined, 500_000],
      ],
    );
    assert.deepEqual(
      gpus.slice(0, 1).map(({ priceP10, priceP90 }) => [priceP10, priceP90]),
      [[1_200_000, 2_800_000]],
    );
  });

  it('are unknown without offers', () => {
    assert.equal(quantile([], 0.5), undefined);
    assert.deepEqual(quantilesFromOffers([]), []);
  });
});
