import assert from 'node:assert/strict';
import { describeFilters, filterValueText, numberText } from '../../../../src/model/offers/filterText';
import { findPlaces } from '../../../../src/model/offers/places';
import type { Filters } from '../../../../src/model/offers/searchFields';
import { formatText } from '../../../../src/util/text';

const words = (filters: Filters) => describeFilters(filters).map((one) => formatText(one));

describe('filters in words', () => {
  it('name a flag alone if it is wanted, and show that it is not wanted', () => {
    assert.deepEqual(words({ verified: true }), ['Verified by the service']);
    assert.deepEqual(words({ verified: false }), ['Verified by the service: No']);
    assert.equal(formatText(filterValueText('verified', {})), 'Any');
  });

  it('are in the order of the fields, not in the order in which they were set', () => {
    const filters: Filters = { verified: true, gpuCount: { min: 2, max: 2 }, gpu: { oneOf: ['RTX 4090'] } };
    assert.deepEqual(words(filters), ['GPU: RTX 4090', 'GPUs: 2', 'Verified by the service']);
  });
});

describe('places in a filter', () => {
  it('have the name of their region, or their own', () => {
    const place = (...oneOf: readonly string[]) =>
      formatText(filterValueText('country', { country: { oneOf } }));
    const typed = (name: string) => place(...findPlaces(name));
    assert.deepEqual(['eu', 'europe', 'na', 'south-america', 'nordics'].map(typed), [
      'European Union',
      'Europe',
      'North America',
      'South America',
      'Nordic countries',
    ]);
    assert.equal(place('SE', 'US'), 'Sweden, United States');
    assert.equal(
      formatText(filterValueText('country', { country: { noneOf: findPlaces('europe') } })),
      'not Europe',
    );
  });
});

describe('an amount of money in a filter', () => {
  it('has whole cents, for any binary fraction', () => {
    const amounts = [0.8, 1.1, 2.3, 0.57, 0.4166, 4].map((amount) => numberText(amount, '$'));
    assert.deepEqual(amounts, ['$0.80', '$1.10', '$2.30', '$0.57', '$0.4166', '$4.00']);
  });
});
