import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { codeHostKeys, codeHostName } from '../../../src/api/codeHostKeys';
import { UndiciTransport } from '../../../src/api/undiciTransport';
import { UserError } from '../../../src/util/errors';
import { FakeClock } from '../../support/fakeClock';

describe('the keys that a code host publishes', () => {
  const transport = new UndiciTransport();
  let server: Server;
  let origin: string;
  let asked: string[];
  let answer: { readonly status: number; readonly body: string; readonly location?: string };

  before(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      assert.equal(request.headers.authorization, undefined);
      response.writeHead(answer.status, answer.location === undefined ? {} : { location: answer.location });
      response.end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    asked = [];
  });
  after(async () => {
    await transport.close();
    server.close();
  });

  const read = () => codeHostKeys(origin, 'ana', { transport, clock: new FakeClock() });

  it('are its lines, asked for by the name alone', async () => {
    answer = { status: 200, body: 'ssh-ed25519 AAAA\r\n\nssh-rsa BBBB\n' };
    assert.deepEqual(await read(), ['ssh-ed25519 AAAA', 'ssh-rsa BBBB']);
    assert.deepEqual(asked, ['/ana.keys']);
  });

  it('are none for an account that does not exist, and for another answer', async () => {
    answer = { status: 404, body: '' };
    await assert.rejects(read(), (error: UserError) => /has no account/.test(error.text.template));
    for (const odd of [
      { status: 500, body: '' },
      { status: 302, body: '', location: 'http://192.0.2.1/login' },
      { status: 200, body: 'x'.repeat(200_000) },
    ]) {
      answer = odd;
      await assert.rejects(read(), UserError);
    }
  });

  it('are asked for by names alone', () => {
    for (const name of ['ana', 'ana-b', 'a.b_c', '7']) {
      assert.match(name, codeHostName);
    }
    for (const name of ['', '../x', 'a/b', 'a b', 'https://x', '-a', 'a?b', 'a#b', 'ana\n']) {
      assert.doesNotMatch(name, codeHostName);
    }
  });
});
