import assert from 'node:assert/strict';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('instances without a label, of the same GPU', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const row = (text: RegExp) => window.view('instances').row(text);

  async function rent(): Promise<number> {
    const { simulator } = computer();
    const { json } = await simulator.call('POST', '/api/v0/bundles/', { gpu_name: { eq: 'RTX 3090' } });
    const alone = (json as { offers: readonly { id: number; num_gpus: number }[] }).offers.find(
      ({ num_gpus }) => num_gpus === 1,
    );
    assert.ok(alone);
    const body = { image: 'pytorch/pytorch', disk: 10 };
    const { json: rented } = await simulator.call('PUT', `/api/v0/asks/${alone.id}/`, body);
    const { new_contract: id } = rented as { new_contract: number };
    await computer().until('it to run', () => simulator.world.instance(id)?.actualStatus === 'running');
    return id;
  }

  it('have their number beside their name, as messages do, while there are several', async () => {
    const first = await rent();
    window = await computer().openSignedIn();
    await row(new RegExp(`^1× RTX 3090 [^#].* #${first}$`));
    const second = await rent();
    window.run('Refresh');
    await row(new RegExp(`^1× RTX 3090 #${first} `));
    await row(new RegExp(`^1× RTX 3090 #${second} `));
    await computer().simulator.call('DELETE', `/api/v0/instances/${second}/`, {});
    await row(new RegExp(`^1× RTX 3090 [^#].* #${first}$`));
    await window.toast(new RegExp(`#${second} no longer exists`));
  });
});
