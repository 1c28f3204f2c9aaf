import assert from 'node:assert/strict';
import { McpServer, type ToolResult, type ToolCall } from '../../../../src/agents/mcp/mcpServer';

const modern = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
const tool = {
  name: 'look',
  title: 'Look',
  description: 'Looks.',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
};

interface Message {
  readonly id?: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

function start(call: (call: ToolCall, signal: AbortSignal) => Promise<ToolResult>) {
  const sent: Message[] = [];
  const server = new McpServer({
    version: '1.2.3',
    instructions: 'Ask first.',
    tools: [tool],
    call,
    send: (message) => sent.push(message),
  });
  const ask = async (method: string, params?: object): Promise<Message> => {
    const before = sent.length;
    server.take({ jsonrpc: '2.0', id: 1, method, ...(params ? { params } : {}) });
    for (let turn = 0; turn < 20 && sent.length === before; turn += 1) await Promise.resolve();
    const message = sent[before];
    assert.ok(message, `${method} has no answer`);
    return message;
  };
  return { server, sent, ask };
}

const fine: ToolResult = { structured: { seen: 1 }, isError: false };

describe('the server of the Model Context Protocol', () => {
  it('takes the version of a client that it knows, and offers its newest to others', async () => {
    const { ask } = start(() => Promise.resolve(fine));
    for (const [asked, given] of [
      ['2025-11-25', '2025-11-25'],
      ['2025-06-18', '2025-06-18'],
      ['2024-11-05', '2024-11-05'],
      ['1999-01-01', '2025-11-25'],
      [7, '2025-11-25'],
    ]) {
      const { result } = await ask('initialize', { protocolVersion: asked });
      assert.equal(result?.['protocolVersion'], given);
      assert.equal(result?.['instructions'], 'Ask first.');
    }
  });

  it('refuses a version of the stateless kind that it does not speak, and names the one it does', async () => {
    const { ask } = start(() => Promise.resolve(fine));
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2030-01-01' };
    const { error } = await ask('server/discover', { _meta });
    assert.equal(error?.code, -32022);
    assert.deepEqual(error.data, { supported: ['2026-07-28'], requested: '2030-01-01' });
  });

  it('says in each result of the stateless kind that it is complete', async () => {
    const { ask } = start(() => Promise.resolve(fine));
    for (const [method, params] of [
      ['server/discover', {}],
      ['tools/list', {}],
      ['tools/call', { name: 'look' }],
    ] as const) {
      const { result } = await ask(method, { ...params, _meta: modern });
      assert.equal(result?.['resultType'], 'complete', method);
    }
    const { result } = await ask('tools/list');
    assert.deepEqual(result, { tools: [tool] });
  });

  it('has no method of one kind in the other', async () => {
    const { ask } = start(() => Promise.resolve(fine));
    assert.equal((await ask('server/discover')).error?.code, -32601);
    assert.equal((await ask('initialize', { _meta: modern })).error?.code, -32601);
    assert.equal((await ask('resources/list')).error?.code, -32601);
  });

  it('passes on who calls, and marks what went wrong in a result', async () => {
    const calls: ToolCall[] = [];
    const { ask } = start((call) => {
      calls.push(call);
      return Promise.resolve({ structured: { error: 'Call again.' }, isError: true });
    });
    await ask('initialize', { protocolVersion: '2025-11-25', clientInfo: { name: 'old' } });
    const { result } = await ask('tools/call', { name: 'look', arguments: { a: 1 } });
    assert.equal(result?.['isError'], true);
    assert.deepEqual(result['content'], [{ type: 'text', text: 'Call again.' }]);
    assert.ok(!('structuredContent' in result), 'it would not fit the schema of the tool');
    const _meta = { ...modern, 'io.modelcontextprotocol/clientInfo': { name: 'new' } };
    await ask('tools/call', { name: 'look', _meta });
    assert.deepEqual(calls, [
      { tool: 'look', input: { a: 1 }, client: 'old' },
      { tool: 'look', input: {}, client: 'new' },
    ]);
  });

  it('calls nothing that it does not list', async () => {
    const { ask } = start(() => Promise.reject(new Error('it was called')));
    for (const name of ['other', '__proto__', 7, undefined]) {
      assert.equal((await ask('tools/call', { name })).error?.code, -32602);
    }
  });

  it('takes each odd line and goes on', async () => {
    const { server, sent, ask } = start(() => Promise.resolve(fine));
    for (const line of [
      undefined,
      null,
      7,
      'text',
      [],
      {},
      { jsonrpc: '2.0' },
      { jsonrpc: '1.0', method: 'ping' },
    ]) {
      server.take(line);
    }
    server.take({ jsonrpc: '2.0', id: { a: 1 }, method: 'ping' });
    server.take({ jsonrpc: '2.0', id: 1, result: {} });
    server.take({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: { a: 1 } } });
    const [unreadable, ...invalid] = sent.map(({ error, id }) => `${String(error?.code)} ${String(id)}`);
    assert.equal(unreadable, '-32700 null');
    assert.deepEqual([invalid.length, ...new Set(invalid)], [7, '-32600 null']);
    assert.deepEqual((await ask('ping')).result, {});
  });

  it('answers several messages that come at once together, and notes among them with nothing', async () => {
    let finish: (result: ToolResult) => void = () => undefined;
    const { server, sent } = start(() => new Promise((resolve) => (finish = resolve)));
    const rest = async () => {
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    };
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
    server.take([
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'look' } },
      note,
      { jsonrpc: '2.0', id: 2, method: 'ping' },
      7,
    ]);
    await rest();
    assert.deepEqual(sent, []);
    finish(fine);
    await rest();
    const [answers, ...more] = sent as unknown as readonly (readonly Message[])[];
    assert.deepEqual(more, []);
    assert.deepEqual(
      answers?.map(({ id, error }) => [id, error?.code]),
      [
        [null, -32600],
        [2, undefined],
        [1, undefined],
      ],
    );
    server.take([note]);
    await rest();
    assert.equal(sent.length, 1);
  });

  it('hides what an error of its own says', async () => {
    const { ask } = start(() => Promise.reject(new Error('key=secret')));
    assert.deepEqual((await ask('tools/call', { name: 'look' })).error, {
      code: -32603,
      message: 'Internal error',
    });
  });

  it('aborts a call that the client cancels, and gives it no answer', async () => {
    let signal: AbortSignal | undefined;
    const { server, sent } = start((_, given) => {
      signal = given;
      return new Promise((resolve) => given.addEventListener('abort', () => resolve(fine)));
    });
    server.take({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'look' } });
    server.take({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } });
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    assert.equal(signal?.aborted, true);
    assert.deepEqual(sent, []);
  });
});
