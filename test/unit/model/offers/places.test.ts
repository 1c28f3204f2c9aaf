import assert from 'node:assert/strict';
import { countries, findPlaces, placeText } from '../../../../src/model/offers/places';

describe('places', () => {
  it('knows each country by its code and its name, and none twice', () => {
    assert.equal(new Set(countries.map(({ code }) => code)).size, countries.length);
    assert.equal(new Set(countries.map(({ name }) => name)).size, countries.length);
    assert.deepEqual(
      ['sweden', 'se', 'South Korea', 'new-zealand', 'uk', 'Hong Kong', 'cu', 'Atlantis'].map(findPlaces),
      [['SE'], ['SE'], ['KR'], ['NZ'], ['GB'], ['HK'], [], []],
    );
  });

  it('names a place once', () => {
    assert.deepEqual(
      ['Sweden, SE', ', US', 'US', 'Texas, US', 'Quebec, CA', 'Sweden', 'Atlantis, XX', ''].map(placeText),
      ['Sweden', 'United States', 'United States', 'Texas, US', 'Quebec, CA', 'Sweden', 'Atlantis, XX', ''],
    );
  });
});
