import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chooseTransport, defaultNetworkSettings } from '../../../src/api/chooseTransport';
import { registryOrigin, registryTags, TagsHiddenError } from '../../../src/api/registryTags';
import { UndiciTransport } from '../../../src/api/undiciTransport';
import { UserError } from '../../../src/util/errors';
import { FakeClock } from '../../support/fakeClock';

interface Asked {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}
interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const basic = `Basic ${Buffer.from('ana:push-only').toString('base64')}`;

describe('the tags of a registry', () => {
  const transport = new UndiciTransport();
  let server: Server;
  let registry: string;
  let asked: Asked[];
  let answers: (request: Asked) => Answer;

  before(async () => {
    server = createServer((request, response) => {
      const one = { url: request.url ?? '', headers: request.headers };
      asked.push(one);
      const { status, headers = {}, body = {} } = answers(one);
      response.writeHead(status, headers);
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    registry = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    asked = [];
  });
  after(async () => {
    await transport.close();
    server.close();
  });

  const read = () =>
    registryTags(
      { registry, repository: 'ana/warm', user: 'ana', password: 'push-only' },
      { transport, clock: new FakeClock() },
    );
  const challenged = (challenge: string, then: Answer) => (request: Asked) =>
    request.headers.authorization === undefined
      ? { status: 401, headers: { 'www-authenticate': challenge } }
      : then;

  it('are read without a login where the registry asks for none', async () => {
    answers = () => ({ status: 200, body: { name: 'ana/warm', tags: ['a', 'b'] } });
    assert.deepEqual(await read(), ['a', 'b']);
    assert.deepEqual(
      asked.map(({ url, headers }) => [url, headers.authorization]),
      [['/v2/ana/warm/tags/list?n=1000', undefined]],
    );
  });

  it('are none for a repository that does not exist yet, or that has none', async () => {
    answers = () => ({ status: 404 });
    assert.deepEqual(await read(), []);
    answers = () => ({ status: 200, body: { tags: null } });
    assert.deepEqual(await read(), []);
  });

  it('are read with the password where the registry asks for it', async () => {
    answers = challenged('Basic realm="x"', { status: 200, body: { tags: ['a'] } });
    assert.deepEqual(await read(), ['a']);
    assert.equal(asked.at(-1)?.headers.authorization, basic);
  });

  it('are read with a token of the place that the registry names', async () => {
    answers = (request) =>
      request.url.startsWith('/token')
        ? { status: request.headers.authorization === basic ? 200 : 401, body: { token: 'tok' } }
        : request.headers.authorization === 'Bearer tok'
          ? { status: 200, body: { tags: ['a'] } }
          : {
              status: 401,
              headers: { 'www-authenticate': `Bearer realm="http://${registry}/token",service="s"` },
            };
    assert.deepEqual(await read(), ['a']);
    assert.equal(asked[1]?.url, '/token?service=s&scope=repository%3Aana%2Fwarm%3Apull');
  });

  it('send the password to no place without HTTPS, and to no unknown form of login', async () => {
    for (const challenge of [
      'Bearer realm="http://192.0.2.1/token",service="s"',
      'Bearer realm="ftp://x"',
      'Digest realm="x"',
      'Bearer realm="not an address"',
      '',
    ]) {
      answers = challenged(challenge, { status: 200, body: { tags: [] } });
      await assert.rejects(read(), UserError, challenge);
      assert.ok(
        asked.every(({ headers }) => headers.authorization === undefined),
        challenge,
      );
    }
  });

  it('are hidden from a login that can only push, and unknown for an odd answer', async () => {
    answers = challenged('Basic realm="x"', { status: 403 });
    await assert.rejects(read(), TagsHiddenError);
    for (const odd of [
      { status: 500 },
      { status: 200, body: 'no JSON' },
      { status: 200, body: { tags: 'a' } },
    ]) {
      answers = () => odd;
      await assert.rejects(
        read(),
        (error) => error instanceof UserError && !(error instanceof TagsHiddenError),
      );
    }
  });

  it('of this computer are read past every proxy, and those of others as the editor reads them', () => {
    const settings = { ...defaultNetworkSettings, proxy: 'http://proxy.example.com:3128' };
    const kindFor = (name: string) =>
      chooseTransport({ baseUrl: registryOrigin(name), settings, env: {}, inExtensionHost: true });
    assert.deepEqual(kindFor('localhost:5000'), {
      ...{ kind: 'undici', proxy: undefined, acceptAnyProxyCertificate: false, systemCertificates: true },
    });
    assert.deepEqual(kindFor('docker.io'), { kind: 'hostFetch' });
    assert.equal(registryOrigin('registry.example.com').href, 'https://registry.example.com/');
  });
});
