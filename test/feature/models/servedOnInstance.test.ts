import assert from 'node:assert/strict';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('a model on an instance that runs', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  const rentals = () => computer().simulator.received('PUT', /^\/api\/v0\/asks\//).length;
  const jobs = () => window.view('jobs');

  /** Up to the confirmation, for a small model. */
  async function review(model = /^Qwen3-4B Q4_K_M/): Promise<void> {
    window.run('Serve a Model…');
    await window.quick.title('Serve a Model');
    await window.quick.pick(model);
  }

  before(async () => {
    // No hub answers.
    process.env['HF_ENDPOINT'] = 'http://127.0.0.1:9';
    await reachableInstance(computer(), 'trainer');
    window = await computer().openSignedIn();
    await window.view('instances').row('trainer');
    window.clearToasts();
  });

  it('is served there after a confirmation, and nothing is rented', async () => {
    const before = rentals();
    await review();
    await window.quick.title('Serve Qwen3-4B');
    await window.quick.pick('trainer');
    await window.quick.title('Serve Qwen3-4B: Confirm');
    const rows = window.quick.rows().join('\n');
    assert.match(rows, /^Serve on trainer, and Keep It it still costs \$\S+\/h afterwards/);
    assert.match(rows, /^Inference server llama\.cpp/m);
    assert.match(rows, /^Ends at the latest after 8 h$/m);
    await computer().pass(1000);
    await window.quick.pick(/^Serve on trainer/);
    await window.toast(/^Qwen3-4B is ready/);
    assert.equal(rentals(), before);
    await jobs().row(/^Qwen3-4B serving a model/);
  });

  it('is the only one there', async () => {
    await review();
    // The instance is not offered.
    await window.quick.title('Search Offers for Qwen3-4B');
    window.quick.escape();
    await computer().rest();
  });

  it('leaves the instance when it is stopped', async () => {
    await jobs().menu(/^Qwen3-4B/, 'Stop Job…');
    await window.dialogButton('Keep Instance', /^Stop serving Qwen3-4B/);
    await jobs().row(/^Qwen3-4B canceled/);
    assert.equal(computer().simulator.world.instances.length, 1);
    assert.doesNotMatch(window.toasts().join('\n'), /Qwen3-4B:/);
  });

  it('is served again with what helps after a failure', async () => {
    await computer().simulator.call('PUT', '/__sim/engine/', { fault: 'noMemory' });
    await review(/^Qwen3-8B Q4_K_M/);
    await window.quick.title('Serve Qwen3-8B');
    await window.quick.pick('trainer');
    await window.quick.title('Serve Qwen3-8B: Confirm');
    await computer().pass(1000);
    await window.quick.pick(/^Serve on trainer/);
    await window.toastButton(/does not fit/, 'Serve Again…');
    await window.quick.title('Serve Again');
    assert.deepEqual(window.quick.rows(), [
      'Rent More GPU Memory…',
      'Shorter Context… 16k tokens',
      'Other Model…',
    ]);
    await window.quick.pick('Rent More GPU Memory…');
    await window.quick.title('Search Offers for Qwen3-8B');
    window.quick.escape();
    await computer().rest();
  });
});
