import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import type { OfferSearch } from '../../../../src/model/offers/filters';
import type { Account } from '../../../../src/store/accounts/accounts';
import type { Rental } from '../../../../src/store/rentals/rentalStore';
import { candidates, needsOf } from '../../../../src/store/rentals/replacementOffers';
import { anOffer } from '../../../support/builders';
import { FakeService } from '../../../support/fakeService';
import { anySearch } from '../../../support/rentalRequest';

const rental = {
  rentalType: 'on-demand',
  priceLimit: fromDollars(0.5),
  offer: anOffer(),
  search: { ...anySearch, filters: { gpu_name: { eq: 'RTX 4090' } } },
} as unknown as Rental;

describe('The offers for a replacement', () => {
  /** What is searched for and taken of these offers. */
  async function search(diskGb: number | undefined, offerId?: number, offers = [anOffer({ machineId: 9 })]) {
    const { client } = new FakeService();
    const asked: OfferSearch[] = [];
    client.offers.search = (one) => {
      asked.push(one);
      return Promise.resolve({ items: offers, skipped: 0 });
    };
    const config = { image: 'i', ...(diskGb === undefined ? {} : { diskGb }) };
    const needs = needsOf(rental, config, [], undefined);
    const account = { client } as unknown as Account;
    const found = await candidates(account, rental, needs, undefined, offerId);
    return { asked, found: found.map(({ id }) => id) };
  }

  it('are searched for with the disk of the rental, where it has one', async () => {
    const [plain, sized] = [await search(undefined), await search(80)];
    assert.deepEqual(plain.asked, [rental.search]);
    assert.deepEqual(sized.asked, [{ ...rental.search, allocatedStorageGb: 80 }]);
    assert.deepEqual([plain.found, sized.found], [[9001], [9001]]);
  });

  it('are one alone where that is asked for, and only if it still fits', async () => {
    const offers = [anOffer({ id: 1, machineId: 9 }), anOffer({ id: 2, machineId: 10 })];
    const { asked, found } = await search(undefined, 2, offers);
    assert.deepEqual([asked[0]?.filters, found], [{ id: { eq: 2 } }, [2]]);
    const other = [anOffer({ id: 2, machineId: 10, gpuName: 'RTX 3090' })];
    assert.deepEqual((await search(undefined, 2, other)).found, []);
  });

  it('are not of the machine itself, nor of one that failed, nor dearer than is left of a limit', () => {
    const config = { image: 'i' };
    const failed = { machineId: 7 } as Parameters<typeof needsOf>[2][number];
    const needs = (room?: number) => {
      const limit = room === undefined ? undefined : fromDollars(room);
      const { avoidMachines, priceLimit } = needsOf(rental, config, [failed], limit);
      return [[...avoidMachines].sort(), priceLimit];
    };
    assert.deepEqual(needs(), [[178, 7].sort(), fromDollars(0.5)]);
    assert.deepEqual([needs(0.4)[1], needs(0.6)[1]], [fromDollars(0.4), fromDollars(0.5)]);
  });
});
