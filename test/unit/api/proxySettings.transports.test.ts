import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createTransport } from '../../../src/api/chooseTransport';
import { createClient } from '../../../src/api/createClient';
import { NotReachableError } from '../../../src/api/errors';
import type { Transport } from '../../../src/api/transport';
import { UndiciTransport, type UndiciOptions } from '../../../src/api/undiciTransport';
import { systemClock } from '../../../src/util/clock';
import { silentLog } from '../../../src/util/log';
import { startConnectProxy, type ConnectProxy } from '../../support/connectProxy';
import { withAuthority, type Identity } from '../../support/tlsFiles';

/** A name that no resolver knows; only the proxy can lead there. */
const name = 'market.invalid';

describe('a real proxy', () => {
  const made = {} as { ca: string; service: Identity; proxyTls: Identity; otherCa: string };
  let closers: (() => Promise<unknown>)[] = [];

  before(() => {
    withAuthority((authority) => {
      made.ca = authority.ca;
      made.service = authority.issue(name);
    });
    withAuthority((authority) => {
      made.otherCa = authority.ca;
      made.proxyTls = authority.issue('localhost');
    });
  });

  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) {
      await close();
    }
    closers = [];
  });

  async function startService(): Promise<number> {
    const server = createServer(made.service, (_, response) => {
      response.end(JSON.stringify({ id: 3 }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    });
    return (server.address() as AddressInfo).port;
  }

  async function startProxy(options: { login?: string; tls?: Identity } = {}): Promise<ConnectProxy> {
    const proxy = await startConnectProxy({ routes: { [name]: await startService() }, ...options });
    closers.push(() => proxy.close());
    return proxy;
  }

  function ask(transport: Transport) {
    closers.push(() => transport.close());
    const client = createClient({
      baseUrl: `https://${name}`,
      bearer: () => Promise.resolve('key-1'),
      transport,
      clock: systemClock,
      log: silentLog,
      policy: { backOffMs: 1 },
    });
    return client.users.current();
  }

  const through = (proxy: string, options: UndiciOptions = {}) =>
    ask(new UndiciTransport({ proxyFor: () => proxy, ca: () => [made.ca], ...options }));

  it('carries the requests to a name that only it can resolve', async () => {
    const proxy = await startProxy();
    assert.equal((await through(proxy.url)).id, 3);
    assert.deepEqual(proxy.asked, [`${name}:443`]);
  });

  it('is not bypassed: without it the name is not found, and the error shows that', async () => {
    await startProxy();
    await assert.rejects(
      ask(new UndiciTransport({ ca: () => [made.ca] })),
      (error) =>
        error instanceof NotReachableError && !error.wasSent && /could not be reached/.test(error.message),
    );
  });

  it('gets the login of its address', async () => {
    const proxy = await startProxy({ login: 'user:pa ss' });
    const url = proxy.url.replace('//', '//user:pa%20ss@');
    assert.equal((await through(url)).id, 3);
  });

  it('that refuses the login is named as the cause, and its password is not', async () => {
    const proxy = await startProxy({ login: 'user:right' });
    await assert.rejects(
      through(proxy.url.replace('//', '//user:wrong-password@')),
      (error) =>
        error instanceof NotReachableError &&
        !error.wasSent &&
        error.nextStep === 'openSettings' &&
        /The proxy/.test(error.message) &&
        !JSON.stringify([error.message, String(error.cause)]).includes('wrong-password'),
    );
    assert.equal(proxy.asked.length, 1);
  });

  it('can’t make us accept a service whose certificate is not trusted', async () => {
    const proxy = await startProxy();
    await assert.rejects(
      through(proxy.url, { ca: () => undefined }),
      (error) =>
        error instanceof NotReachableError &&
        !error.transient &&
        /certificate of market\.invalid/.test(error.message),
    );
  });

  describe('with a certificate of its own', () => {
    it('is accepted when its authority is trusted', async () => {
      const proxy = await startProxy({ tls: made.proxyTls });
      assert.equal((await through(proxy.url, { ca: () => [made.ca, made.otherCa] })).id, 3);
    });

    it('is refused when its authority is not', async () => {
      const proxy = await startProxy({ tls: made.proxyTls });
      await assert.rejects(
        through(proxy.url),
        (error) =>
          error instanceof NotReachableError &&
          !error.wasSent &&
          !error.transient &&
          /certificate of the proxy/.test(error.message),
      );
      assert.deepEqual(proxy.asked, []);
    });

    it('is accepted unchecked when the user has turned the check off', async () => {
      const proxy = await startProxy({ tls: made.proxyTls });
      assert.equal((await through(proxy.url, { acceptAnyProxyCertificate: true })).id, 3);
    });

    it('turned-off check does not reach the service, whose certificate is still refused', async () => {
      const proxy = await startProxy({ tls: made.proxyTls });
      const transport = createTransport({
        kind: 'undici',
        proxy: proxy.url,
        acceptAnyProxyCertificate: true,
        systemCertificates: false,
      });
      await assert.rejects(
        ask(transport),
        (error) => error instanceof NotReachableError && /certificate of market\.invalid/.test(error.message),
      );
      assert.deepEqual(proxy.asked, [`${name}:443`]);
    });
  });
});
