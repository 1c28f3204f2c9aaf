import assert from 'node:assert/strict';
import { clientNames, clientSettings, type ModelEndpoint } from '../../../../src/models/model/clientSettings';

const endpoint: ModelEndpoint = {
  baseUrl: 'http://127.0.0.1:18100/v1',
  model: 'qwen3-8b',
  contextTokens: 32_768,
  hasTools: true,
};

describe('the settings of clients', () => {
  it('name address, model and context, as each client calls them', () => {
    assert.equal(
      clientSettings('cline', endpoint),
      'API Provider: OpenAI Compatible\nBase URL: http://127.0.0.1:18100/v1\nModel ID: qwen3-8b\nContext Window Size: 32768\nMax Output Tokens: 8192\n',
    );
    assert.match(clientSettings('kiloCode', endpoint), /Base URL: http.*\nModel ID: qwen3-8b\n/);
    const zed = JSON.parse(clientSettings('zed', endpoint)) as {
      language_models: { openai_compatible: Record<string, { available_models: object[] }> };
    };
    assert.deepEqual(zed.language_models.openai_compatible['GPU Rental']?.available_models, [
      {
        name: 'qwen3-8b',
        max_tokens: 32_768,
        max_output_tokens: 8192,
        capabilities: { tools: true, images: false },
      },
    ]);
    const custom = JSON.parse(clientSettings('customEndpoint', endpoint)) as { models: object[] };
    assert.deepEqual(custom.models, [
      {
        id: 'qwen3-8b',
        name: 'qwen3-8b',
        url: endpoint.baseUrl,
        toolCalling: true,
        vision: false,
        maxInputTokens: 24_576,
        maxOutputTokens: 8192,
      },
    ]);
  });

  it('claim no larger context than a model is known to have', () => {
    const unknown = { ...endpoint, contextTokens: undefined };
    assert.match(clientSettings('cline', unknown), /Context Window Size: 8192\n/);
  });

  it('hold no key, not even among the arguments of curl', () => {
    for (const client of clientNames) {
      assert.doesNotMatch(clientSettings(client, endpoint), /gr-|sk-|Bearer (?!\$OPENAI_API_KEY)/);
    }
    assert.doesNotMatch(clientSettings('curl', endpoint).split('\n')[0] ?? '', /KEY|Bearer/);
  });
});
