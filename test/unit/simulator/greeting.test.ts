import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { useSimulators } from '../../support/startSimulator';

describe('The greeting of the simulator', () => {
  const simulators = useSimulators();
  const proof = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex');

  async function greet(url: string, headers: Record<string, string>) {
    const response = await fetch(`${url}/__sim/greeting`, { method: 'POST', headers });
    return { status: response.status, json: (await response.json()) as { proof?: string } };
  }

  it('proves that it has the key to a caller that proves the same', async () => {
    const { url, port, apiKey } = await simulators.start();
    const right = { 'x-demo-nonce': 'n1', 'x-demo-proof': proof(apiKey, `window n1 ${port}`) };
    const answer = await greet(url, right);
    assert.deepEqual([answer.status, answer.json.proof], [200, proof(apiKey, `demo n1 ${port}`)]);
  });

  it('proves nothing to other callers, and an overheard proof does not count', async () => {
    const { url, port, apiKey } = await simulators.start();
    const wrong: Record<string, string>[] = [
      {},
      { 'x-demo-nonce': 'n1' },
      { 'x-demo-nonce': 'n1', 'x-demo-proof': '' },
      { 'x-demo-nonce': 'n1', 'x-demo-proof': 'not hexadecimal' },
      { 'x-demo-nonce': 'n1', 'x-demo-proof': proof('another', `window n1 ${port}`) },
      { 'x-demo-nonce': 'n2', 'x-demo-proof': proof(apiKey, `window n1 ${port}`) },
      { 'x-demo-nonce': 'n1', 'x-demo-proof': proof(apiKey, `window n1 ${port + 1}`) },
      { 'x-demo-nonce': 'n1', 'x-demo-proof': proof(apiKey, `demo n1 ${port}`) },
    ];
    for (const headers of wrong) {
      const answer = await greet(url, headers);
      assert.equal(answer.status, 401);
      assert.equal(answer.json.proof, undefined);
    }
  });
});
