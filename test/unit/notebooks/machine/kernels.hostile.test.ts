import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { kernelsOf, shutDownKernel } from '../../../../src/notebooks/machine/kernels';

const token = 'a'.repeat(64);
const idOf = (number: number) => `11111111-2222-3333-4444-${String(number).padStart(12, '0')}`;

describe('A hostile server of kernels', () => {
  let server: Server;
  let answer: RequestListener;
  const asked: string[] = [];
  before(async () => {
    server = createServer((sent, given) => {
      asked.push(sent.url ?? '');
      answer(sent, given);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const read = (withinMs?: number) =>
    kernelsOf({ localPort: (server.address() as AddressInfo).port, token }, withinMs);
  const says = (value: unknown) => {
    answer = (_, given) => given.end(JSON.stringify(value));
  };

  it('fills no view with kernels, and names none twice', async () => {
    says(Array.from({ length: 5000 }, (_, index) => ({ id: idOf(index), execution_state: 'busy' })));
    assert.equal((await read()).length, 100);
    says([{ id: idOf(1) }, { id: idOf(1), name: 'again' }, { id: '../../api/shutdown' }, 7]);
    assert.deepEqual(
      (await read()).map(({ id, name }) => [id, name]),
      [[idOf(1), '–']],
    );
  });

  it('leads nowhere else with the token', async () => {
    asked.length = 0;
    answer = (_, given) => {
      given.writeHead(302, { location: '/elsewhere' });
      given.end();
    };
    await assert.rejects(read(), /HTTP 302/);
    assert.deepEqual(asked, ['/api/kernels']);
  });

  it('uses neither memory nor time without an end', async () => {
    answer = (_, given) => given.end('x'.repeat(1_500_000));
    await assert.rejects(read(), /too long/);
    answer = (_, given) => {
      given.write('[');
    };
    await assert.rejects(read(100), /no answer within 0.1 s/);
  });

  it('has shut down a kernel that it does not have any more, and none that it refuses to shut down', async () => {
    const { port: localPort } = server.address() as AddressInfo;
    for (const [status, isDone] of [
      [404, true],
      [204, true],
      [403, false],
      [500, false],
    ] as const) {
      answer = (_, given) => {
        given.writeHead(status);
        given.end();
      };
      const done = await shutDownKernel({ localPort, token }, idOf(1)).then(
        () => true,
        () => false,
      );
      assert.equal(done, isDone, String(status));
    }
  });
});
