import assert from 'node:assert/strict';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('a destroyed instance that the service lists again', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let id: number;
  const instances = () => window.view('instances');
  const world = () => computer().simulator.world;
  const sent = () => computer().simulator.received('DELETE', `/api/v0/instances/${id}/`).length;

  before(async () => {
    id = await computer().rentRunning({ label: 'trainer' });
    window = await computer().openSignedIn();
    await instances().row('trainer');
  });

  it('is destroyed again without a question, twice at most, with a message', async () => {
    const kept = world().instance(id);
    assert.ok(kept);
    await instances().menu('trainer', 'Destroy…');
    await window.dialogButton('Destroy');
    await window.toast(/Destroyed, and no longer listed by the service: trainer/);
    for (const times of [1, 2]) {
      window.clearToasts();
      world().addInstance({ ...kept });
      window.run('Refresh');
      await window.toast(
        /The service listed trainer again after you destroyed it, so it was destroyed again/,
      );
      assert.equal(sent(), 1 + times);
      assert.equal(world().instance(id), undefined);
      await instances().noRow('trainer');
    }
    window.clearToasts();
    world().addInstance({ ...kept });
    window.run('Refresh');
    const { buttons } = await window.toast(/trainer was destroyed, but the service lists it again/);
    assert.deepEqual(buttons, ['Destroy…']);
    await computer().pass(10 * 60_000);
    assert.equal(sent(), 3);
    await instances().row('trainer');
  });
});
