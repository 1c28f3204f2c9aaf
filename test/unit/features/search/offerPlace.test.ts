import assert from 'node:assert/strict';
import { OfferPlace } from '../../../../src/features/search/offerPlace';

describe('the place in the list of offers', () => {
  const rows = ['filters', 'offer:1', 'offer:2', undefined];

  it('is the first offer, until the user moves', () => {
    const place = new OfferPlace();
    place.made(rows, 'offer:1');
    assert.equal(place.active, 'offer:1');
    place.moved('offer:2');
    place.made(rows, 'offer:1');
    assert.equal(place.active, 'offer:2');
  });

  it('follows the first offer of another order where the user stayed on the first', () => {
    const place = new OfferPlace();
    place.made(rows, 'offer:1');
    place.moved('offer:1');
    place.made(rows, 'offer:2');
    assert.equal(place.active, 'offer:2');
  });

  it('is the first offer again once the selected note is gone', () => {
    const place = new OfferPlace();
    place.made(['filters', 'busy'], undefined);
    place.moved('busy');
    place.made(rows, 'offer:1');
    assert.equal(place.active, 'offer:1');
    place.made([...rows, 'busy'], 'offer:1');
    assert.equal(place.active, 'offer:1');
  });

  it('is the first of the further offers after they were asked for', () => {
    const place = new OfferPlace();
    place.made(['filters', 'waits', 'offer:1', 'offer:2', 'more'], 'offer:1');
    place.moved('more');
    place.made(['filters', 'offer:1', 'offer:2', 'offer:3', 'offer:4'], 'offer:1');
    assert.equal(place.active, 'offer:3');
  });

  it('returns with an offer that was missing for a while', () => {
    const place = new OfferPlace('offer:2');
    place.made(['filters', 'offer:1'], 'offer:1');
    assert.equal(place.active, 'offer:1');
    place.moved('offer:1');
    place.made(rows, 'offer:1');
    assert.equal(place.active, 'offer:2');
  });

  it('is forgotten for another line', () => {
    const place = new OfferPlace('offer:2');
    place.reset();
    place.made(rows, 'offer:1');
    assert.equal(place.active, 'offer:1');
  });
});
