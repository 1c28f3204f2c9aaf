import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { HostFetchTransport } from '../../../src/api/chooseTransport';
import { TransportFailure, type Transport, type TransportRequest } from '../../../src/api/transport';
import { UndiciTransport } from '../../../src/api/undiciTransport';
import { until } from '../../support/until';

const globalSlots = ['undici.globalDispatcher.1', 'undici.globalDispatcher.2'].map((name) =>
  Symbol.for(name),
);

const encoders: Readonly<Record<string, (text: string) => Buffer>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
};

for (const [name, make] of [
  ['UndiciTransport', () => new UndiciTransport()],
  ['HostFetchTransport', () => new HostFetchTransport()],
] as const) {
  describe(name, () => {
    let server: Server;
    let transport: Transport;
    let received: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];

    beforeEach(async () => {
      received = [];
      transport = make();
      server = createServer((request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          const { method = '', url = '', headers } = request;
          received.push({ method, url, headers, body });
          respond(url, response);
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });

    afterEach(async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await Promise.all([transport.close(), closed]);
    });

    const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    function send(path: string, more: Partial<TransportRequest> = {}) {
      return transport.send({
        method: 'GET',
        url: new URL(path, origin()),
        headers: { authorization: 'Bearer k' },
        signal: new AbortController().signal,
        timeoutMs: 20_000,
        maxBytes: 1000,
        ...more,
      });
    }

    const fails = (call: Promise<unknown>, kind: string) =>
      assert.rejects(call, (error) => {
        assert.ok(error instanceof TransportFailure);
        assert.equal(error.kind, kind, String(error.code));
        return true;
      });

    it('sends method, headers and body, and gives back status, headers and text', async () => {
      const body = '{"a":"ü"}';
      const headers = { authorization: 'Bearer k', 'content-type': 'application/json' };
      const answer = await send('/echo/?q=1', { method: 'PUT', body, headers });
      assert.equal(answer.status, 201);
      assert.equal(answer.headers['x-test'], 'yes');
      assert.equal(answer.text, 'grüße');
      const [seen] = received;
      assert.deepEqual([seen?.method, seen?.url, seen?.body], ['PUT', '/echo/?q=1', body]);
      assert.equal(seen?.headers.authorization, 'Bearer k');
      assert.equal(seen.headers['content-type'], 'application/json');
      assert.equal(seen.headers['cookie'], undefined);
    });

    it('sends a DELETE with a body', async () => {
      await send('/echo/', { method: 'DELETE', body: '{"key":"A"}' });
      assert.deepEqual([received[0]?.method, received[0]?.body], ['DELETE', '{"key":"A"}']);
    });

    for (const encoding of Object.keys(encoders)) {
      it(`reads an answer that is compressed with ${encoding}`, async () => {
        assert.equal((await send(`/compressed/${encoding}`)).text, 'grüße');
      });
    }

    it('gives up on an answer that is too large once it is decompressed', () =>
      fails(send('/bomb'), 'tooLarge'));

    it('names a connection that was lost within a compressed answer', () =>
      fails(send('/half-gzip'), 'lost'));

    it('gives an empty text for an answer without a body', async () => {
      const answer = await send('/empty');
      assert.deepEqual([answer.status, answer.text], [204, '']);
    });

    it('follows no redirect', async () => {
      const answer = await send('/redirect');
      assert.deepEqual([answer.status, answer.headers['location'], received.length], [302, '/echo/', 1]);
    });

    it('gives up on an answer that is too large', () => fails(send('/large'), 'tooLarge'));

    it('names a connection that was lost before the answer', () => fails(send('/lost'), 'lost'));

    it('names a connection that was lost within the answer', () => fails(send('/half'), 'lost'));

    it('names a connection that could not be made', async () => {
      const nobody = createServer();
      await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve));
      const { port } = nobody.address() as AddressInfo;
      await new Promise((resolve) => nobody.close(resolve));
      await fails(send('/', { url: new URL(`http://127.0.0.1:${port}/`) }), 'notReachable');
    });

    it('names a host that does not exist', () =>
      fails(send('/', { url: new URL('http://market.invalid/') }), 'notReachable'));

    it('ends with its signal while it waits', async () => {
      const controller = new AbortController();
      const call = send('/stall', { signal: controller.signal });
      call.catch(() => undefined);
      await until('the request', () => received.length === 1, { everyMs: 5 });
      controller.abort();
      await fails(call, 'aborted');
    });

    it('ends with its signal while it reads', async () => {
      const controller = new AbortController();
      const call = send('/drip', { signal: controller.signal });
      call.catch(() => undefined);
      await until('the request', () => received.length === 1, { everyMs: 5 });
      controller.abort();
      await fails(call, 'aborted');
    });

    it('works again after a failure', async () => {
      await fails(send('/lost'), 'lost');
      assert.equal((await send('/echo/')).status, 201);
    });

    it('sends a request once, even when a kept connection turns out to be closed', async () => {
      await send('/echo/');
      server.closeIdleConnections();
      await fails(send('/lost', { method: 'PUT', body: '{}' }), 'lost');
      assert.equal(received.filter((seen) => seen.url === '/lost').length, 1);
    });
  });
}

describe('UndiciTransport', () => {
  it('leaves the dispatchers of the whole process alone once they are set', async () => {
    const transport = new UndiciTransport();
    const read = () => globalSlots.map((slot) => (globalThis as unknown as Record<symbol, unknown>)[slot]);
    const request = {
      method: 'GET' as const,
      url: new URL('http://127.0.0.1:1/'),
      headers: {},
      signal: new AbortController().signal,
      timeoutMs: 100,
      maxBytes: 10,
    };
    await assert.rejects(transport.send(request));
    const before = read();
    await assert.rejects(transport.send(request));
    assert.deepEqual(
      read().map((slot, index) => slot === before[index]),
      [true, true],
    );
    await transport.close();
  });

  it('sends nothing once it is closed', async () => {
    const transport = new UndiciTransport();
    await transport.close();
    await assert.rejects(
      transport.send({
        method: 'GET',
        url: new URL('http://127.0.0.1:1/'),
        headers: {},
        signal: new AbortController().signal,
        timeoutMs: 100,
        maxBytes: 10,
      }),
      (error) => error instanceof TransportFailure && error.code === 'CLOSED',
    );
  });
});

function respond(url: string, response: ServerResponse): void {
  const encoding = /^\/compressed\/(.+)$/.exec(url)?.[1];
  if (encoding !== undefined) {
    response.writeHead(200, { 'Content-Encoding': encoding });
    response.end(encoders[encoding]?.('grüße'));
    return;
  }
  switch (url) {
    case '/bomb':
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(100_000)));
      return;
    case '/half-gzip':
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': 100 });
      response.write(gzipSync('half').subarray(0, 15), () => response.destroy());
      return;
    case '/redirect':
      response.writeHead(302, { location: '/echo/' }).end();
      return;
    case '/empty':
      response.writeHead(204).end();
      return;
    case '/large':
      response.end('x'.repeat(5000));
      return;
    case '/lost':
      response.destroy();
      return;
    case '/half':
      response.writeHead(200, { 'content-length': 100 });
      response.write('half', () => response.destroy());
      return;
    case '/stall':
      return;
    case '/drip':
      response.writeHead(200, { 'content-length': 100 });
      response.write('some');
      return;
    default:
      response.writeHead(201, { 'x-test': 'yes', 'set-cookie': 'a=b' }).end('grüße');
  }
}
