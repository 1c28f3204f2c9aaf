import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import { toOfferSearch } from '../../../../src/model/offers/marketQuery';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import {
  forgetMatchMs,
  matchesAfter,
  readPriceLimit,
  watchedSearch,
  type SearchWatch,
} from '../../../../src/model/offers/searchWatch';
import { marketOffer } from '../../../support/marketOffer';

const watch: SearchWatch = {
  id: '00000001',
  name: 'cheap',
  query: { ...defaultQuery, filters: { gpu: { oneOf: ['RTX 4090'] } } },
  maxPerHour: fromDollars(0.5),
  createdAt: 0,
};
const cheap = marketOffer({ id: 1, machineId: 10 });
const dear = marketOffer({
  id: 2,
  machineId: 20,
  gpuPerHour: fromDollars(0.5),
  totalPerHour: fromDollars(0.505),
});

describe('a watched search', () => {
  it('asks for the cheapest below its price, the other filters kept', () => {
    const search = toOfferSearch(watchedSearch(watch));
    assert.deepEqual(search.filters, { gpu_name: { eq: 'RTX 4090' }, dph_total: { lte: 0.5 } });
    assert.deepEqual(search.order, [['dph_total', 'asc']]);
  });

  it('keeps a lower price that the search has, and replaces a higher one', () => {
    const query = { ...watch.query, filters: { pricePerHour: { min: 0.1, max: 9 } } };
    assert.deepEqual(watchedSearch({ ...watch, query }).filters.pricePerHour, { min: 0.1, max: 0.5 });
  });

  it('checks the answer again, the price of the disk and the taken ones included', () => {
    const taken = marketOffer({ id: 3, machineId: 30, rentable: false });
    const other = marketOffer({ id: 4, machineId: 40, gpuName: 'RTX 3090' });
    const { matches, offers } = matchesAfter(watch, [], [cheap, dear, taken, other], 1000);
    assert.deepEqual(
      offers.map(({ id }) => id),
      [1],
    );
    assert.deepEqual(matches, [{ key: 'machine 10 1', offerId: 1, firstSeenAt: 1000, lastSeenAt: 1000 }]);
  });

  it('recognizes a machine that returns under another offer id', () => {
    const first = matchesAfter(watch, [], [cheap], 1000);
    const second = matchesAfter(watch, first.matches, [{ ...cheap, id: 99 }], 2000);
    assert.deepEqual(second.matches, [
      { key: 'machine 10 1', offerId: 99, firstSeenAt: 1000, lastSeenAt: 2000 },
    ]);
  });

  it('treats one that was missing for a moment as known, and one that was away for long as new', () => {
    const first = matchesAfter(watch, [], [cheap], 0);
    const away = matchesAfter(watch, first.matches, [], 60_000);
    assert.equal(away.matches.length, 1);
    const soon = matchesAfter(watch, away.matches, [cheap], 120_000);
    assert.equal(soon.matches[0]?.firstSeenAt, 0);
    const late = matchesAfter(watch, away.matches, [], forgetMatchMs + 1);
    assert.deepEqual(late.matches, []);
    const back = matchesAfter(watch, late.matches, [cheap], forgetMatchMs + 2);
    assert.equal(back.matches[0]?.firstSeenAt, forgetMatchMs + 2);
  });

  it('reads a price as people type it', () => {
    const typed = ['0.4', '$0,40', ' .5 ', '2/h', '0', '-1', 'cheap', '', '1e3', '99999'];
    assert.deepEqual(typed.map(readPriceLimit), [
      0.4,
      0.4,
      0.5,
      2,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
