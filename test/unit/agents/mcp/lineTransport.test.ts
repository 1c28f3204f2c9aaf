import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { LineTransport } from '../../../../src/agents/mcp/lineTransport';
import { until } from '../../../support/until';

async function take(...lines: readonly string[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  const transport = new LineTransport(input, output);
  const messages: unknown[] = [];
  let isClosed = false;
  transport.onmessage = (message) => messages.push(message);
  transport.onclose = () => (isClosed = true);
  await transport.start();
  input.end(lines.map((line) => `${line}\n`).join(''));
  await until('all lines are read', () => isClosed);
  const written = String(output.read() ?? '');
  const refusals = written
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const { id, error } = JSON.parse(line) as { id: unknown; error: { code: number } };
      return [id, error.code];
    });
  return { messages, refusals, clientName: transport.clientName };
}

const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' });

describe('the lines of the MCP server', () => {
  it('refuses each line that is no message, and continues', async () => {
    const odd = [
      null,
      7,
      'text',
      [],
      {},
      { jsonrpc: '2.0' },
      { jsonrpc: '1.0', method: 'ping' },
      ping({ a: 1 }),
    ];
    const { messages, refusals } = await take(
      'garbage',
      ...odd.map((value) => JSON.stringify(value)),
      JSON.stringify({ jsonrpc: '2.0', id: 'b', method: 7 }),
      JSON.stringify(ping(1)),
    );
    assert.deepEqual(refusals, [[null, -32700], ...odd.map(() => [null, -32600]), ['b', -32600]]);
    assert.deepEqual(messages, [ping(1)]);
  });

  it('refuses a line that is too long, and reads the next one', async () => {
    const long = { ...ping(1), params: { padding: 'x'.repeat(1024 * 1024) } };
    const { messages, refusals } = await take(JSON.stringify(long), JSON.stringify(ping(2)));
    assert.deepEqual(refusals, [[null, -32600]]);
    assert.deepEqual(messages, [ping(2)]);
  });

  it('reads several messages of one line', async () => {
    const { messages, refusals } = await take(JSON.stringify([ping(1), 7, ping(2)]));
    assert.deepEqual(messages, [ping(1), ping(2)]);
    assert.deepEqual(refusals, [[null, -32600]]);
  });

  it('reads null for parameters as left out, and keeps the nulls of a tool', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
    const { messages, refusals } = await take(
      JSON.stringify({ ...ping(1), params: null }),
      JSON.stringify({ ...call, params: { name: 'list_instances', arguments: null, _meta: null } }),
      JSON.stringify({ ...call, params: { name: 'search_offers', arguments: { country: null } } }),
    );
    assert.deepEqual(refusals, []);
    assert.deepEqual(messages, [
      ping(1),
      { ...call, params: { name: 'list_instances' } },
      { ...call, params: { name: 'search_offers', arguments: { country: null } } },
    ]);
  });

  it('keeps the name that a client gives in its handshake', async () => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'old', version: '1' },
    };
    const { clientName } = await take(JSON.stringify({ ...ping(1), method: 'initialize', params }));
    assert.equal(clientName, 'old');
    assert.equal((await take(JSON.stringify(ping(1)))).clientName, '');
  });
});
