import assert from 'node:assert/strict';
import fc from 'fast-check';
import { toInstance } from '../../../src/api/instanceModel';
import { toOffer } from '../../../src/api/offers';
import { instance } from '../../../src/wire/instance';
import { offer } from '../../../src/wire/offer';

describe('a share of a machine', () => {
  const whole = { id: 1, num_gpus: 8, cpu_ram: 512_000, cpu_cores: 128 };

  it('has its share of memory and cores, as an offer and as an instance', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), (gpus) => {
        const row = { ...whole, num_gpus: gpus, gpu_frac: gpus / 8 };
        const offered = toOffer(offer.parse(row));
        assert.deepEqual([offered.cpuRamMb, offered.cpuCores], [64_000 * gpus, 16 * gpus]);
        assert.equal(toOffer(offer.parse({ ...row, cpu_cores_effective: 7 })).cpuCores, 7);
        assert.equal(toInstance(instance.parse(row)).cpuRamMb, 64_000 * gpus);
      }),
    );
  });

  it('counts as the whole if the record does not state which share it is', () => {
    for (const gpu_frac of [undefined, null, 0, -1, 1, 2, 'x']) {
      assert.equal(toOffer(offer.parse({ ...whole, gpu_frac })).cpuRamMb, 512_000);
      assert.equal(toInstance(instance.parse({ ...whole, gpu_frac })).cpuRamMb, 512_000);
    }
  });
});
