import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import { toolSpecs } from '../../src/agents/model/tools';
import { createWindowHub } from '../../src/store/windows/windowHub';
import { systemClock } from '../../src/util/clock';
import { silentLog } from '../../src/util/log';
import { bundled } from '../support/bundled';
import { connectOfficialClient, type OfficialClient } from '../support/officialMcpClient';
import { until } from '../support/until';

/** Twenty times as fast, so that waiting for an editor that is not there takes a moment; one that is there may be slow. */
const fast = { GPU_RENTAL_PACE: '20' };
const order = { name: 'destroy_instance', arguments: { instance: 'inst_1', requestId: 'request-1' } };
const pending = { state: 'pending', next: 'Call get_request.' };

describe('the server for agents outside of the editor, by the official client', () => {
  let dir: string;
  let clients: OfficialClient[];
  let windows: ReturnType<typeof createWindowHub>[];
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'gpu-rental-mcp-'));
    clients = [];
    windows = [];
  });
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    windows.forEach((window) => window.dispose());
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  });

  async function start(mode: Parameters<typeof connectOfficialClient>[1] = 'auto', env = {}) {
    const script = bundled(path.join(__dirname, '..', '..', 'src', 'agents', 'mcp', 'main.ts'));
    const client = await connectOfficialClient([script, dir], mode, env);
    clients.push(client);
    return client;
  }

  async function openWindow() {
    const window = createWindowHub({ storageDir: dir, clock: systemClock, log: silentLog });
    windows.push(window);
    await until('the window meets the others', () => window.isLeader || windows.length > 1);
    return window;
  }

  const eras = { legacy: '2025-11-25', auto: '2026-07-28' } as const;
  for (const [mode, version] of Object.entries(eras)) {
    it(`lists and calls its tools in revision ${version}`, async () => {
      const asked: unknown[] = [];
      (await openWindow()).agents.serve((what) => {
        asked.push(what);
        return Promise.resolve({ structured: pending, isError: false });
      });
      const client = await start(mode as keyof typeof eras);
      assert.equal(client.getNegotiatedProtocolVersion(), version);
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        toolSpecs.map(({ name }) => name),
      );
      assert.ok(tools.every(({ inputSchema }) => inputSchema.type === 'object'));
      const { structuredContent, content, isError } = await client.callTool(order);
      assert.deepEqual(structuredContent, pending);
      assert.deepEqual(JSON.parse(content[0]?.text ?? ''), pending);
      assert.notEqual(isError, true);
      const { session, ...rest } = z.looseObject({ session: z.string() }).parse(asked[0]);
      assert.deepEqual(rest, { tool: 'destroy_instance', input: order.arguments, client: 'official-client' });
      assert.match(session, /^[0-9a-f]{32}$/);
      await client.callTool(order);
      assert.deepEqual(asked, [asked[0], asked[0]], 'a client keeps its session');
    });
  }

  it('lists its tools and does nothing where no editor is open', async () => {
    const client = await start('auto', fast);
    // From here on the client holds each answer against the schema of its tool.
    assert.equal((await client.listTools()).tools.length, toolSpecs.length);
    const { isError, content } = await client.callTool(order);
    assert.equal(isError, true);
    assert.match(content[0]?.text ?? '', /no window with it is open\. Nothing was done/);
  });

  it('finds the editor that was opened after it, and the window that leads next', async () => {
    const client = await start();
    const calls: string[] = [];
    const serve = (name: string, window: Awaited<ReturnType<typeof openWindow>>, answers: boolean) =>
      window.agents.serve(() => {
        calls.push(name);
        return answers
          ? Promise.resolve({ structured: pending, isError: false })
          : new Promise(() => undefined);
      });
    const first = await openWindow();
    serve('first', first, false);
    serve('second', await openWindow(), true);
    const call = client.callTool(order);
    await until('the first window is asked', () => calls.length === 1);
    first.dispose();
    assert.deepEqual((await call).structuredContent, pending);
    assert.deepEqual(calls, ['first', 'second']);
  });

  it('informs the window that a call was cancelled, and accepts the next one', async () => {
    const aborted: boolean[] = [];
    let asked = 0;
    (await openWindow()).agents.serve(
      (_, signal) =>
        new Promise((resolve) => {
          asked += 1;
          signal.addEventListener('abort', () => {
            aborted.push(true);
            resolve({ structured: pending, isError: false });
          });
          if (asked > 1) {
            resolve({ structured: pending, isError: false });
          }
        }),
    );
    const client = await start();
    const user = new AbortController();
    const call = assert.rejects(client.callTool(order, { signal: user.signal }));
    await until('the window is asked', () => asked === 1);
    user.abort();
    await call;
    await until('the window hears of it', () => aborted.length === 1);
    assert.deepEqual((await client.callTool(order)).structuredContent, pending);
  });

  it('writes nothing but its messages, and ends with its client', async () => {
    const script = bundled(path.join(__dirname, '..', '..', 'src', 'agents', 'mcp', 'main.ts'));
    const child = spawn(process.execPath, [script, dir], { env: { ...process.env, ...fast } });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => (out += String(chunk)));
    child.stderr.on('data', (chunk) => (err += String(chunk)));
    child.stdin.write('garbage\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n[]\n');
    await until('it answers', () => out.split('\n').length === 4);
    child.stdin.end();
    const [code] = (await once(child, 'exit')) as [number];
    assert.equal(code, 0);
    assert.equal(err, '');
    assert.deepEqual(
      out
        .trim()
        .split('\n')
        .map((line) => Object.keys(JSON.parse(line) as object).includes('jsonrpc')),
      [true, true, true],
    );
  });

  it('refuses a line that is too long, and answers the call that is under way and the next one', async () => {
    let answer = () => {};
    let asked = 0;
    (await openWindow()).agents.serve(() => {
      asked += 1;
      return new Promise((resolve) => {
        answer = () => {
          resolve({ structured: pending, isError: false });
        };
      });
    });
    const script = bundled(path.join(__dirname, '..', '..', 'src', 'agents', 'mcp', 'main.ts'));
    const child = spawn(process.execPath, [script, dir]);
    let out = '';
    child.stdout.on('data', (chunk) => (out += String(chunk)));
    const answers = () =>
      out
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as { id: unknown; error?: unknown; result?: unknown });
    const send = (id: number, method: string, params = {}) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    send(1, 'tools/call', order);
    await until('the window is asked', () => asked === 1);
    send(2, 'tools/call', { ...order, padding: 'x'.repeat(3 * 1024 * 1024) });
    send(3, 'ping');
    await until('the answers', () => answers().length === 2 || child.exitCode !== null);
    assert.equal(child.exitCode, null, 'it goes on');
    const [refused, pong] = answers();
    assert.deepEqual(refused, {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: 'Invalid request: the line is too long' },
    });
    assert.deepEqual(pong, { jsonrpc: '2.0', id: 3, result: {} });
    answer();
    await until('the answer of the call', () => answers().length === 3);
    assert.equal(answers()[2]?.id, 1);
    assert.ok(answers()[2]?.result);
    assert.equal(asked, 1, 'nothing of the long line is done');
    child.stdin.end();
    await once(child, 'exit');
  });
});
