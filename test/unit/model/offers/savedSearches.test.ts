import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { MarketQuery } from '../../../../src/model/offers/marketQuery';
import {
  defaultQuery,
  mostRecentSearches,
  readQuery,
  readRecentSearches,
  readSavedSearches,
  searchKey,
  withoutSavedSearch,
  withRecentSearch,
  withRenamedSearch,
  withSavedSearch,
} from '../../../../src/model/offers/savedSearches';

const query: MarketQuery = {
  filters: { gpu: { oneOf: ['RTX 4090'] }, gpuRamGb: { min: 24 }, verified: true },
  rentalType: 'interruptible',
  sort: 'reliability',
  diskGb: 40,
};

describe('saved searches', () => {
  it('are read as they were written', () => {
    assert.deepEqual(readQuery(JSON.parse(JSON.stringify(query))), query);
    assert.deepEqual(readSavedSearches(withSavedSearch({}, 'mine', query)), [{ name: 'mine', query }]);
  });

  it('are added, replaced and removed by name, and entries of other versions stay', () => {
    const setting = withSavedSearch({ later: 'something' }, 'b', query);
    const two = withSavedSearch(setting, 'a', defaultQuery);
    assert.deepEqual(
      readSavedSearches(two).map(({ name }) => name),
      ['a', 'b'],
    );
    const replaced = withSavedSearch(two, 'b', defaultQuery);
    assert.deepEqual(readSavedSearches(replaced)[1]?.query, defaultQuery);
    assert.deepEqual(withoutSavedSearch(replaced, 'b'), { later: 'something', a: defaultQuery });
  });

  it('leave out what this version does not know, and keep the rest', () => {
    assert.deepEqual(
      readQuery({
        filters: {
          gpuRamGb: { min: '24' },
          cuda: { min: 12 },
          verified: 'yes',
          newField: { min: 1 },
          gpu: { oneOf: 'x' },
        },
        sort: 'distance',
      }),
      { filters: { cuda: { min: 12 } }, rentalType: 'on-demand', sort: 'best', diskGb: 20 },
    );
  });

  it('never throw, for any settings', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        readQuery(value);
        readSavedSearches(value);
        readRecentSearches(value);
        withSavedSearch(value, 'x', query);
      }),
    );
  });
});

describe('recent searches', () => {
  it('have the last first, each once, and only some', () => {
    const queries = Array.from({ length: 12 }, (_, index) => ({ ...query, diskGb: index + 10 }));
    const recent = queries.reduce<readonly MarketQuery[]>(withRecentSearch, []);
    assert.equal(recent.length, mostRecentSearches);
    assert.equal(recent[0]?.diskGb, 21);
    const again = withRecentSearch(recent, { ...query, diskGb: 18 });
    assert.equal(again.length, mostRecentSearches);
    assert.equal(again[0]?.diskGb, 18);
  });

  it('are the same in any order of their members', () => {
    const { filters, ...others } = query;
    assert.equal(searchKey({ ...others, filters }), searchKey(query));
    assert.notEqual(searchKey({ ...query, sort: 'price' }), searchKey(query));
  });
});

describe('the filters that a template added', () => {
  it('are kept neither with a saved search nor with a recent one', () => {
    const query = { ...defaultQuery, extraFilters: { compute_cap: { gte: 890 } } };
    assert.deepEqual(withSavedSearch({}, 'a', query), { a: defaultQuery });
    assert.deepEqual(withRecentSearch([defaultQuery], query), [defaultQuery]);
  });
});

describe('renaming a saved search', () => {
  it('keeps the search, replaces one with that name, and leaves the others', () => {
    const setting = { a: { sort: 'price' }, b: { sort: 'value' }, c: 7 };
    assert.deepEqual(withRenamedSearch(setting, 'a', 'd'), {
      b: { sort: 'value' },
      c: 7,
      d: { sort: 'price' },
    });
    assert.deepEqual(withRenamedSearch(setting, 'a', 'b'), { b: { sort: 'price' }, c: 7 });
    assert.deepEqual(withRenamedSearch(setting, 'a', 'a'), setting);
    assert.deepEqual(withRenamedSearch(setting, 'gone', 'd'), setting);
  });
});
