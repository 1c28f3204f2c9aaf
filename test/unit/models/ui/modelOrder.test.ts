import assert from 'node:assert/strict';
import { knownModels } from '../../../../src/models/model/knownModels';
import { modelJob, recipeOf } from '../../../../src/models/ui/modelOrder';

describe('the order of a model', () => {
  const [model] = knownModels;
  assert.ok(model);
  const settings = { idleMinutes: 30, hours: 8, volume: 'weights' };
  const place = { folder: '/models', now: 0, gpuCount: 1, perHour: undefined, isRented: true };

  it('has its weights on the volume of the settings where the rented machine has that', () => {
    assert.deepEqual(recipeOf(model, settings).volumes, [
      { name: 'weights', mount: '/models', optional: true },
    ]);
    assert.match(modelJob(model, settings, place).order.spec.run, /^cache='?\/models\/gpu-rental'?$/m);
  });

  it('has them on the disk without a volume, and on an instance that was rented before', () => {
    const without = { ...settings, volume: '' };
    assert.equal(recipeOf(model, without).volumes, undefined);
    for (const { order } of [
      modelJob(model, without, place),
      modelJob(model, settings, { ...place, isRented: false }),
    ]) {
      assert.match(order.spec.run, /^cache=''$/m);
    }
  });
});
