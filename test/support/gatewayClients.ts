import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import OpenAI, { APIUserAbortError, AuthenticationError, BadRequestError, NotFoundError } from 'openai';
import { clientSettings } from '../../src/models/model/clientSettings';
import { engineKey } from './engineStandIn';
import { useGateways, type GatewayScene } from './gatewayScene';
import { until } from './until';

/** An engine on a port of this computer, whose key is `engineKey` and whose model is `qwen`. */
export interface AskedEngine {
  readonly port: number;
  /** Ends it at once, with all answers. */
  kill(): void;
}

/** An engine that clients are tried with. */
export interface EngineForClients {
  /** Starts one, with a context of so many tokens if given. */
  readonly start: (contextTokens?: number) => Promise<AskedEngine>;
  /** What it says to a greeting, and after it called a tool. */
  readonly greeting: RegExp;
  readonly toolAnswer: RegExp;
}

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
} as const;

/** Waits until an engine computes no answer. */
export async function isIdle({ port }: Pick<AskedEngine, 'port'>): Promise<boolean> {
  const headers = { authorization: `Bearer ${engineKey}` };
  const counters = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text();
  return /(?:requests_running\{.*?\}|requests_processing) 0/.test(counters);
}

/** The tests of programs of others that ask an engine through the gateway. */
export function tryClients(name: string, { start, greeting, toolAnswer }: EngineForClients): void {
  describe(`a client of the gateway to ${name}`, () => {
    const gateways = useGateways();
    const gateway = async (contextTokens?: number) => {
      const engine = await start(contextTokens);
      return { ...(await gateways.to(engine.port)), engine };
    };
    const clientOf = ({ gateway: { port }, key }: GatewayScene, apiKey = key) =>
      new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const count = (scene: GatewayScene) =>
      clientOf(scene).chat.completions.create({
        model: 'qwen',
        messages: [{ role: 'user', content: 'Count to 100000' }],
        stream: true,
      });

    it('that is the official one gets models, answers, streams and the use of tokens', async () => {
      const client = clientOf(await gateway());
      const models = await client.models.list();
      assert.deepEqual(
        models.data.map(({ id }) => id),
        ['qwen'],
      );
      const whole = await client.chat.completions.create({ model: 'qwen', messages });
      assert.match(whole.choices[0]?.message.content ?? '', greeting);
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
      assert.ok(call?.type === 'function');
      assert.deepEqual(JSON.parse(call.function.arguments), { city: 'example' });
      const next = await client.chat.completions.create({
        model: 'qwen',
        tools: [weather],
        messages: [
          asked,
          { role: 'assistant', tool_calls: [call] },
          { role: 'tool', tool_call_id: call.id, content: '21 degrees' },
        ],
      });
      assert.match(next.choices[0]?.message.content ?? '', toolAnswer);
    });

    it('that is the official one gets errors of their types', async () => {
      const scene = await gateway(512);
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
      const stream = await count(scene);
      await assert.rejects(async () => {
        for await (const piece of stream) {
          assert.ok(piece.choices.length > 0);
          scene.engine.kill();
        }
      }, /The connection to the machine that serves the model was lost/);
    });

    it('that is the official one stops an answer', async () => {
      const scene = await gateway();
      const stream = await count(scene);
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
      await until('the engine to stop', () => isIdle(scene.engine), { everyMs: 20 });
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
      assert.match(text, greeting);
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
      assert.match(answer.text, toolAnswer);
    });

    it('that is curl streams an answer, by the command that is copied for it', async () => {
      const { gateway: own, key } = await gateway();
      const baseUrl = `http://127.0.0.1:${own.port}/v1`;
      const command = clientSettings('curl', { baseUrl, model: 'qwen', hasTools: true });
      const env = { ...process.env, OPENAI_API_KEY: key };
      const { stdout } = await promisify(execFile)('sh', ['-c', command], { env });
      const said = stdout.matchAll(/"content":"([^"]*)"/g);
      assert.match([...said].map(([, piece]) => piece).join(''), greeting);
      assert.match(stdout, /data: \[DONE\]/);
    });
  });
}
