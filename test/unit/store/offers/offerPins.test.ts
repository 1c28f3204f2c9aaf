import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import { mostPins, OfferPins } from '../../../../src/store/offers/offerPins';
import { marketOffer } from '../../../support/marketOffer';

const origin = { title: 'Rent', query: defaultQuery };
const offer = (id: number) => marketOffer({ id });

describe('The pinned offers', () => {
  function open(...ids: readonly number[]) {
    const pins = new OfferPins();
    for (const id of ids) {
      pins.pin({ offer: offer(id), origin });
    }
    const events: (readonly number[])[] = [];
    pins.onDidChange((list) => events.push(list.map((pin) => pin.offer.id)));
    return { pins, events, ids: () => pins.pins.map((pin) => pin.offer.id) };
  }

  it('are four at most, each of them once, and every change is reported', () => {
    const { pins, events, ids } = open();
    for (const id of [1, 2, 3, 4]) {
      assert.equal(pins.pin({ offer: offer(id), origin }), true, String(id));
    }
    assert.equal(mostPins, 4);
    assert.equal(pins.pin({ offer: offer(5), origin }), false, 'there is no room');
    assert.equal(pins.pin({ offer: offer(4), origin }), true, 'it is there already');
    assert.deepEqual(ids(), [1, 2, 3, 4]);
    assert.deepEqual(events, [[1], [1, 2], [1, 2, 3], [1, 2, 3, 4]]);
    assert.deepEqual([pins.find(3)?.offer.id, pins.find(5)], [3, undefined]);
  });

  it('are let go one by one or all at once, and none twice', () => {
    const { pins, events, ids } = open(1, 2, 3);
    pins.unpin(2);
    assert.deepEqual(ids(), [1, 3]);
    pins.clear();
    pins.clear();
    assert.deepEqual([ids(), events], [[], [[1, 3], []]]);
  });

  it('keep the offer as it was pinned beside the one that was read since', () => {
    const { pins, events } = open(1, 2);
    pins.update([marketOffer({ id: 1, gpuPerHour: fromDollars(0.9) })]);
    assert.deepEqual(
      pins.pins.map((pin) => [pin.first.gpuPerHour, pin.offer.gpuPerHour, pin.origin]),
      [
        [fromDollars(0.4), fromDollars(0.9), origin],
        [fromDollars(0.4), fromDollars(0.4), origin],
      ],
    );
    assert.deepEqual(events, [[1, 2]]);
  });
});
