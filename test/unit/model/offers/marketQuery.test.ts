import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import {
  searchAfter,
  toOfferSearch,
  wireFilters,
  withFilter,
  type MarketQuery,
} from '../../../../src/model/offers/marketQuery';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import { choiceFields, flagFields, numberFields } from '../../../../src/model/offers/searchFields';
import { marketOffer } from '../../../support/marketOffer';

const query: MarketQuery = { ...defaultQuery, diskGb: 30 };

describe('a search on the wire', () => {
  it('has the defaults of the public client, the order, the limit and the disk', () => {
    assert.deepEqual(toOfferSearch(query), {
      filters: { verified: { eq: true }, rentable: { eq: true }, external: { eq: false } },
      rentalType: 'on-demand',
      order: [['score', 'desc']],
      limit: 64,
      allocatedStorageGb: 30,
    });
  });

  it("turns people's units into the service's", () => {
    assert.deepEqual(
      wireFilters({
        gpu: { oneOf: ['RTX 4090', 'RTX 3090'] },
        gpuCount: { min: 2, max: 2 },
        gpuRamGb: { min: 24 },
        reliability: { min: 57 },
        computeCapability: { min: 8.9 },
        cuda: { min: 12.4 },
        ramGb: { min: 64 },
        days: { min: 7 },
        driver: { min: 550, max: 570 },
        pricePerHour: { max: 0.8 },
        country: { oneOf: ['SE'], noneOf: ['US', 'CA'] },
        machine: { oneOf: ['178'] },
        datacenter: true,
        verified: false,
      }),
      {
        num_gpus: { eq: 2 },
        gpu_ram: { gte: 22_979 },
        dph_total: { lte: 0.8 },
        reliability: { gte: 0.57 },
        cuda_max_good: { gte: 12.4 },
        compute_cap: { gte: 890 },
        driver_version: { gte: 550_000_000, lte: 570_999_999 },
        cpu_ram: { gte: 64_000 },
        duration: { gte: 604_800 },
        gpu_name: { in: ['RTX 4090', 'RTX 3090'] },
        geolocation: { eq: 'SE', notin: ['US', 'CA'] },
        machine_id: { eq: 178 },
        verified: { eq: false },
        datacenter: { eq: true },
      },
    );
  });

  it('leaves out what does not matter', () => {
    assert.deepEqual(wireFilters({ gpu: {}, country: { oneOf: [] }, gpuRamGb: {} }), {});
  });

  it('limits and sorts interruptible offers by their least bid', () => {
    const search = toOfferSearch({
      ...query,
      filters: { pricePerHour: { max: 0.5 } },
      rentalType: 'interruptible',
      sort: 'price',
    });
    assert.deepEqual(search.filters, { min_bid: { lte: 0.5 } });
    assert.deepEqual(search.order, [['min_bid', 'asc']]);
  });

  it('names each wire field once', () => {
    const names: readonly string[] = [
      ...Object.values(numberFields).map(({ wire }) => wire),
      ...Object.values(choiceFields).map(({ wire }) => wire),
      ...Object.values(flagFields).map(({ wire }) => wire),
    ];
    assert.equal(new Set(names).size, names.length);
  });
});

describe('the search for more', () => {
  const last = marketOffer({
    totalPerHour: fromDollars(0.5),
    score: 12,
    dlperfPerDollar: 99,
    reliability: 0.9,
  });

  it('continues where the last row ended', () => {
    const after = (sort: MarketQuery['sort']) => searchAfter({ ...query, filters: {}, sort }, last)?.filters;
    assert.deepEqual(after('price'), { dph_total: { gte: 0.499999 } });
    assert.deepEqual(after('best'), { score: { lte: 12 } });
    assert.deepEqual(after('value'), { dlperf_per_dphtotal: { lte: 99 } });
    assert.deepEqual(after('reliability'), { reliability: { lte: 0.9 } });
    assert.deepEqual(after('memory'), { gpu_total_ram: { lte: 24_564 } });
  });

  it('keeps the other bound of the same field', () => {
    const filters = { pricePerHour: { max: 0.8 } };
    assert.deepEqual(searchAfter({ ...query, filters, sort: 'price' }, last)?.filters, {
      dph_total: { lte: 0.8, gte: 0.499999 },
    });
  });

  it('is not possible without the value', () => {
    assert.equal(searchAfter({ ...query, sort: 'price' }, { id: 1 }), undefined);
  });
});

describe('withFilter', () => {
  it('sets and removes one field', () => {
    assert.deepEqual(withFilter({ verified: true }, 'cuda', { min: 12 }), {
      verified: true,
      cuda: { min: 12 },
    });
    assert.deepEqual(withFilter({ verified: true, cuda: { min: 12 } }, 'cuda', undefined), {
      verified: true,
    });
  });
});
