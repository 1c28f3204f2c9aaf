import assert from 'node:assert/strict';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import OpenAI, { APIUserAbortError, AuthenticationError, BadRequestError, NotFoundError } from 'openai';
import { useEngines } from '../../../support/engineStandIn';
import { useGateways, type GatewayScene } from '../../../support/gatewayScene';
import { until } from '../../../support/until';

const args = ['--enable-auto-tool-choice', '--tool-call-parser', 'hermes'];
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
} as const;

for (const engine of ['vllm', 'llama-server'] as const) {
  describe(`a client of the gateway to ${engine}`, () => {
    const engines = useEngines();
    const gateways = useGateways();

    const gateway = async (more: readonly string[] = []) => {
      const stand = await engines.ready({ engine, args: engine === 'vllm' ? [...args, ...more] : more });
      return { ...(await gateways.to(stand.port)), stand };
    };
    const clientOf = ({ gateway: { port }, key }: GatewayScene, apiKey = key) =>
      new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Hello' }];

    it('that is the official one gets models, answers, streams and the use of tokens', async () => {
      const client = clientOf(await gateway());
      const models = await client.models.list();
      assert.deepEqual(
        models.data.map(({ id }) => id),
        ['qwen'],
      );
      const whole = await client.chat.completions.create({ model: 'qwen', messages });
      assert.match(whole.choices[0]?.message.content ?? '', /I am a stand-in/);
      const stream = await client.chat.completions.create({
        model: 'qwen',
        messages,
        stream: true,
        stream_options: { include_usage: true },
      });
      let text = '';
      let tokens: number | undefined;
      for await (const piece of stream) {
        text += piece.choices[0]?.delta.content ?? '';
        tokens = piece.usage?.total_tokens ?? tokens;
      }
      assert.equal(text, whole.choices[0]?.message.content);
      assert.equal(tokens, whole.usage?.total_tokens);
    });

    it('that is the official one calls a tool, and gets the answer to its result', async () => {
      const client = clientOf(await gateway());
      const asked = { role: 'user' as const, content: 'Ask get_weather.' };
      const runner = client.chat.completions.stream({ model: 'qwen', messages: [asked], tools: [weather] });
      const { choices } = await runner.finalChatCompletion();
      const [call] = choices[0]?.message.tool_calls ?? [];
      assert.equal(choices[0]?.finish_reason, 'tool_calls');
      assert.ok(call?.type === 'function' && call.function.arguments === '{"city":"example"}');
      const next = await client.chat.completions.create({
        model: 'qwen',
        tools: [weather],
        messages: [
          asked,
          { role: 'assistant', tool_calls: [call] },
          { role: 'tool', tool_call_id: call.id, content: '21 degrees' },
        ],
      });
      assert.equal(next.choices[0]?.message.content, 'The tool answered: 21 degrees');
    });

    it('that is the official one gets errors of their types', async () => {
      const scene = await gateway(engine === 'vllm' ? ['--max-model-len', '500'] : ['-c', '500']);
      const ask = (client: OpenAI, model: string, content: string) =>
        client.chat.completions.create({ model, messages: [{ role: 'user', content }] });
      await assert.rejects(ask(clientOf(scene, 'wrong'), 'qwen', 'Hello'), AuthenticationError);
      await assert.rejects(ask(clientOf(scene), 'other', 'Hello'), NotFoundError);
      await assert.rejects(
        ask(clientOf(scene), 'qwen', 'word '.repeat(2000)),
        (error) => error instanceof BadRequestError && error.code === 'context_length_exceeded',
      );
    });

    it('that is the official one receives the reason for an answer that was broken off', async () => {
      const scene = await gateway();
      scene.stand.play({ fault: 'brokenOff' });
      const stream = await clientOf(scene).chat.completions.create({ model: 'qwen', messages, stream: true });
      await assert.rejects(async () => {
        for await (const piece of stream) {
          assert.ok(piece.choices.length > 0);
        }
      }, /The connection to the machine that serves the model was lost/);
    });

    it('that is the official one stops an answer', async () => {
      const scene = await gateway(engine === 'vllm' ? [] : ['--metrics']);
      const stream = await clientOf(scene).chat.completions.create({
        model: 'qwen',
        messages: [{ role: 'user', content: 'Count to 100000' }],
        stream: true,
      });
      let pieces = 0;
      await assert.rejects(async () => {
        for await (const piece of stream) {
          pieces += piece.choices.length;
          if (pieces > 5) {
            stream.controller.abort();
            throw new APIUserAbortError();
          }
        }
      }, APIUserAbortError);
      const key = { authorization: 'Bearer engine-key-0123456789' };
      const isIdle = async () => {
        const counters = await (await fetch(`${scene.stand.url}/metrics`, { headers: key })).text();
        return /(?:requests_running\{.*?\}|requests_processing) 0/.test(counters);
      };
      await until('the engine to stop', isIdle, { everyMs: 20 });
    });

    it('that is another one streams, and calls a tool in two steps', async () => {
      const { gateway: own, key } = await gateway();
      const provider = createOpenAICompatible({
        name: 'gpu-rental',
        baseURL: `http://127.0.0.1:${own.port}/v1`,
        apiKey: key,
        includeUsage: true,
      });
      const { textStream, usage } = streamText({ model: provider('qwen'), prompt: 'Hello' });
      let text = '';
      for await (const piece of textStream) {
        text += piece;
      }
      assert.match(text, /I am a stand-in/);
      assert.ok(((await usage).totalTokens ?? 0) > 5);
      const cities: unknown[] = [];
      const answer = await generateText({
        model: provider('qwen'),
        prompt: 'Ask get_weather.',
        stopWhen: stepCountIs(3),
        tools: {
          get_weather: tool({
            inputSchema: jsonSchema<{ city: string }>({
              type: 'object',
              properties: { city: { type: 'string' } },
              required: ['city'],
            }),
            execute: ({ city }) => {
              cities.push(city);
              return '21 degrees';
            },
          }),
        },
      });
      assert.deepEqual(cities, ['example']);
      assert.equal(answer.steps.length, 2);
      assert.match(answer.text, /The tool answered: .*21 degrees/);
    });
  });
}
