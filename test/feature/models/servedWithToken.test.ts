import assert from 'node:assert/strict';
import { registerKey } from '../../support/feature/reachable';
import { evenPrices } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('a gated model', () => {
  const token = 'hf_planted-token-4711';
  const computer = useComputer({
    simulator: { sshServer: true },
    settings: { 'gpuRental.models.maxHours': 1 },
    secrets: [token],
  });
  let window: FeatureWindow;

  async function serve(): Promise<void> {
    window.run('Serve a Model…');
    await window.quick.title('Serve a Model');
    await window.quick.pick(/^Llama-3\.1-8B-Instruct .* needs a token/);
  }

  before(async () => {
    // No hub answers.
    process.env['HF_ENDPOINT'] = 'http://127.0.0.1:9';
    await registerKey(computer());
    await evenPrices(computer());
    window = await computer().openSignedIn();
    window.clearToasts();
  });

  it('asks for a token for its machine, and is not served without one', async () => {
    await serve();
    await window.quick.title('Token for meta-llama/Llama-3.1-8B-Instruct');
    assert.match(
      await window.quick.message(/is sent to/),
      /is gated: accept its license at the hub first\. A token of your account there that may read is sent to an instance that is rented for it\./,
    );
    window.quick.escape();
    await computer().rest();
    const rentals = computer().simulator.received('PUT', /^\/api\/v0\/asks\//);
    assert.deepEqual([window.quick.isOpen, rentals], [false, []]);
  });

  it('gets it as a secret that the confirmation names, and is served with it', async () => {
    await serve();
    await window.quick.title('Token for meta-llama/Llama-3.1-8B-Instruct');
    await window.quick.type(token);
    await window.quick.title('Search Offers for Llama-3.1-8B-Instruct');
    await window.quick.pick(/1× RTX 3090/);
    await window.quick.title('Rent for Llama-3.1-8B-Instruct: Confirm');
    assert.match(window.quick.rows().join('\n'), /^Secrets HF_TOKEN$/m);
    await computer().pass(1000);
    await window.quick.pick(/ and Serve Llama-3\.1-8B-Instruct/);
    // Its engine refuses to download without one.
    await window.toast(/^Llama-3\.1-8B-Instruct is ready/);
  });

  it('is served beyond its limit only after a question with the price', async () => {
    const instances = window.view('instances');
    const limit = async () => {
      const tooltip = await window.view('jobs').tooltip(/^Llama-3\.1-8B-Instruct/);
      return /^Ends at the latest: (.+)$/m.exec(tooltip.replaceAll(/\*|\\| {2}$/gm, ''))?.[1];
    };
    const before = await limit();
    assert.ok(before);
    await instances.expand(/^Llama-3\.1-8B-Instruct machine/);
    await instances.menu(/^Llama-3\.1-8B-Instruct ready/, 'Keep Serving…');
    const { detail } = await window.dialog('Keep serving Llama-3.1-8B-Instruct for 1 h beyond its limit?');
    assert.match(detail ?? '', /^Its machine costs \$\d+\.\d+\/h\.$/);
    await window.dialogButton('Not Now');
    await window.toast(/^Llama-3\.1-8B-Instruct counts as used now/);
    assert.equal(await limit(), before);
    await instances.menu(/^Llama-3\.1-8B-Instruct ready/, 'Keep Serving…');
    await window.dialogButton('Keep Serving');
    await computer().until('the later limit', async () => (await limit()) !== before);
  });

  it('is served again without a question for the token that it was given', async () => {
    await window.view('instances').menu(/^Llama-3\.1-8B-Instruct ready/, 'Stop Serving…');
    await window.dialogButton('Keep Instance', /^Stop serving/);
    await window.view('jobs').row(/^Llama-3\.1-8B-Instruct canceled/);
    await serve();
    await window.quick.title('Serve Llama-3.1-8B-Instruct');
    await window.quick.pick(/^Llama-3\.1-8B-Instruct machine/);
    await window.quick.title('Serve Llama-3.1-8B-Instruct: Confirm');
    assert.match(window.quick.rows().join('\n'), /^Secrets HF_TOKEN$/m);
    window.quick.escape();
    await computer().rest();
  });
});
