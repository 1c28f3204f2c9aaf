import assert from 'node:assert/strict';
import { placeText } from '../../../../src/model/offers/places';

describe('places', () => {
  it('says where a machine is without saying it twice', () => {
    assert.deepEqual(
      ['Sweden, SE', ', US', 'US', 'Texas, US', 'Quebec, CA', 'Sweden', 'Atlantis, XX', ''].map(placeText),
      ['Sweden', 'United States', 'United States', 'Texas, US', 'Quebec, CA', 'Sweden', 'Atlantis, XX', ''],
    );
  });
});
