import assert from 'node:assert/strict';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('what the key may change and not list', () => {
  const computer = useComputer({ settings: { 'gpuRental.hosting.show': 'always' } });
  let window: FeatureWindow;
  const bodies = (method: string, path: RegExp) =>
    computer()
      .simulator.received(method, path)
      .map(({ path: sent, body, status }) => [sent, body, status]);

  before(async () => {
    const { simulator } = computer();
    await simulator.call('POST', '/api/v0/secrets/', { key: 'HF_TOKEN', value: 'abcdef' });
    for (const path of ['/api/v0/secrets/', '/api/v0/deployments/', '/api/v0/machines/']) {
      const refusal = { status: 403, error: 'not_authorized', msg: 'Not allowed.' };
      simulator.fail({ kind: 'error', method: 'GET', path, times: 0, ...refusal });
    }
    window = await computer().openSignedIn();
    window.clearToasts();
  });

  afterEach(() => {
    window.clearToasts();
  });

  it('is an environment variable by its name', async () => {
    window.run('Delete Secret…');
    await window.quick.title('Delete Secret');
    await window.quick.type('hf_token');
    await window.dialogButton('Delete', 'HF_TOKEN');
    await computer().until('the deletion', () => bodies('DELETE', /secrets/).length > 0);
    assert.deepEqual(bodies('DELETE', /secrets/), [['/api/v0/secrets/', { key: 'HF_TOKEN' }, 200]]);
  });

  it('is a deployment by its number', async () => {
    window.run('Stop Deployment…');
    await window.quick.title('Stop Deployment');
    await window.quick.type('chat', { enter: false });
    await window.quick.message('Enter a number');
    await window.quick.type('644');
    await window.dialogButton('Stop', '#644');
    await window.toast('The endpoint of #644 is now: stopped');
  });

  it('is a machine by its number', async () => {
    const { world } = computer().simulator;
    const own = world.market.machines.find(({ hostId }) => hostId === world.accounts[0]?.hostId);
    window.run('Set Minimum Bid…');
    await window.quick.title('Set Minimum Bid');
    await window.quick.type(String(own?.id));
    await window.quick.title(/Minimum Bid of Machine/);
    await window.quick.type('0.21');
    await window.toast(/^The service accepted a minimum bid of \$0\.210\/h for machine #\d+\.$/);
    assert.deepEqual(bodies('PUT', /minbid/), [
      [`/api/v0/machines/${String(own?.id)}/minbid/`, { price: 0.21 }, 200],
    ]);
  });
});
