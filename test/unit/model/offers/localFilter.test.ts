import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fromDollars } from '../../../../src/model/money';
import { narrows, sorted } from '../../../../src/model/offers/localFilter';
import type { MarketQuery } from '../../../../src/model/offers/marketQuery';
import type { Offer } from '../../../../src/model/offers/offer';
import { fitting, misfits } from '../../../../src/model/offers/offerMatch';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import type { Filters } from '../../../../src/model/offers/searchFields';
import { lacking, marketOffer } from '../../../support/marketOffer';
import { sized } from '../../../support/seeded';

function query(filters: Filters, changes: Partial<MarketQuery> = {}): MarketQuery {
  return { ...defaultQuery, ...changes, filters };
}

describe('the check of an answer', () => {
  it('names the fields that do not fit', () => {
    const filters: Filters = {
      gpu: { oneOf: ['RTX 3090'] },
      gpuRamGb: { min: 40 },
      verified: true,
      reliability: { min: 99.7 },
    };
    assert.deepEqual(misfits(marketOffer(), query(filters)), ['gpuRamGb', 'gpu']);
  });

  it('counts a 24,564 MB card as 24 GB, and two of them as 48', () => {
    assert.deepEqual(misfits(marketOffer(), query({ gpuRamGb: { min: 24, max: 24 } })), []);
    assert.deepEqual(misfits(marketOffer({ gpuCount: 2 }), query({ gpuTotalRamGb: { min: 48 } })), []);
    assert.deepEqual(misfits(marketOffer(), query({ gpuTotalRamGb: { min: 48 } })), ['gpuTotalRamGb']);
  });

  it('counts the price with the disk, and the bid where the offer is interruptible', () => {
    const filters: Filters = { pricePerHour: { max: 0.404 } };
    assert.deepEqual(misfits(marketOffer(), query(filters)), ['pricePerHour']);
    assert.deepEqual(misfits(marketOffer(), query(filters, { rentalType: 'interruptible' })), []);
    assert.deepEqual(misfits(marketOffer(), query({ pricePerHour: { max: 0.405 } })), []);
  });

  it('gives what is not stated the benefit of the doubt, but not a price', () => {
    const bare: Offer = { id: 1 };
    const filters: Filters = {
      gpu: { oneOf: ['RTX 3090'] },
      cuda: { min: 12 },
      verified: true,
      pricePerHour: { max: 1 },
    };
    assert.deepEqual(misfits(bare, query(filters)), ['pricePerHour']);
  });

  it('forgives what a change of units costs', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000 }), (share) => {
        const offer = marketOffer({ reliability: share / 10_000 });
        assert.deepEqual(misfits(offer, query({ reliability: { min: share / 100, max: share / 100 } })), []);
      }),
    );
  });

  it('looks for words in the rows', () => {
    const offers = [marketOffer(), marketOffer({ id: 2, cpuName: 'AMD EPYC 7543' })];
    assert.deepEqual(
      fitting(offers, query({}), ['EPYC']).map(({ id }) => id),
      [2],
    );
  });
});

const range = fc
  .tuple(
    fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
    fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
  )
  .map(([min, max]) => ({ ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }));
const names = fc.subarray(['RTX 4090', 'RTX 3090', 'H100 SXM']);
const anyFilters: fc.Arbitrary<Filters> = fc.record(
  {
    gpuCount: range,
    cuda: range,
    gpu: fc.record({ oneOf: names, noneOf: names }, { requiredKeys: [] }),
    verified: fc.boolean(),
    external: fc.boolean(),
    gpuWatts: range,
  },
  { requiredKeys: [] },
);
const anyOffer: fc.Arbitrary<Offer> = fc.record({
  id: fc.integer({ min: 1, max: 1e6 }),
  gpuCount: fc.integer({ min: 0, max: 30 }),
  cudaVersion: fc.integer({ min: 0, max: 30 }),
  gpuName: fc.constantFrom('RTX 4090', 'RTX 3090', 'H100 SXM'),
  verified: fc.boolean(),
});

describe('narrowing', () => {
  it('never loses an offer that the service would have sent', () => {
    fc.assert(
      fc.property(anyFilters, anyFilters, fc.array(anyOffer, { maxLength: 20 }), (from, more, market) => {
        const to = { ...from, ...more };
        if (!narrows(query(from), query(to))) {
          return;
        }
        const answer = fitting(market, query(from));
        assert.deepEqual(fitting(answer, query(to)), fitting(market, query(to)));
      }),
      { numRuns: sized(300, 5_000) },
    );
  });

  it('is seen where a filter is added or tightened', () => {
    assert.ok(narrows(query({}), query({ gpu: { oneOf: ['RTX 4090'] } })));
    assert.ok(narrows(query({ cuda: { min: 11 } }), query({ cuda: { min: 12, max: 13 } })));
    assert.ok(narrows(query({ gpu: { oneOf: ['A', 'B'] } }), query({ gpu: { oneOf: ['A'] } })));
    assert.ok(narrows(query({}, { sort: 'best' }), query({}, { sort: 'price' })));
  });

  it('is not if a filter is loosened, or can’t be checked here', () => {
    assert.ok(!narrows(query({ cuda: { min: 12 } }), query({ cuda: { min: 11 } })));
    assert.ok(!narrows(query({ gpu: { oneOf: ['A'] } }), query({})));
    assert.ok(!narrows(query({}), query({ gpuWatts: { min: 300 } })));
    assert.ok(!narrows(query({}), query({ external: false })));
    assert.ok(!narrows(query({}), query({}, { rentalType: 'interruptible' })));
    assert.ok(!narrows(query({}), query({}, { diskGb: 100 })));
  });
});

describe('the orders', () => {
  const cheap = marketOffer({
    id: 1,
    gpuPerHour: fromDollars(0.1),
    totalPerHour: fromDollars(0.1042),
    countryCode: 'JP',
  });
  const big = marketOffer({ id: 2, gpuRamMb: 81_559, countryCode: 'DE', dlperfPerDollar: 500 });
  const sure = marketOffer({ id: 3, reliability: 0.9999, score: 200, countryCode: 'FR' });
  const ids = (sort: MarketQuery['sort']) =>
    sorted([cheap, big, sure], query({}, { sort })).map(({ id }) => id);

  it('put first what they name', () => {
    assert.deepEqual(ids('price'), [1, 2, 3]);
    assert.deepEqual(ids('value'), [2, 1, 3]);
    assert.deepEqual(ids('reliability'), [3, 1, 2]);
    assert.deepEqual(ids('memory'), [2, 1, 3]);
    assert.deepEqual(ids('best'), [3, 1, 2]);
  });

  it('put what lacks the value last, and keep equals in their order', () => {
    const unknown = lacking(marketOffer({ id: 9 }), 'reliability');
    const rows = sorted([unknown, cheap, big], query({}, { sort: 'reliability' }));
    assert.deepEqual(
      rows.map(({ id }) => id),
      [1, 2, 9],
    );
  });

  it('look at each of thousands a few times only', () => {
    let checks = 0;
    const watched = { get: (offer: Offer, name: keyof Offer) => ((checks += 1), offer[name]) };
    const many = Array.from(
      { length: 5000 },
      (_, id) =>
        new Proxy(marketOffer({ id: id + 1, score: (id * 7919) % 5000 }), watched as ProxyHandler<Offer>),
    );
    sorted(fitting(many, query({ gpuRamGb: { min: 24 } })), query({}, { sort: 'price' }));
    assert.ok(checks > 0 && checks < 20 * many.length, `${checks} looks`);
  });
});
