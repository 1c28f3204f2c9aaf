import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  chooseTransport,
  createTransport,
  defaultNetworkSettings,
  type NetworkSettings,
  type TransportChoice,
  HostFetchTransport,
} from '../../../src/api/chooseTransport';
import { createClient } from '../../../src/api/createClient';
import { NotReachableError } from '../../../src/api/errors';
import type { ProxyEnvironment } from '../../../src/api/proxySettings';
import { TransportFailure } from '../../../src/api/transport';
import { UndiciTransport } from '../../../src/api/undiciTransport';
import { systemClock } from '../../../src/util/clock';
import { silentLog } from '../../../src/util/log';
import { withAuthority } from '../../support/tlsFiles';

function choose(
  baseUrl: string,
  settings: Partial<NetworkSettings> = {},
  env: ProxyEnvironment = {},
  inExtensionHost = true,
): TransportChoice {
  return chooseTransport({
    baseUrl: new URL(baseUrl),
    settings: { ...defaultNetworkSettings, ...settings },
    env,
    inExtensionHost,
  });
}

const own = (proxy?: string, loose = false): TransportChoice => ({
  kind: 'undici',
  proxy,
  acceptAnyProxyCertificate: loose,
  systemCertificates: true,
});
const host: TransportChoice = { kind: 'hostFetch' };
const service = 'https://console.example.com';

describe('chooseTransport', () => {
  const cases: readonly (readonly [string, TransportChoice, TransportChoice])[] = [
    ['the host for a service on the network', choose(service), host],
    ['the host behind a proxy of the settings', choose(service, { proxy: 'http://p:1' }), host],
    [
      'our own dispatcher for loopback, past every proxy',
      choose('http://127.0.0.1:1', { proxy: 'http://p:1' }),
      own(),
    ],
    ['our own outside an extension host', choose(service, {}, {}, false), own()],
    [
      'the proxy of the environment there',
      choose(service, {}, { https_proxy: 'http://e:1' }, false),
      own('http://e:1'),
    ],
    [
      'our own, directly, where VS Code supports no proxy',
      choose(service, { proxySupport: 'off', proxy: 'http://p:1' }),
      own(),
    ],
    [
      'our own for a proxy whose certificate is not checked',
      choose(service, { proxyStrictSSL: false, proxy: 'https://p:1' }),
      own('https://p:1', true),
    ],
    [
      'the host where an unchecked proxy has no certificate',
      choose(service, { proxyStrictSSL: false, proxy: 'http://p:1' }),
      host,
    ],
    [
      'the host where no proxy is known that could be unchecked',
      choose(service, { proxyStrictSSL: false }),
      host,
    ],
    [
      'the host when the user says so, even for loopback',
      choose('http://127.0.0.1:1', { transport: 'vscode' }),
      host,
    ],
    [
      'our own when the user says so',
      choose(service, { transport: 'undici', proxy: 'socks5://p:1' }),
      own('socks5://p:1'),
    ],
    [
      'nothing for a proxy that our own cannot use',
      choose(service, { transport: 'undici', proxy: 'socks4://p:1' }),
      { kind: 'unsupported' },
    ],
    [
      'nothing for a proxy address that is none',
      choose(service, { transport: 'undici', proxy: 'http://' }),
      { kind: 'unsupported' },
    ],
    [
      'no proxy for an exception',
      choose(service, { transport: 'undici', proxy: 'http://p:1', noProxy: ['example.com'] }),
      own(),
    ],
  ];
  for (const [name, actual, expected] of cases) {
    it(`chooses ${name}`, () => {
      assert.deepEqual(actual, expected);
    });
  }

  it('names an unsupported proxy as the cause, before anything is sent', async () => {
    const transport = createTransport({ kind: 'unsupported' });
    const client = createClient({
      baseUrl: service,
      bearer: () => Promise.resolve('k'),
      transport,
      clock: systemClock,
      log: silentLog,
    });
    await assert.rejects(
      client.users.current(),
      (error) =>
        error instanceof NotReachableError &&
        !error.wasSent &&
        error.nextStep === 'openSettings' &&
        /kind of proxy/.test(error.message),
    );
    await transport.close();
  });

  for (const systemCertificates of [true, false]) {
    it(`makes a transport that works ${systemCertificates ? 'with' : 'without'} the certificates of the system`, async () => {
      const server = createServer((_, response) => void response.end('hello'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const transport = createTransport({
        kind: 'undici',
        proxy: 'http://127.0.0.1:1',
        acceptAnyProxyCertificate: false,
        systemCertificates,
      });
      const { port } = server.address() as AddressInfo;
      const answer = await transport.send({
        method: 'GET',
        url: new URL(`http://127.0.0.1:${port}/`),
        headers: {},
        signal: new AbortController().signal,
        timeoutMs: 5000,
        maxBytes: 100,
      });
      assert.equal(answer.text, 'hello');
      await transport.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
  }

  it('trusts the certificates of the system only where the user wants them', async () => {
    const { ca, key, cert } = withAuthority((authority) => ({
      ca: authority.ca,
      ...authority.issue('127.0.0.1'),
    }));
    const server = createSecureServer({ key, cert }, (_, response) => void response.end('hello'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const ask = async (systemCertificates: boolean) => {
      const transport = createTransport(
        { kind: 'undici', proxy: undefined, acceptAnyProxyCertificate: false, systemCertificates },
        () => [ca],
      );
      try {
        const { text } = await transport.send({
          method: 'GET',
          url: new URL(`https://127.0.0.1:${port}/`),
          headers: {},
          signal: new AbortController().signal,
          timeoutMs: 5000,
          maxBytes: 100,
        });
        return text;
      } finally {
        await transport.close();
      }
    };
    assert.equal(await ask(true), 'hello');
    await assert.rejects(
      ask(false),
      (error) => error instanceof TransportFailure && error.kind === 'certificate',
    );
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('makes the transport of the choice', async () => {
    assert.ok(createTransport(host) instanceof HostFetchTransport);
    const made = createTransport(own());
    assert.ok(made instanceof UndiciTransport);
    await made.close();
  });
});
