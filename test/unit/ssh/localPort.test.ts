import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { freeLocalPort } from '../../../src/ssh/localPort';

describe('the port of this computer for a forward', () => {
  const servers: Server[] = [];
  afterEach(() => {
    servers.splice(0).forEach((server) => server.close());
  });

  /** Listens at an address of this computer; `undefined` where it has no such address. */
  async function taken(host: string): Promise<number | undefined> {
    const server = createServer();
    return new Promise((resolve) => {
      server.once('error', () => {
        resolve(undefined);
      });
      server.listen({ port: 0, host }, () => {
        servers.push(server);
        resolve((server.address() as AddressInfo).port);
      });
    });
  }

  it('is the wanted one where it is free', async () => {
    const port = await taken('127.0.0.1');
    assert.ok(port);
    await new Promise((resolve) => servers.pop()?.close(resolve));
    assert.equal(await freeLocalPort(port), port);
  });

  it('is another one where a server listens on either address of localhost', async () => {
    for (const host of ['127.0.0.1', '::1']) {
      const port = await taken(host);
      if (port === undefined) {
        // A computer without IPv6 has nobody there to be met.
        assert.equal(host, '::1');
        continue;
      }
      const chosen = await freeLocalPort(port);
      assert.notEqual(chosen, port, host);
      assert.ok(chosen > 0);
    }
  });
});
