import assert from 'node:assert/strict';
import { registerKey } from '../support/feature/reachable';
import { newInstance, rentNow, searchAndReview } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('a machine that is ready once a login worked', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;

  before(async () => {
    await registerKey(computer());
    window = await computer().openWindow();
    await window.signIn();
  });

  it('is told to be ready after the login', async () => {
    await searchAndReview(window, '1x 3090', /1× RTX 3090/);
    const { id } = await newInstance(computer(), () => rentNow(window));
    const { text } = await window.toast(/is ready/);
    assert.match(text, /is ready/);
    const state = computer().simulator.world.instance(id);
    assert.equal(state?.actualStatus, 'running');
  });
});
