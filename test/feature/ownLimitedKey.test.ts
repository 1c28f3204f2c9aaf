import assert from 'node:assert/strict';
import { PageDriver } from '../support/feature/pageDriver';
import { useComputer } from '../support/feature/useComputer';

describe('an API key that the product created with some permissions', () => {
  const secrets: string[] = [];
  const computer = useComputer({ secrets });

  it('opens the GPU market', async () => {
    const window = await computer().openWindow();
    const { quick } = window;
    await window.signIn();
    window.run('Create API Key…');
    await quick.title('Create API Key');
    await quick.type('build server');
    await quick.pick('Choose Permissions…');
    await quick.row('instance_write');
    await quick.enter();
    await quick.enter();
    await quick.title('API Key: Shown Only Once');
    const key = quick.rows().at(-1) ?? '';
    secrets.push(key);
    await quick.pick('I Have Stored It');
    window.run('Replace Key…');
    await quick.title('Replace Key');
    await quick.type(key);
    await window.toast(/Replaced the key of .* in all windows/);
    window.clearToasts();
    window.run('Show GPU Market');
    const market = new PageDriver(window, 'market');
    await market.shows('its figures', ({ sections }) => sections.length > 0);
    assert.ok(computer().simulator.received('GET', '/api/v0/metrics/gpu/current/').length > 0);
  });
});
