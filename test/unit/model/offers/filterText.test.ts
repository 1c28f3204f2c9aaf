import assert from 'node:assert/strict';
import { describeFilters, filterValueText } from '../../../../src/model/offers/filterText';
import type { Filters } from '../../../../src/model/offers/searchFields';
import { formatText } from '../../../../src/util/text';

const words = (filters: Filters) => describeFilters(filters).map((one) => formatText(one));

describe('filters in words', () => {
  it('name a flag alone where it is wanted, and say that it is not wanted', () => {
    assert.deepEqual(words({ verified: true }), ['Verified by the service']);
    assert.deepEqual(words({ verified: false }), ['Verified by the service: no']);
    assert.equal(formatText(filterValueText('verified', {})), 'any');
  });

  it('come in the order of the fields, whatever the order in which they were set', () => {
    const filters: Filters = { verified: true, gpuCount: { min: 2, max: 2 }, gpu: { oneOf: ['RTX 4090'] } };
    assert.deepEqual(words(filters), ['GPU: RTX 4090', 'GPUs: 2', 'Verified by the service']);
  });
});
