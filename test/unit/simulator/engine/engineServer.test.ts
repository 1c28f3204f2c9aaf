import assert from 'node:assert/strict';
import { answerFaults } from '../../../../src/simulator/engine/engineScene';
import { engineKey, useEngines, type EngineStandIn } from '../../../support/engineStandIn';
import { until } from '../../../support/until';

interface Call {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

interface Part {
  readonly role?: string;
  readonly content?: string | null;
  readonly reasoning?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly Call[];
}

/** Whole answers and pieces of one, lists of models and errors. */
interface Json {
  readonly choices: readonly {
    readonly message: Part;
    readonly delta: Part;
    readonly finish_reason: string | null;
  }[];
  readonly usage: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly total_tokens: number;
  };
  readonly data: readonly { readonly max_model_len: number; readonly meta: { readonly n_ctx: number } }[];
  readonly error: { readonly type: string; readonly n_ctx: number };
}

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

function ask({ url }: EngineStandIn, body: object, init: RequestInit = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${engineKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'qwen', messages: [{ role: 'user', content: 'Hello' }], ...body }),
    ...init,
  });
}

async function events(response: Response): Promise<readonly Json[]> {
  const lines = (await response.text()).split('\n\n').filter((line) => line !== '');
  assert.equal(lines.at(-1), 'data: [DONE]');
  return lines.slice(0, -1).map((line) => JSON.parse(line.replace(/^data: /, '')) as Json);
}

async function json(response: Response | Promise<Response>): Promise<Json> {
  return (await (await response).json()) as Json;
}

function deltas(pieces: readonly Json[]): readonly Part[] {
  return pieces.flatMap(({ choices }) => choices.map(({ delta }) => delta));
}

function get({ url }: EngineStandIn, path: string, key = engineKey): Promise<Response> {
  return fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
}

