import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { LineTransport } from '../../../../src/agents/mcp/lineTransport';
import { createMcpServer, type ToolCall, type ToolResult } from '../../../../src/agents/mcp/mcpServer';
import type { Clock } from '../../../../src/util/clock';
import { FakeClock } from '../../../support/fakeClock';
import { until } from '../../../support/until';

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'new', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const tool = {
  name: 'look',
  title: 'Look',
  description: 'Looks.',
  inputSchema: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
  outputSchema: { type: 'object', properties: { seen: { type: 'integer' } } },
  annotations: { title: 'Look', readOnlyHint: true },
};
const handshake = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'old', version: '1' },
};

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

function start(
  call: (call: ToolCall, signal: AbortSignal) => Promise<ToolResult>,
  clock: Clock = new FakeClock(),
) {
  const input = new PassThrough();
  const output = new PassThrough();
  const sent: Message[] = [];
  output.on('data', (chunk: Buffer) => {
    sent.push(
      ...chunk
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Message),
    );
  });
  const transport = new LineTransport(input, output);
  const more = { tools: [tool], call, clock, watch: () => undefined };
  const deps = { version: '1.2.3', instructions: 'Ask first.', ...more };
  serveStdio(() => createMcpServer({ ...deps, clientName: () => transport.clientName }), { transport });
  let ids = 0;
  const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = async (method: string, params?: object): Promise<Message> => {
    ids += 1;
    const id = ids;
    send({ id, method, ...(params ? { params } : {}) });
    await until(`${method} has an answer`, () => sent.some((message) => message.id === id));
    return sent.find((message) => message.id === id) ?? {};
  };
  return { input, sent, send, ask };
}

const fine: ToolResult = { structured: { seen: 1 }, isError: false };
const finish = () => Promise.resolve(fine);

describe('the server of the Model Context Protocol', () => {
  for (const [asked, given] of [
    ['2025-11-25', '2025-11-25'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['1999-01-01', '2025-11-25'],
  ] as const) {
    it(`answers a handshake in revision ${asked} with ${given}`, async () => {
      const { ask } = start(finish);
      const { result } = await ask('initialize', { ...handshake, protocolVersion: asked });
      assert.deepEqual(result, {
        protocolVersion: given,
        capabilities: {
          tools: { listChanged: false },
          prompts: { listChanged: false },
          resources: { listChanged: true },
        },
        serverInfo: { name: 'gpu-rental', title: 'GPU Rental', version: '1.2.3' },
        instructions: 'Ask first.',
      });
    });
  }

  it('refuses a revision without a handshake that it does not know, and names the one it knows', async () => {
    const { ask } = start(finish);
    const _meta = { ...modern, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' };
    const { error } = await ask('server/discover', { _meta });
    assert.equal(error?.code, -32022);
    assert.deepEqual(error.data, { supported: ['2026-07-28'], requested: '2030-01-01' });
  });

  it('lists its tools with their schemas as they are, in both kinds of revisions', async () => {
    const old = start(finish);
    await old.ask('initialize', handshake);
    assert.deepEqual((await old.ask('tools/list')).result, { tools: [tool] });
    const { ask } = start(finish);
    const { result } = await ask('tools/list', { _meta: modern });
    assert.deepEqual(result?.['tools'], [tool]);
    assert.equal(result['resultType'], 'complete');
    assert.equal(result['cacheScope'], 'private');
    assert.equal(result['ttlMs'], 0);
  });

  it('passes on who calls and arguments of every kind, which the editor checks', async () => {
    const calls: ToolCall[] = [];
    const call = (one: ToolCall) => {
      calls.push(one);
      return Promise.resolve(fine);
    };
    const old = start(call);
    await old.ask('initialize', handshake);
    const { result } = await old.ask('tools/call', { name: 'look', arguments: { a: 1, b: 2 } });
    assert.deepEqual(result, {
      content: [{ type: 'text', text: '{"seen":1}' }],
      structuredContent: { seen: 1 },
    });
    await start(call).ask('tools/call', { name: 'look', _meta: modern });
    assert.deepEqual(calls, [
      { tool: 'look', input: { a: 1, b: 2 }, client: 'old' },
      { tool: 'look', input: {}, client: 'new' },
    ]);
  });

  it('notifies a client of progress only if it asks for that', async () => {
    for (const token of ['token-1', 7, undefined]) {
      const clock = new FakeClock();
      let end: (result: ToolResult) => void = () => undefined;
      const { ask, sent } = start(() => new Promise((resolve) => (end = resolve)), clock);
      await ask('initialize', handshake);
      const _meta = token === undefined ? {} : { progressToken: token };
      const called = ask('tools/call', { name: 'look', _meta });
      await until('the call', () => clock.untilNext !== undefined || token === undefined);
      await clock.advance(11_000);
      end(fine);
      await called;
      const told = sent.filter(({ method }) => method === 'notifications/progress');
      assert.deepEqual(
        told.map(({ params }) => params),
        token === undefined
          ? []
          : [
              { progressToken: token, progress: 5 },
              { progressToken: token, progress: 10 },
            ],
      );
      assert.equal(clock.untilNext, undefined);
    }
  });

  it('marks an error in its result, without content that would not fit the schema of the tool', async () => {
    const { ask } = start(() => Promise.resolve({ structured: { error: 'Call again.' }, isError: true }));
    const { result } = await ask('tools/call', { name: 'look' });
    assert.deepEqual(result, { content: [{ type: 'text', text: 'Call again.' }], isError: true });
  });

  it('calls nothing that it does not list, and has no other methods', async () => {
    const { ask } = start(() => Promise.reject(new Error('it was called')));
    for (const name of ['other', '__proto__', 'constructor', 7, undefined]) {
      assert.equal((await ask('tools/call', { name })).error?.code, -32602, String(name));
    }
    assert.equal((await ask('completion/complete')).error?.code, -32601);
    assert.equal((await ask('server/discover')).error?.code, -32601);
  });

  it('hides the text of an error of its own, and names what to do', async () => {
    const { ask } = start(() => Promise.reject(new Error('key=secret')));
    const { result } = await ask('tools/call', { name: 'look' });
    assert.equal(result?.['isError'], true);
    assert.match(JSON.stringify(result), /failed to answer\. Call again/);
    assert.doesNotMatch(JSON.stringify(result), /secret/);
  });

  it('aborts a call that the client cancels, and gives it no answer', async () => {
    let signal: AbortSignal | undefined;
    const { send, sent, ask } = start((_, given) => {
      signal = given;
      return new Promise((resolve) => given.addEventListener('abort', () => resolve(fine)));
    });
    send({ id: 'a', method: 'tools/call', params: { name: 'look' } });
    await until('it is called', () => signal !== undefined);
    send({ method: 'notifications/cancelled', params: { requestId: 'a' } });
    await ask('ping');
    assert.equal(signal?.aborted, true);
    assert.deepEqual(
      sent.filter(({ id }) => id === 'a'),
      [],
    );
  });

  it('aborts every call once the client is gone', async () => {
    let signal: AbortSignal | undefined;
    const { send, input } = start((_, given) => {
      signal = given;
      return new Promise(() => undefined);
    });
    send({ id: 'a', method: 'tools/call', params: { name: 'look' } });
    await until('it is called', () => signal !== undefined);
    input.end();
    await until('it is aborted', () => signal?.aborted === true);
  });
});
