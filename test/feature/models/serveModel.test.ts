import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { registerKey } from '../../support/feature/reachable';
import { evenPrices } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';
import { filesWithSecrets } from '../../support/secretScan';

describe('a model that a machine is rented for', () => {
  /** The key of the address, and that of the engine. */
  const keys: string[] = [];
  const computer = useComputer({ simulator: { sshServer: true }, secrets: keys });
  let window: FeatureWindow;
  let address: string;
  const rentals = () => computer().simulator.received('PUT', /^\/api\/v0\/asks\//);
  const instances = () => computer().simulator.world.instances;

  const files = () =>
    computer()
      .ofAccounts('jobs')
      .flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)));
  const ask = (key = keys[0]) =>
    fetch(`${address}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'Qwen3-8B', messages: [{ role: 'user', content: 'Hello' }] }),
    });

  async function review(): Promise<readonly string[]> {
    window.run('Serve a Model…');
    await window.quick.title('Serve a Model');
    await window.quick.pick(/^Qwen3-8B 16 GB/);
    await window.quick.title('Search Offers for Qwen3-8B');
    await window.quick.pick(/1× RTX 3090/);
    await window.quick.title('Rent for Qwen3-8B: Confirm');
    return window.quick.rows();
  }

  before(async () => {
    // No hub answers.
    process.env['HF_ENDPOINT'] = 'http://127.0.0.1:9';
    await registerKey(computer());
    await evenPrices(computer());
    window = await computer().openSignedIn();
    window.clearToasts();
  });

  it('is confirmed once, with its engine, its size, its ends and its price', async () => {
    const rows = (await review()).join('\n');
    assert.match(rows, /^Rent for \$\S+\/h and Serve Qwen3-8B 1× RTX 3090/);
    assert.match(rows, /^Model Qwen\/Qwen3-8B · 8\.2B · bf16 · Apache-2\.0$/m);
    assert.match(rows, /^Inference server vLLM 0\.28 on 1× 24 GB$/m);
    assert.match(rows, /^GPU memory 20 GB needed, by the table of this version$/m);
    assert.match(rows, /^Context about 37k tokens$/m);
    assert.match(rows, /^Download 16 GB, about \d+ (?:min|s) with the image, traffic \$/m);
    assert.match(rows, /^When idle it ends after 30 min without a request$/m);
    assert.match(rows, /^Ends at the latest after 8 h, which costs \$\S+ at most/m);
    assert.match(rows, /^Machine afterwards destroy it/m);
    // Nothing is sent and nothing comes back.
    assert.doesNotMatch(rows, /^(?:Sent|Outputs|Command)/m);
    const search = computer().simulator.received('POST', '/api/v0/bundles/').at(-1)?.body as object;
    assert.deepEqual(Reflect.get(search, 'num_gpus'), { in: [1, 2, 4, 8] });
    assert.deepEqual(Reflect.get(search, 'order'), [['dph_total', 'asc']]);
    window.quick.escape();
    await computer().rest();
    assert.equal(rentals().length, 0);
  });

  it('is ready after one Enter, and shown below its instance', async () => {
    await review();
    await computer().pass(1000);
    await window.quick.pick(/ and Serve Qwen3-8B/);
    await window.toast(/^Qwen3-8B is ready, with a context of 32k tokens/);
    assert.deepEqual([instances().length, rentals().length], [1, 1]);
    await window.view('instances').expand(/^Qwen3-8B machine/);
    await window.view('instances').row(/^Qwen3-8B ready/);
    assert.match(
      await window.view('instances').tooltip(/^Qwen3-8B ready/),
      /Context: 32k tokens[^]*Cost so far: \$/,
    );
  });

  it('answers at an address of this computer to programs that have its key', async () => {
    await window.toastButton(/^Qwen3-8B is ready/, 'Copy Model Endpoint…');
    await window.quick.pick('Copy Base URL');
    const { clipboard } = computer();
    address = clipboard.text;
    await window.view('instances').menu(/^Qwen3-8B ready/, 'Copy Model Endpoint…');
    await window.quick.pick('Copy Key');
    await window.dialogButton('Copy Key');
    await computer().rest();
    keys.push(clipboard.text);
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    assert.equal((await ask('none')).status, 401);
    let answer = await ask();
    await computer().until('the tunnel', async () => {
      answer = answer.ok ? answer : await ask();
      return answer.ok;
    });
    assert.match(await answer.text(), /stand-in/);
    assert.ok(!window.describe().includes(clipboard.text));
  });

  it('has two keys, of which one file of its machine has one, and the secret store the other', async () => {
    const machines = path.join(computer().root, 'instances');
    const files = readdirSync(machines, { recursive: true, encoding: 'utf8' });
    const file = files.find((name) => name.endsWith('serving/key')) ?? '';
    // They are large.
    const isWeights = (name: string) => name.includes('/blobs/');
    keys.push(readFileSync(path.join(machines, file), 'utf8').trim());
    assert.equal(new Set(keys).size, 2);
    assert.deepEqual(filesWithSecrets(machines, keys, isWeights), [file]);
    assert.equal((await ask(keys[1])).status, 401);
    assert.equal(await computer().secretStorage().get('gpuRental.models.key'), keys[0]);
  });

  it('counts as used when the user wants that, and ends with its machine', async () => {
    await window.view('instances').menu(/^Qwen3-8B ready/, 'Keep Serving…');
    await window.toast(/^Qwen3-8B counts as used now/);
    await window.view('instances').menu(/^Qwen3-8B ready/, 'Stop Serving…');
    await window.dialogButton('Destroy', /^Stop serving Qwen3-8B/);
    await window.toast(/is destroyed after Qwen3-8B/);
    assert.deepEqual([instances().length, rentals().length], [0, 1]);
  });

  it('is refused with the reason for a day, also by the next window, and nothing listens then', async () => {
    assert.match(await (await ask()).text(), /The model Qwen3-8B is not served any more: canceled\./);
    window.close();
    await assert.rejects(ask());
    window = await computer().openWindow({ isFocused: true });
    await window.view('jobs').row(/^Qwen3-8B canceled/);
    await computer().until('the next gateway', () =>
      ask().then(
        ({ status }) => status === 503,
        () => false,
      ),
    );
    window.close();
    const state = files().find((name) => name.endsWith('.state.json')) ?? '';
    const text = readFileSync(state, 'utf8');
    const since = computer().clock.now() - 2 * 86_400_000;
    writeFileSync(state, text.replace(/"since":\d+/, `"since":${since}`));
    window = await computer().openWindow({ isFocused: true });
    await window.view('jobs').row(/^Qwen3-8B canceled/);
    await computer().rest();
    await assert.rejects(ask());
  });
});
