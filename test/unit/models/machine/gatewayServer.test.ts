import assert from 'node:assert/strict';
import { createServer, request as ask, type IncomingMessage, type RequestOptions } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { text } from 'node:stream/consumers';
import type { GatewayServer } from '../../../../src/models/machine/gatewayServer';
import { engineKey, useEngines } from '../../../support/engineStandIn';
import { useGateways, type GatewayScene } from '../../../support/gatewayScene';
import { until } from '../../../support/until';

const hello = { model: 'qwen', messages: [{ role: 'user', content: 'Hello' }] };

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly code: string | undefined;
}

/** A request as any program could send it: with any header and any address. */
function send(
  { port }: Pick<GatewayServer, 'port'>,
  options: RequestOptions,
  body?: string | Buffer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = ask({ host: '127.0.0.1', port, agent: false, ...options }, (response) => {
      text(response).then((whole) => {
        const error = /"code":"(\w+)"/.exec(whole);
        resolve({ status: response.statusCode ?? 0, body: whole, code: error?.[1] });
      }, reject);
    });
    request.once('error', reject);
    request.end(body);
  });
}

const post = (scene: GatewayScene, body: string | Buffer, headers: Readonly<Record<string, string>> = {}) =>
  send(
    scene.gateway,
    { method: 'POST', path: '/v1/chat/completions', headers: { ...scene.headers, ...headers } },
    body,
  );

