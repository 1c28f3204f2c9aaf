import assert from 'node:assert/strict';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import { RecentSearches } from '../../../../src/store/offers/recentSearches';

describe('The searches of before', () => {
  function open(values = new Map<string, unknown>()) {
    const update = (key: string, value: unknown) => Promise.resolve(void values.set(key, value));
    return { values, searches: new RecentSearches({ get: (key) => values.get(key), update }) };
  }
  const query = { ...defaultQuery, diskGb: 50 };

  it('are none at first, and all of our filters are proposals', () => {
    const { searches } = open();
    assert.deepEqual(
      [searches.last, searches.recent, searches.proposed],
      [undefined, [], ['gpuCount', 'pricePerHour']],
    );
  });

  it('are the last one, without the filters of a template, with what was only proposed', async () => {
    const { searches, values } = open();
    await searches.keepLast({ ...query, extraFilters: { gpu_ram: { gte: 1 } } }, ['gpuCount']);
    const { searches: later } = open(values);
    assert.deepEqual([later.last, later.proposed], [query, ['gpuCount']]);
    await later.keepLast(query, []);
    assert.deepEqual([later.proposed, later.recent], [[], []]);
  });

  it('propose nothing where what was kept is not understood', () => {
    const { searches } = open(new Map([['gpuRental.search.last', { ...query, proposed: ['unknown'] }]]));
    assert.deepEqual([searches.last, searches.proposed], [query, []]);
  });

  it('are those from which an offer was chosen, the latest first and each once', async () => {
    const { searches } = open();
    for (const one of [query, defaultQuery, query]) {
      await searches.keepRecent(one);
    }
    assert.deepEqual([searches.recent, searches.last], [[query, defaultQuery], undefined]);
  });
});
