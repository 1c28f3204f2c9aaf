import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { measureLatency } from '../../../src/ssh/latency';

describe('The latency to a machine', () => {
  it('is the time of one connection, to which nothing is sent', async () => {
    const sockets: Socket[] = [];
    const sent: Buffer[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.on('data', (data) => sent.push(data)).on('error', () => undefined));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const endpoint = { kind: 'direct', host: '127.0.0.1', port } as const;
    const ms = await measureLatency(endpoint, new AbortController().signal);
    assert.ok(ms !== undefined && ms >= 0 && ms < 5000);
    assert.deepEqual(sent, []);
    sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => server.close(resolve));
    assert.equal(await measureLatency(endpoint, new AbortController().signal), undefined, 'refused');
  });

  it('is unknown where the look is given up', async () => {
    const endpoint = { kind: 'direct', host: '127.0.0.1', port: 9 } as const;
    assert.equal(await measureLatency(endpoint, AbortSignal.abort()), undefined);
  });
});
