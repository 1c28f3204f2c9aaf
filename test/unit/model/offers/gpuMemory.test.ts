import assert from 'node:assert/strict';
import fc from 'fast-check';
import { leastMbFor, mostMbFor, soldGpuGb } from '../../../../src/model/offers/gpuMemory';

describe('memory of a GPU', () => {
  it('is named as the card is sold', () => {
    const cards: readonly (readonly [mb: number, gb: number])[] = [
      [24_564, 24],
      [81_559, 80],
      [16_376, 16],
      [8192, 8],
      [10_018, 10],
      [11_019, 11],
      [11_264, 11],
      [12_053, 12],
      [12_288, 12],
      [15_360, 16],
      [22_528, 22],
      [23_028, 24],
      [23_034, 24],
      [24_268, 24],
      [24_576, 24],
      [32_607, 32],
      [40_536, 40],
      [40_960, 40],
      [46_068, 48],
      [49_140, 48],
      [95_830, 94],
      [97_887, 96],
      [143_771, 141],
      [183_359, 180],
      [196_592, 192],
    ];
    assert.deepEqual(
      cards.map(([mb]) => [mb, soldGpuGb(mb)]),
      cards,
    );
  });

  it('is filtered on the wire by the same rounding as it is shown', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 * 1024 }), fc.integer({ min: 1, max: 384 }), (mb, gb) => {
        assert.equal(mb >= leastMbFor(gb), soldGpuGb(mb) >= gb);
        assert.equal(mb <= mostMbFor(gb), soldGpuGb(mb) <= gb);
      }),
    );
  });

  it('grows with the megabytes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 * 1024 }), fc.nat({ max: 5000 }), (mb, more) => {
        assert.ok(soldGpuGb(mb + more) >= soldGpuGb(mb));
      }),
    );
  });

  it('finds a 24 GB card with a filter of 24 GB, and no 22 GB one', () => {
    assert.ok(leastMbFor(24) <= 23_028);
    assert.ok(leastMbFor(24) > 22_528);
  });
});
