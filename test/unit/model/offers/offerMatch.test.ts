import assert from 'node:assert/strict';
import { cleanWireFilters } from '../../../../src/model/offers/filters';
import { toOfferSearch } from '../../../../src/model/offers/marketQuery';
import { wireMisfits } from '../../../../src/model/offers/offerMatch';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import { marketOffer } from '../../../support/marketOffer';

describe('filters of a template', () => {
  it("lose to a person's, field by field", () => {
    assert.deepEqual(
      toOfferSearch({
        ...defaultQuery,
        filters: { gpuCount: { min: 1, max: 1 }, verified: true },
        extraFilters: { gpu_name: { eq: 'RTX 3090' }, num_gpus: { gte: 2, lte: 4 } },
      }).filters,
      { gpu_name: { eq: 'RTX 3090' }, num_gpus: { eq: 1 }, verified: { eq: true } },
    );
  });

  it('are only comparisons', () => {
    assert.deepEqual(
      cleanWireFilters({
        a: { eq: 1, nonsense: 2 },
        b: { in: ['x', 2, true] },
        c: { eq: { deep: 1 } },
        d: {},
      }),
      { a: { eq: 1 }, b: { in: ['x', 2, true] } },
    );
    assert.deepEqual(cleanWireFilters(undefined), {});
  });

  const offer = marketOffer();
  const cases: readonly (readonly [
    filters: Parameters<typeof wireMisfits>[1],
    misfits: readonly string[],
  ])[] = [
    [undefined, []],
    [{ gpu_name: { eq: 'RTX_4090' } }, []],
    [{ gpu_name: { in: ['RTX 3090', 'RTX 4090'] } }, []],
    [{ gpu_name: { neq: 'RTX 4090' } }, ['gpu']],
    [{ gpu_name: { notin: ['RTX 4090'] } }, ['gpu']],
    [{ gpu_ram: { gte: 24_000 } }, []],
    [{ gpu_ram: { gt: 24_564 } }, ['gpuRamGb']],
    [{ num_gpus: { gte: '2' } }, ['gpuCount']],
    [{ num_gpus: { lt: 2, gt: 0 } }, []],
    [{ verified: { eq: 'true' } }, []],
    [{ datacenter: { eq: true } }, ['datacenter']],
    [{ geolocation: { in: ['US', 'SE'] } }, []],
    [{ geolocation: { notin: ['SE'] } }, ['country']],
    [{ compute_cap: { gte: 900 } }, ['computeCapability']],
    [{ cpu_ram: { gte: 64_000 } }, []],
    [{ reliability: { gte: 0.998 } }, ['reliability']],
    [{ something_else: { eq: 1 } }, []],
    [{ pci_gen: { gte: 4 } }, []],
  ];
  for (const [filters, expected] of cases) {
    it(`are checked on an offer: ${JSON.stringify(filters)}`, () => {
      assert.deepEqual(wireMisfits(offer, filters), expected);
    });
  }
});
