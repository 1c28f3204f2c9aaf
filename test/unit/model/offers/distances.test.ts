import assert from 'node:assert/strict';
import { countryCodes, distanceKm, isNearPlace, usStates } from '../../../../src/model/offers/distances';
import { nearPlaces } from '../../../../src/model/offers/places';

describe('the distance of an offer', () => {
  const between = (from: string, to: string) => Math.round((distanceKm(from, to) ?? NaN) / 100) * 100;

  it('is from the middle of one place to that of the other, whichever comes first', () => {
    assert.equal(between('SE', 'Norway, NO'), 300);
    assert.equal(between('NO', 'Sweden, SE'), 300);
    assert.equal(between('GB', 'New Zealand, NZ'), 18_500);
    assert.equal(distanceKm('SE', 'Sweden, SE'), 0);
    assert.equal(distanceKm('SE', 'SE'), 0);
  });

  it('is that of the state in the US, where it is stated', () => {
    assert.equal(between('California, US', 'Texas, US'), 2000);
    assert.equal(distanceKm('California, US', 'California, US'), 0);
    assert.ok(between('CA', 'Washington, US') < between('CA', 'Florida, US'));
    assert.equal(distanceKm('Georgia, US', 'GE') === distanceKm('US', 'GE'), false);
    assert.equal(distanceKm('SE', ', US'), distanceKm('SE', 'US'));
    assert.equal(distanceKm('SE', 'Somewhere, US'), distanceKm('SE', 'US'));
  });

  it('is unknown for a place that is unknown', () => {
    assert.deepEqual(
      [distanceKm('SE', 'Atlantis, XX'), distanceKm('', 'SE'), distanceKm('Sweden', 'SE')],
      [undefined, undefined, undefined],
    );
    assert.deepEqual(['SE', 'Texas, US', 'XX', ''].map(isNearPlace), [true, true, false, false]);
  });

  it('can be measured from each country and state, each once', () => {
    assert.deepEqual([countryCodes.length, usStates.length], [84, 51]);
    assert.equal(new Set(nearPlaces).size, nearPlaces.length);
    assert.deepEqual(
      nearPlaces.filter((place) => !Number.isFinite(distanceKm(place, 'US'))),
      [],
    );
  });
});
