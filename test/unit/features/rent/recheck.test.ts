import assert from 'node:assert/strict';
import { findCopy, nextOffer, recheckOffer, type RecheckInput } from '../../../../src/features/rent/recheck';
import { fromDollars } from '../../../../src/model/money';
import type { OfferSearch } from '../../../../src/model/offers/filters';
import type { MarketQuery } from '../../../../src/model/offers/marketQuery';
import type { Offer } from '../../../../src/model/offers/offer';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import { quoteOffer } from '../../../../src/model/quote';
import { lacking, marketOffer } from '../../../support/marketOffer';

const offer = marketOffer();
const confirmed = quoteOffer(offer, { rentalType: 'on-demand', diskGb: 20, searchedDiskGb: 20 }).running;

function check(answers: readonly (readonly Offer[])[], changes: Partial<RecheckInput> = {}) {
  const searches: OfferSearch[] = [];
  const result = recheckOffer(
    (search) => {
      searches.push(search);
      return Promise.resolve({ items: answers[searches.length - 1] ?? [], skipped: 0 });
    },
    {
      offer,
      query: defaultQuery,
      choices: { source: { kind: 'image', image: 'ubuntu' } },
      confirmed,
      ...changes,
    },
  );
  return { result, searches };
}

describe('the offer at the click', () => {
  it('is read again by its number, with the disk that will be rented', async () => {
    const { result, searches } = check([[offer]], {
      choices: { source: { kind: 'image', image: 'ubuntu' }, diskGb: 64 },
    });
    await result;
    assert.deepEqual(
      searches.map(({ filters, allocatedStorageGb }) => ({ filters, allocatedStorageGb })),
      [{ filters: { id: { eq: 1001 } }, allocatedStorageGb: 64 }],
    );
  });

  it('is as confirmed, or cheaper', async () => {
    assert.deepEqual(await check([[offer]]).result, { kind: 'asConfirmed', offer });
    const cheaper = marketOffer({ gpuPerHour: fromDollars(0.3), totalPerHour: fromDollars(0.31) });
    assert.deepEqual(await check([[cheaper]]).result, { kind: 'asConfirmed', offer: cheaper });
  });

  it('is dearer, with both prices', async () => {
    const dearer = marketOffer({ gpuPerHour: fromDollars(0.5), totalPerHour: fromDollars(0.51) });
    assert.deepEqual(await check([[dearer]]).result, {
      kind: 'dearer',
      offer: dearer,
      before: 404_167,
      after: 510_000,
    });
  });

  it('asks for more than our bid if the least one has passed it', async () => {
    const raised = marketOffer({ minBidPerHour: fromDollars(0.3) });
    const { result } = check([[raised]], {
      query: { ...defaultQuery, rentalType: 'interruptible' },
      choices: { source: { kind: 'image', image: 'ubuntu' }, bidPerHour: fromDollars(0.25) },
    });
    assert.deepEqual(await result, {
      kind: 'bidTooLow',
      offer: raised,
      bid: fromDollars(0.25),
      least: fromDollars(0.3),
    });
  });

  it('is gone, and the next best of the same search is named', async () => {
    const next = marketOffer({ id: 2, score: 50 });
    const better = marketOffer({ id: 3, score: 90 });
    const unfit = marketOffer({ id: 4, score: 99, verified: false });
    const { result, searches } = check([[], [next, better, unfit]]);
    assert.deepEqual(await result, { kind: 'gone', next: better });
    assert.deepEqual(searches[1]?.filters['verified'], { eq: true });
  });

  it('is asked for, and its next best chosen, by the filters of a template, too', async () => {
    const extraFilters = { compute_cap: { gte: 890 }, verified: { eq: false } };
    const old = marketOffer({ id: 2, score: 99, computeCapability: 800 });
    const next = marketOffer({ id: 3, score: 50 });
    const { result, searches } = check([[], [old, next]], { query: { ...defaultQuery, extraFilters } });
    assert.deepEqual(await result, { kind: 'gone', next });
    assert.deepEqual(searches[1]?.filters['compute_cap'], { gte: 890 });
    assert.deepEqual(searches[1].filters['verified'], { eq: true });
    const refused = await nextOffer(() => Promise.resolve({ items: [old, next], skipped: 0 }), {
      offer,
      query: { ...defaultQuery, extraFilters },
      choices: { source: { kind: 'image', image: 'ubuntu' } },
    });
    assert.equal(refused, next);
  });

  it('is confirmed again if the service states no price any more, or does only now', async () => {
    const unpriced = lacking(offer, 'totalPerHour', 'gpuPerHour');
    assert.deepEqual(await check([[unpriced]]).result, { kind: 'repriced', offer: unpriced });
    assert.deepEqual(await check([[offer]], { confirmed: undefined }).result, { kind: 'repriced', offer });
    assert.deepEqual(await check([[unpriced]], { confirmed: undefined }).result, {
      kind: 'asConfirmed',
      offer: unpriced,
    });
  });

  it('is confirmed again if the disk or the traffic costs more, at any price of the machine', async () => {
    const cheap = { gpuPerHour: fromDollars(0.3), totalPerHour: fromDollars(0.32) };
    const prices = { inetDownPerGb: fromDollars(0.01), inetUpPerGb: fromDollars(0.02) };
    const shown = marketOffer(prices);
    for (const dearer of [
      { storagePerGbMonth: fromDollars(0.5) },
      { inetDownPerGb: fromDollars(0.02) },
      { inetUpPerGb: fromDollars(0.03) },
    ]) {
      const found = marketOffer({ ...prices, ...cheap, ...dearer });
      assert.deepEqual(await check([[found]], { offer: shown }).result, { kind: 'repriced', offer: found });
    }
    const cheaper = marketOffer({ ...prices, ...cheap, storagePerGbMonth: fromDollars(0.1) });
    assert.equal((await check([[cheaper]], { offer: shown }).result).kind, 'asConfirmed');
    const stated = check([[shown]], { offer: lacking(shown, 'inetDownPerGb', 'inetUpPerGb') });
    assert.equal((await stated.result).kind, 'asConfirmed');
    const silent = lacking(shown, 'storagePerGbMonth');
    assert.equal((await check([[silent]], { offer: shown }).result).kind, 'repriced');
  });

  it('is gone, and there is no other', async () => {
    assert.deepEqual(await check([[], []]).result, { kind: 'gone' });
    assert.deepEqual(await check([[marketOffer({ rentable: false })], []]).result, { kind: 'gone' });
  });

  it('is found by a service that does not filter by number', async () => {
    const other = marketOffer({ id: 2 });
    assert.deepEqual(await check([[other], [other, offer]]).result, { kind: 'asConfirmed', offer });
  });

  it('is not named again as the next best after the service refused it', async () => {
    const other = marketOffer({ id: 2, score: 1 });
    const next = await nextOffer(() => Promise.resolve({ items: [offer, other], skipped: 0 }), {
      offer,
      query: defaultQuery,
      choices: { source: { kind: 'image', image: 'ubuntu' } },
    });
    assert.equal(next, other);
  });
});