describe('the gateway to served models', () => {
  const engines = useEngines();
  const gateways = useGateways();

  it('listens on the loopback address alone', async () => {
    const { gateway } = await gateways.start();
    assert.ok(gateway.port > 0);
    await assert.rejects(send(gateway, { host: '127.0.0.2', path: '/v1/models' }), /ECONNREFUSED/);
    await assert.rejects(send(gateway, { host: '::1', path: '/v1/models' }), /ECONNREFUSED/);
  });

  it('refuses every request without its key, also one for an unknown address', async () => {
    const { gateway, key } = await gateways.start();
    const wrong = [
      '',
      'Bearer ',
      `Bearer ${key}x`,
      `Bearer ${key.slice(1)}`,
      key,
      `Basic ${key}`,
      `bearer ${key}`,
    ];
    for (const authorization of wrong) {
      for (const path of ['/v1/models', '/metrics', '/']) {
        const answer = await send(gateway, { path, headers: { authorization } });
        assert.equal(answer.status, 401, `${authorization} ${path}`);
        assert.equal(answer.code, 'invalid_api_key');
      }
    }
  });

  it('refuses a page of the web whose name leads to this computer, with any key', async () => {
    const { gateway, headers } = await gateways.start();
    for (const host of ['evil.example', `evil.example:${gateway.port}`, '127.0.0.1', '127.0.0.1:1']) {
      const answer = await send(gateway, { path: '/v1/models', headers: { ...headers, host } });
      assert.equal(answer.status, 403, host);
    }
    const host = `localhost:${gateway.port}`;
    assert.equal((await send(gateway, { path: '/v1/models', headers: { ...headers, host } })).status, 200);
  });

  it('passes a few addresses alone, in any spelling of others', async () => {
    const { gateway, headers } = await gateways.start();
    const paths = [
      '/',
      '/metrics',
      '/v1',
      '/v1/',
      '/v1/../metrics',
      '/v1/chat/completions/../../../metrics',
      '/v1/chat/completions/',
      '//v1/chat/completions',
      '/V1/chat/completions',
      '/v1/chat%2fcompletions',
      '/tokenize',
      '/invocations',
      '/pause',
      'http://127.0.0.1/v1/models',
    ];
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
        assert.equal((await send(gateway, { path, method, headers })).status, 404, `${method} ${path}`);
      }
    }
    assert.equal((await send(gateway, { path: '/v1/chat/completions', headers })).status, 404);
    assert.equal((await send(gateway, { path: '/v1/models', method: 'POST', headers })).status, 404);
  });

  it('refuses bodies that are too long, no JSON, too deep, or without a model', async () => {
    const scene = await gateways.start();
    const large = Buffer.alloc(33 * 1024 * 1024, ' ');
    assert.equal((await post(scene, large)).status, 413);
    assert.equal((await post(scene, large, { 'transfer-encoding': 'chunked' })).code, 'request_too_large');
    for (const body of ['', '{', 'null', '[]', '7', '{"model":7}', '{"messages":[]}', '['.repeat(5000)]) {
      assert.equal((await post(scene, body)).status, 400, body.slice(0, 20));
    }
    assert.equal((await post(scene, '{"model":"other"}')).code, 'model_not_found');
    const many = { ...scene.headers, 'x-many': 'A'.repeat(20_000) };
    assert.equal((await send(scene.gateway, { path: '/v1/models', headers: many })).status, 431);
  });

  it('lists the models that answer now, with their context', async () => {
    const scene = await gateways.start();
    scene.models.push({ name: 'gone', repository: 'a/gone', why: 'The model was stopped.' });
    const { body } = await send(scene.gateway, { path: '/v1/models', headers: scene.headers });
    const list = JSON.parse(body) as { data: unknown };
    assert.deepEqual(list.data, [
      { id: 'qwen', object: 'model', created: 0, owned_by: 'Qwen/Qwen3-8B', max_model_len: 32_768 },
    ]);
    const gone = await post(scene, '{"model":"gone"}');
    assert.equal(gone.status, 503);
    assert.match(gone.body, /The model was stopped\./);
  });

  it('passes an answer piece by piece, and asks the engine with the key of the engine', async () => {
    const engine = await engines.ready();
    const scene = await gateways.to(engine.port);
    const whole = await post(scene, JSON.stringify(hello));
    assert.match(whole.body, /I am a stand-in for qwen/);
    const pieces: string[] = [];
    const body = JSON.stringify({
      ...hello,
      stream: true,
      messages: [{ role: 'user', content: 'Count to 300' }],
    });
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const { port } = scene.gateway;
      const options = { host: '127.0.0.1', port, path: '/v1/chat/completions', method: 'POST' };
      ask({ ...options, headers: scene.headers }, resolve)
        .once('error', reject)
        .end(body);
    });
    for await (const piece of answer as AsyncIterable<Buffer>) {
      pieces.push(piece.toString('utf8'));
    }
    assert.ok(pieces.length > 20, `${pieces.length} pieces`);
    assert.ok(pieces.join('').endsWith('data: [DONE]\n\n'));
    assert.ok(!pieces.join('').includes(engineKey));
  });

  it('ends the request to the engine when its client is gone', async () => {
    const engine = await engines.ready();
    const scene = await gateways.to(engine.port);
    const stop = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${scene.gateway.port}/v1/chat/completions`, {
      method: 'POST',
      headers: scene.headers,
      signal: stop.signal,
      body: JSON.stringify({
        ...hello,
        stream: true,
        messages: [{ role: 'user', content: 'Count to 100000' }],
      }),
    });
    await answer.body?.getReader().read();
    const running = async () =>
      /num_requests_running\{.*?\} (\d)/.exec(await (await fetch(`${engine.url}/metrics`)).text())?.[1];
    assert.equal(await running(), '1');
    stop.abort();
    await until('the engine to stop', async () => (await running()) === '0', { everyMs: 20 });
  });

  it('names a context that is too short by the code that clients know', async () => {
    const body = JSON.stringify({ ...hello, messages: [{ role: 'user', content: 'word '.repeat(3000) }] });
    for (const [engine, args] of [
      ['vllm', ['--max-model-len', '1000']],
      ['llama-server', ['-c', '1000']],
    ] as const) {
      const { port } = await engines.ready({ engine, args });
      const answer = await post(await gateways.to(port), body);
      assert.equal(answer.status, 400);
      assert.equal(answer.code, 'context_length_exceeded');
    }
  });

  it('answers 503 while the engine has another key, and reports that', async () => {
    const engine = await engines.ready({ env: { VLLM_API_KEY: 'another' } });
    const scene = await gateways.to(engine.port);
    const answer = await post(scene, JSON.stringify(hello));
    assert.equal(answer.status, 503);
    assert.equal(scene.refused.length, 1);
  });

  it('answers 503 at once where nothing listens, and asks once alone', async () => {
    let asked = 0;
    const server: Server = createServer((request) => {
      asked += 1;
      request.socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const scene = await gateways.to(port);
    assert.equal((await post(scene, JSON.stringify(hello))).code, 'model_unreachable');
    assert.equal(asked, 1);
    await new Promise((resolve) => server.close(resolve));
    assert.equal((await post(scene, JSON.stringify(hello))).code, 'model_unreachable');
  });
});
