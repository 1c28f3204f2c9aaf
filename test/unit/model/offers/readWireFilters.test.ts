import assert from 'node:assert/strict';
import fc from 'fast-check';
import { wireFilters } from '../../../../src/model/offers/marketQuery';
import { readWireFilters } from '../../../../src/model/offers/readWireFilters';
import type { Filters } from '../../../../src/model/offers/searchFields';

describe('filters in wire form', () => {
  it("are read in people's units", () => {
    assert.deepEqual(
      readWireFilters({
        gpu_name: { in: ['RTX_4090', 'RTX 3090'] },
        gpu_ram: { gte: 24_000 },
        num_gpus: { eq: 2 },
        reliability: { gte: 0.98 },
        dph_total: { lte: 0.8 },
        geolocation: { notin: ['US'] },
        verified: { eq: true },
        datacenter: { eq: 'true' },
        duration: { gte: 604_800 },
        driver_version: { gte: 550_000_000 },
      }),
      {
        filters: {
          gpu: { oneOf: ['RTX 4090', 'RTX 3090'] },
          gpuRamGb: { min: 24 },
          gpuCount: { min: 2, max: 2 },
          reliability: { min: 98 },
          pricePerHour: { max: 0.8 },
          country: { noneOf: ['US'] },
          verified: true,
          datacenter: true,
          days: { min: 7 },
          driver: { min: 550 },
        },
        extraFilters: {},
      },
    );
  });

  it('keep what people have no words for', () => {
    const wire = {
      cuda_max_good: { gt: 12 },
      unknown_field: { eq: 1 },
      verified: { neq: true },
      gpu_name: { gte: 'A' },
      num_gpus: { in: [1, 2] },
    };
    assert.deepEqual(readWireFilters(wire), { filters: {}, extraFilters: wire });
    assert.deepEqual(readWireFilters(undefined), { filters: {}, extraFilters: {} });
  });

  it('are read as they were sent', () => {
    const bound = fc.integer({ min: 1, max: 1000 }).map((value) => value / 4);
    const range = fc.tuple(bound, bound).map(([a, b]) => ({ min: Math.min(a, b), max: Math.max(a, b) }));
    const filters: fc.Arbitrary<Filters> = fc.record(
      {
        pricePerHour: range,
        reliability: range,
        days: range,
        computeCapability: range,
        gpuRamGb: fc.constantFrom({ min: 24 }, { min: 16, max: 80 }, { max: 48 }),
        gpu: fc.constantFrom({ oneOf: ['RTX 4090'] }, { oneOf: ['A', 'B'] }, { noneOf: ['X'] }),
        machine: fc.constantFrom({ oneOf: ['12'] }, { oneOf: ['1', '2'] }),
        verified: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(filters, (chosen) => {
        const wire = wireFilters(chosen);
        const { filters: read, extraFilters } = readWireFilters(wire);
        assert.deepEqual(extraFilters, {});
        assert.deepEqual(wireFilters(read), wire);
      }),
    );
  });
});