describe('the interface of an engine that is played', () => {
  const engines = useEngines();
  const tools = ['--enable-auto-tool-choice', '--tool-call-parser', 'hermes'];

  it('states in its answer that it is a stand-in', async () => {
    const answer = await json(ask(await engines.ready(), {}));
    assert.match(answer.choices[0]?.message.content ?? '', /^I am a stand-in for qwen/);
    assert.equal(answer.choices[0]?.finish_reason, 'stop');
    assert.ok(answer.usage.completion_tokens > 5);
  });

  it('streams the role, the text, the end and the use, each in a piece of its own', async () => {
    const engine = await engines.ready();
    const pieces = await events(await ask(engine, { stream: true, stream_options: { include_usage: true } }));
    assert.deepEqual(deltas(pieces)[0], { role: 'assistant', content: null });
    assert.equal(pieces.at(-2)?.choices[0]?.finish_reason, 'stop');
    assert.deepEqual(pieces.at(-1)?.choices, []);
    const usage = pieces.at(-1)?.usage;
    assert.ok(usage && usage.total_tokens === usage.prompt_tokens + usage.completion_tokens);
    const text = deltas(pieces)
      .map(({ content }) => content ?? '')
      .join('');
    assert.match(text, /You wrote: Hello$/);
  });

  it('calls a tool that the message names, in pieces, and reads its answer', async () => {
    const engine = await engines.ready({ args: tools });
    const messages = [{ role: 'user', content: 'Ask get_weather.' }];
    const pieces = await events(await ask(engine, { messages, tools: [weather], stream: true }));
    const calls = deltas(pieces).flatMap((delta) => delta.tool_calls ?? []);
    assert.equal(calls[0]?.function.name, 'get_weather');
    assert.deepEqual(JSON.parse(calls.map((call) => call.function.arguments).join('')), {
      city: 'example',
    });
    assert.equal(pieces.at(-1)?.choices[0]?.finish_reason, 'tool_calls');
    const result = { role: 'tool', tool_call_id: calls[0].id, content: '21 degrees' };
    const next = await json(ask(engine, { messages: [...messages, result], tools: [weather] }));
    assert.equal(next.choices[0]?.message.content, 'The tool answered: 21 degrees');
  });

  it('refuses tools of vLLM without a parser', async () => {
    const answer = await ask(await engines.ready(), { tools: [weather] });
    assert.equal(answer.status, 400);
    assert.match(await answer.text(), /--enable-auto-tool-choice/);
  });

  it('thinks in the field of its engine', async () => {
    const vllm = await engines.ready({ args: ['--reasoning-parser', 'qwen3'] });
    const llama = await engines.ready({ engine: 'llama-server', args: ['--reasoning-format', 'auto'] });
    const [one, other] = await Promise.all(
      [vllm, llama].map(async (engine) => {
        const answer = await json(ask(engine, {}));
        return answer.choices[0]?.message;
      }),
    );
    assert.match(one?.reasoning ?? '', /stand-in/);
    assert.match(other?.reasoning_content ?? '', /stand-in/);
  });

  it('ends an answer at the wanted number of tokens', async () => {
    const answer = await json(ask(await engines.ready(), { max_tokens: 1 }));
    assert.equal(answer.choices[0]?.finish_reason, 'length');
    assert.equal(answer.usage.completion_tokens, 1);
  });

  it('refuses what is longer than its context, in the words of its engine', async () => {
    const messages = [{ role: 'user', content: 'word '.repeat(2000) }];
    const vllm = await engines.ready({ args: ['--max-model-len', '1000'] });
    const refused = await ask(vllm, { messages });
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /maximum context length is 1000 tokens/);
    const llama = await engines.ready({ engine: 'llama-server', args: ['-c', '1000'] });
    const { error } = await json(ask(llama, { messages }));
    assert.equal(error.type, 'exceed_context_size_error');
    assert.equal(error.n_ctx, 1000);
  });

  it('guards what each engine guards', async () => {
    const vllm = await engines.ready();
    const llama = await engines.ready({ engine: 'llama-server', args: ['--metrics'] });
    const statuses = async (engine: EngineStandIn) =>
      Promise.all(
        ['/health', '/metrics', '/v1/models'].map(async (path) => (await get(engine, path, 'wrong')).status),
      );
    assert.deepEqual(await statuses(vllm), [200, 200, 401]);
    assert.deepEqual(await statuses(llama), [200, 401, 401]);
  });

  it('has its context in the list of models', async () => {
    const vllm = await json(get(await engines.ready(), '/v1/models'));
    assert.equal(vllm.data[0]?.max_model_len, 32_768);
    const args = ['-c', '8192', '-np', '2'];
    const llama = await json(get(await engines.ready({ engine: 'llama-server', args }), '/v1/models'));
    assert.equal(llama.data[0]?.meta.n_ctx, 4096);
  });

  it('counts requests and tokens, and one that was given up as well', async () => {
    const engine = await engines.ready();
    const counters = async () => (await get(engine, '/metrics')).text();
    assert.match(await counters(), /vllm:generation_tokens_total\{engine="0",model_name="qwen"\} 0.0/);
    await (await ask(engine, {})).text();
    assert.match(await counters(), /vllm:request_success_total\{.*finished_reason="stop"\} 1.0/);
    const stop = new AbortController();
    const messages = [{ role: 'user', content: 'Count to 100000' }];
    const answer = await ask(engine, { messages, stream: true }, { signal: stop.signal });
    await answer.body?.getReader().read();
    assert.match(await counters(), /vllm:num_requests_running\{.*\} 1.0/);
    stop.abort();
    await until('the engine to stop', async () => /num_requests_running\{.*\} 0.0/.test(await counters()));
    assert.match(await counters(), /finished_reason="abort"\} 1.0/);
  });

  it('has no counters of llama.cpp unless asked for', async () => {
    const engine = await engines.ready({ engine: 'llama-server' });
    assert.equal((await get(engine, '/metrics')).status, 501);
  });

  it('has a strange answer for each fault, or none', async () => {
    const engine = await engines.ready({ args: tools });
    const usual = await (await ask(engine, { stream: true })).text();
    for (const fault of answerFaults.filter((one) => one !== 'ends')) {
      engine.play({ fault });
      const messages = [{ role: 'user', content: 'Ask get_weather.' }];
      const body = { messages, tools: [weather], stream: true };
      const signal = AbortSignal.timeout(200);
      const answer = await ask(engine, body, { signal, redirect: 'manual' })
        .then(async (response) => `${response.status} ${(await response.text()).slice(0, 2000)}`)
        .catch(String);
      assert.notEqual(answer.replace(/^200 /, ''), usual, fault);
    }
    engine.play({ fault: 'ends' });
    await ask(engine, {}).catch(() => undefined);
    assert.equal(await engine.ended(), 1);
  });
});
