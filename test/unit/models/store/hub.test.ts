import assert from 'node:assert/strict';
import { TransportFailure, type TransportRequest } from '../../../../src/api/transport';
import { findModel, hubUrl } from '../../../../src/models/store/hub';

const sha = 'a'.repeat(40);
const never = new AbortController().signal;

/** A hub that answers these paths, as JSON or as the text itself; others are not there. */
function hubWith(answers: Readonly<Record<string, unknown>>) {
  const sent: TransportRequest[] = [];
  const log: string[] = [];
  const deps = {
    url: 'https://hub.example',
    log: { info: (line: string) => log.push(line) },
    transport: {
      send: (request: TransportRequest) => {
        sent.push(request);
        const answer = answers[request.url.pathname];
        if (answer instanceof Error) {
          return Promise.reject(answer);
        }
        const text = typeof answer === 'string' ? answer : JSON.stringify(answer ?? null);
        return Promise.resolve({ status: answer === undefined ? 404 : 200, headers: {}, text });
      },
    },
  };
  return { deps, sent, log, find: (repository: string) => findModel(deps, repository, never) };
}

const record = (siblings: readonly object[], more: object = {}) => ({
  id: 'own/model',
  sha,
  siblings,
  ...more,
});
const weights = { rfilename: 'model-00001-of-00002.safetensors', size: 6e9 };

describe('a model at the hub', () => {
  it('has the sizes of its files, its license, its gate and its context from the hub itself', async () => {
    const hub = hubWith({
      '/api/models/own/model': record(
        [
          weights,
          { rfilename: 'model-00002-of-00002.safetensors', size: 4e9 },
          // The same weights once more.
          { rfilename: 'consolidated.safetensors', size: 10e9 },
          { rfilename: 'original/model.safetensors', size: 10e9 },
          { rfilename: 'README.md', size: 5000 },
        ],
        { gated: 'manual', cardData: { license: 'mit' } },
      ),
      '/own/model/raw/main/config.json': {
        quantization_config: { quant_method: 'fp8' },
        text_config: {
          max_position_embeddings: 65_536,
          num_hidden_layers: 8,
          num_attention_heads: 16,
          num_key_value_heads: 4,
          head_dim: 128,
          layer_types: ['full_attention', 'linear_attention', 'full_attention'],
        },
      },
    });
    assert.deepEqual(await hub.find('own/model'), {
      kind: 'found',
      from: 'hub',
      facts: {
        repository: 'own/model',
        revision: sha,
        engine: 'vllm',
        weightBytes: 10e9,
        license: 'mit',
        isGated: true,
        contextTokens: 65_536,
        format: 'fp8',
        bytesPerToken: 2 * 2 * 4 * 128 * 2,
        leastCapability: 8,
      },
    });
    assert.deepEqual(
      hub.sent.map(({ url, headers, maxBytes, timeoutMs }) => [url.href, headers, maxBytes, timeoutMs]),
      [
        ['https://hub.example/api/models/own/model?blobs=true', { accept: 'application/json' }, 5e6, 10_000],
        ['https://hub.example/own/model/raw/main/config.json', { accept: 'application/json' }, 5e6, 10_000],
      ],
    );
  });

  it('keeps the parsers of the table, which the hub does not state', async () => {
    const hub = hubWith({ '/api/models/Qwen/Qwen3-8B': record([weights]) });
    const found = await hub.find('qwen/qwen3-8b');
    assert.ok(found.kind === 'unknown');
    const known = await hub.find('Qwen/Qwen3-8B');
    assert.ok(known.kind === 'found' && known.from === 'hub');
    assert.deepEqual(
      [known.facts.repository, known.facts.weightBytes, known.facts.toolParser],
      ['Qwen/Qwen3-8B', 6e9, 'hermes'],
    );
  });

  it('is served by llama.cpp where it has only GGUF files, in the usual quantization', async () => {
    const files = [
      { rfilename: 'model-Q8_0.gguf', size: 9e9 },
      { rfilename: 'model-Q4_K_M-00001-of-00002.gguf', size: 3e9 },
      { rfilename: 'model-Q4_K_M-00002-of-00002.gguf', size: 2e9 },
      { rfilename: 'mmproj-model-F16.gguf', size: 1e9 },
    ];
    const found = await hubWith({ '/api/models/own/model': record(files) }).find('own/model');
    assert.ok(found.kind === 'found');
    const { engine, file, weightBytes } = found.facts;
    assert.deepEqual([engine, file, weightBytes], ['llamaCpp', 'Q4_K_M', 5e9]);
  });

  it('is refused where it brings code of its own or no weights', async () => {
    const config = { '/own/model/raw/main/config.json': { auto_map: { AutoModel: 'x.py' } } };
    const code = hubWith({ '/api/models/own/model': record([weights]), ...config });
    assert.deepEqual(await code.find('own/model'), { kind: 'ownCode' });
    const none = hubWith({
      '/api/models/own/model': record([{ rfilename: 'a/model.safetensors', size: 1 }]),
    });
    assert.deepEqual(await none.find('own/model'), { kind: 'noWeights' });
    assert.deepEqual(await hubWith({}).find('own/model'), { kind: 'unknown' });
  });

  for (const [what, answer] of [
    ['no answer', new TransportFailure('notReachable', 'ENOTFOUND')],
    ['an answer that is too large', new TransportFailure('tooLarge', undefined)],
    ['a page', '<!doctype html>'],
    ['an odd record', { siblings: 'all' }],
    ['JSON that is nested too deep', '['.repeat(1000)],
  ] as const) {
    it(`is as the table knows it after ${what}, and unknown outside of it`, async () => {
      const hub = hubWith({ '/api/models/Qwen/Qwen3-8B': answer, '/api/models/own/model': answer });
      const known = await hub.find('Qwen/Qwen3-8B');
      assert.ok(known.kind === 'found' && known.from === 'table');
      assert.deepEqual(await hub.find('own/model'), { kind: 'noAnswer' });
      assert.equal(hub.log.length, 2);
    });
  }

  it('is not read any more once the user cancels', async () => {
    const stop = new AbortController();
    stop.abort();
    const { deps } = hubWith({ '/api/models/own/model': new Error('aborted') });
    await assert.rejects(findModel(deps, 'own/model', stop.signal), { name: 'AbortError' });
  });

  it('is read from a mirror that programs of the hub use as well, and from no other address', () => {
    assert.deepEqual(
      ['https://hub.example', 'http://127.0.0.1:81', 'http://hub.example', 'file:///etc', undefined].map(
        (mirror) => hubUrl({ HF_ENDPOINT: mirror }),
      ),
      ['https://hub.example', 'http://127.0.0.1:81', ...Array<string>(3).fill('https://huggingface.co')],
    );
  });
});
