import assert from 'node:assert/strict';
import { kill } from '../../fuzz/jobs/scene';
import { anyModelBlows, playModel } from '../../fuzz/models/scene';
import { prepareProduct } from '../../support/fakeEditor/product';

describe('a served model that a machine is rented for, with faults', function () {
  this.timeout(240_000);
  before(() => prepareProduct());

  for (const [place, machines] of [
    // What was not sent then is never sent.
    ['after write order', 0],
    ['after PUT /api/v0/asks/{id}/', 1],
    ['after ssh start', 1],
    ['during use', 1],
    ['before DELETE /api/v0/instances/{id}/', 1],
  ] as const) {
    it(`breaks no rule and reaches its end if its window is killed ${place}`, async () => {
      const { violations, steps, rentals } = await playModel(8, () => [kill(place)]);
      assert.deepEqual([violations, rentals], [[], machines]);
      assert.ok(
        steps.some((step) => step.includes(place)),
        'it came there',
      );
    });
  }

  for (const seed of [1, 2, 3, 4, 5, 6, 7]) {
    it(`breaks no rule with the faults of seed ${seed}`, async () => {
      assert.deepEqual((await playModel(seed, anyModelBlows)).violations, []);
    });
  }
});
