import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import { nextBest, priceToPay } from '../../../../src/model/offers/nextBest';
import { lacking, marketOffer } from '../../../support/marketOffer';

describe('an offer that replaces an interruptible machine', () => {
  const needs = {
    rentalType: 'interruptible' as const,
    priceLimit: fromDollars(0.3),
    bidPerHour: fromDollars(0.25),
    diskGb: 720,
    avoidMachines: new Set<number>(),
  };
  // 720 GB at $0.15 a GB and month are $0.15 an hour.
  const roomy = marketOffer({ diskSpaceGb: 1000 });
  const diskPerHour = fromDollars(0.15);

  it('costs the bid and the disk, however the service states the disk', () => {
    const gpu = fromDollars(0.2);
    const both = { ...roomy, gpuPerHour: gpu, totalPerHour: fromDollars(0.35) };
    for (const offer of [
      both,
      lacking(both, 'storagePerGbMonth'),
      lacking(both, 'totalPerHour'),
      lacking(both, 'gpuPerHour'),
      // The price on demand beside a total by the bid.
      { ...both, gpuPerHour: fromDollars(0.9) },
    ]) {
      assert.equal(priceToPay(offer, needs), needs.bidPerHour + diskPerHour);
      assert.deepEqual(nextBest([offer], needs), []);
      assert.deepEqual(nextBest([offer], { ...needs, priceLimit: fromDollars(0.4) }), [offer]);
    }
  });

  it('is none where nothing states what the disk costs', () => {
    const silent = lacking(roomy, 'storagePerGbMonth', 'totalPerHour');
    assert.equal(priceToPay(silent, needs), undefined);
    assert.deepEqual(nextBest([silent], { ...needs, priceLimit: fromDollars(9) }), []);
  });
});