describe('a further machine of the same kind', () => {
  const copyOf = (market: readonly Offer[], used: readonly number[]) =>
    findCopy(
      () => Promise.resolve({ items: market, skipped: 0 }),
      { offer, query: defaultQuery, choices: { source: { kind: 'image', image: 'ubuntu' } }, confirmed },
      new Set(used),
    );

  it('is the cheapest of the same GPU that costs no more, each once', async () => {
    const dearer = marketOffer({ id: 2, gpuPerHour: fromDollars(0.41), totalPerHour: fromDollars(0.42) });
    const same = marketOffer({ id: 3 });
    const cheaper = marketOffer({ id: 4, gpuPerHour: fromDollars(0.3), totalPerHour: fromDollars(0.31) });
    const otherGpu = marketOffer({ id: 5, gpuName: 'RTX 3090', totalPerHour: fromDollars(0.1) });
    const market = [dearer, same, cheaper, otherGpu, offer];
    assert.equal((await copyOf(market, [1001]))?.id, 4);
    assert.equal((await copyOf(market, [1001, 4]))?.id, 3);
    assert.equal(await copyOf(market, [1001, 4, 3]), undefined);
  });

  it('is on the machine of the volume, where one is attached', async () => {
    const elsewhere = marketOffer({ id: 3, machineId: 777 });
    const volume = { kind: 'link' as const, volumeId: 9, mountPath: '/data' };
    const copy = (market: readonly Offer[]) =>
      findCopy(
        () => Promise.resolve({ items: market, skipped: 0 }),
        {
          offer,
          query: defaultQuery,
          choices: { source: { kind: 'image', image: 'ubuntu' }, volume },
          confirmed,
        },
        new Set([1001]),
      );
    assert.equal(await copy([elsewhere]), undefined);
    assert.equal((await copy([elsewhere, marketOffer({ id: 4 })]))?.id, 4);
  });

  it('has no misfit that was not shown with the price', async () => {
    const old = marketOffer({ id: 3, cudaVersion: 12.2 });
    const choices = { source: { kind: 'image' as const, image: 'nvidia/cuda:12.8.0-base-ubuntu22.04' } };
    const copyLike = (shown: Offer) =>
      findCopy(
        () => Promise.resolve({ items: [old], skipped: 0 }),
        { offer: shown, query: defaultQuery, choices, confirmed },
        new Set([1001]),
      );
    assert.equal(await copyLike(offer), undefined);
    assert.equal((await copyLike(marketOffer({ cudaVersion: 12.4 })))?.id, 3);
  });

  it('fits the filters of a template, too', async () => {
    const market = [marketOffer({ id: 3, computeCapability: 800 })];
    const copy = (extraFilters: MarketQuery['extraFilters']) =>
      findCopy(
        () => Promise.resolve({ items: market, skipped: 0 }),
        {
          offer,
          query: { ...defaultQuery, extraFilters },
          choices: { source: { kind: 'image', image: 'ubuntu' } },
          confirmed,
        },
        new Set([1001]),
      );
    assert.equal((await copy({}))?.id, 3);
    assert.equal(await copy({ compute_cap: { gte: 890 } }), undefined);
  });
});
