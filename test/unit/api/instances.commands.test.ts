import assert from 'node:assert/strict';
import { NotSentError, NotUnderstoodError, TimedOutError } from '../../../src/api/errors';
import { CancelledError } from '../../../src/util/errors';
import { settle } from '../../support/fakeClock';
import { scriptedClient, type SeenRequest } from '../../support/fakeTransport';

describe('execute and logs', () => {
  const file = 'https://files.example.com/out.log';
  const pointer = { success: true, result_url: file, writeable_path: '/var/lib/x/diff', msg: 'wait' };
  const isFile = (request: SeenRequest) => request.url === file;

  it('polls the result without the key until it is written, and removes the folder of the machine', async () => {
    let checks = 0;
    const { client, transport, finish } = scriptedClient((request) => {
      if (!isFile(request)) {
        return { json: pointer };
      }
      checks += 1;
      return checks < 4
        ? { status: checks === 1 ? 404 : 403, text: 'no' }
        : { text: '/var/lib/x/diff/root\n4K /var/lib/x/diff/a\n' };
    });
    assert.equal(await finish(client.instances.execute(7, '  ls /root ')), '/root\n4K /a\n');
    assert.deepEqual([transport.seen[0]?.method, transport.seen[0]?.body], ['PUT', { command: 'ls /root' }]);
    const files = transport.seen.filter(isFile);
    assert.equal(files.length, 4);
    assert.ok(files.every((seen) => seen.headers['authorization'] === undefined));
    assert.equal(transport.seen.length, 5, 'the command itself was sent once');
  });

  it('sends the options of logs as text', async () => {
    const { client, transport, finish } = scriptedClient((request) =>
      isFile(request) ? { text: 'line' } : { json: pointer },
    );
    assert.equal(await finish(client.instances.logs(7, { tail: 100, filter: 'err', daemon: true })), 'line');
    assert.deepEqual(transport.seen[0]?.body, { filter: 'err', tail: '100', daemon_logs: 'true' });
    await finish(client.instances.logs(7, {}));
    assert.deepEqual(transport.seen[2]?.body, {});
  });

  it('gives up when the result does not appear', async () => {
    const { client, finish } = scriptedClient((request) =>
      isFile(request) ? { status: 404, text: '' } : { json: pointer },
    );
    await assert.rejects(
      finish(client.instances.logs(7, {})),
      (error) => error instanceof TimedOutError && /output was not written/.test(error.message),
    );
  });

  it('ends when it is cancelled while it reads the result', async () => {
    const controller = new AbortController();
    const { client } = scriptedClient((request) => {
      if (!isFile(request)) {
        return { json: pointer };
      }
      controller.abort();
      return { stalls: 'forEver' };
    });
    await assert.rejects(client.instances.logs(7, {}, { signal: controller.signal }), CancelledError);
  });

  it('does not wait for a result whose store answers in another way', async () => {
    const { client, transport, finish } = scriptedClient((request) =>
      isFile(request) ? { status: 400, text: 'bad request' } : { json: pointer },
    );
    await assert.rejects(finish(client.instances.logs(7, {})), NotUnderstoodError);
    assert.equal(transport.seen.length, 2);
  });

  it('keeps looking when the store is briefly broken', async () => {
    let checks = 0;
    const { client, finish } = scriptedClient((request) => {
      if (!isFile(request)) {
        return { json: pointer };
      }
      checks += 1;
      return checks === 1 ? { status: 503, text: '' } : { text: 'late' };
    });
    assert.equal(await finish(client.instances.logs(7, {})), 'late');
  });

  it('stops polling as soon as it is cancelled', async () => {
    const { client, clock } = scriptedClient((request) =>
      isFile(request) ? { status: 404, text: '' } : { json: pointer },
    );
    const controller = new AbortController();
    const call = client.instances.logs(7, {}, { signal: controller.signal });
    await settle();
    await clock.advance(1000);
    controller.abort();
    await assert.rejects(call, CancelledError);
    assert.equal(clock.pending, 0);
  });

  it('follows the store to another one, which gets no key either', async () => {
    const elsewhere = 'https://eu.files.example.net/x';
    const { client, transport, finish } = scriptedClient((request) => {
      if (request.url === elsewhere) {
        return { text: 'moved' };
      }
      return isFile(request)
        ? { status: 307, text: '', headers: { location: elsewhere } }
        : { json: pointer };
    });
    assert.equal(await finish(client.instances.logs(7, {})), 'moved');
    assert.deepEqual(
      transport.seen.map(({ headers }) => 'authorization' in headers),
      [true, false, false],
    );
  });

  for (const [where, location] of [
    ['a place that is not safe', 'http://169.254.169.254/latest'],
    ['itself', pointer.result_url],
    ['nowhere', undefined],
  ] as const) {
    it(`gives up when the store leads to ${where}`, async () => {
      const { client, transport, finish } = scriptedClient((request) =>
        isFile(request)
          ? { status: 302, text: '', headers: location === undefined ? {} : { location } }
          : { json: pointer },
      );
      await assert.rejects(
        finish(client.instances.logs(7, {})),
        (error) => error instanceof NotUnderstoodError && !/service address/.test(error.message),
      );
      assert.ok(transport.seen.length <= 5, String(transport.seen.length));
    });
  }

  for (const url of [
    'http://files.example.com/x',
    'http://127.0.0.1:9/x',
    'file:///etc/passwd',
    'https://user:pw@files.example.com/x',
    'not a url',
    '',
  ]) {
    it(`does not open the result address "${url}"`, async () => {
      const { client, transport, finish } = scriptedClient([{ json: { ...pointer, result_url: url } }]);
      await assert.rejects(finish(client.instances.logs(7, {})), NotUnderstoodError);
      assert.equal(transport.seen.length, 1);
    });
  }

  it('opens plain http only at the very origin of a service on loopback', async () => {
    const own = 'http://127.0.0.1:8787/results/1';
    const script = (url: string) => (request: SeenRequest) =>
      request.url === url ? { text: 'out' } : { json: { ...pointer, result_url: url } };
    const options = { baseUrl: 'http://127.0.0.1:8787' };
    const good = scriptedClient(script(own), options);
    assert.equal(await good.finish(good.client.instances.logs(7, {})), 'out');
    const other = scriptedClient(script('http://127.0.0.1:9999/results/1'), options);
    await assert.rejects(other.finish(other.client.instances.logs(7, {})), NotUnderstoodError);
  });

  it('follows no redirect to another place', async () => {
    const { client, finish } = scriptedClient((request) =>
      isFile(request)
        ? { status: 302, text: '', headers: { location: 'http://169.254.169.254/' } }
        : { json: pointer },
    );
    await assert.rejects(finish(client.instances.logs(7, {})), NotUnderstoodError);
  });

  for (const command of ['', '   ', 'x'.repeat(513)]) {
    it(`refuses a command of ${command.trim().length} characters before sending`, async () => {
      const { client, transport } = scriptedClient([{ json: pointer }]);
      await assert.rejects(client.instances.execute(7, command), NotSentError);
      assert.equal(transport.seen.length, 0);
    });
  }

  it('sends a command of 512 characters', async () => {
    const { client, transport, finish } = scriptedClient((request) =>
      isFile(request) ? { text: '' } : { json: pointer },
    );
    await finish(client.instances.execute(7, `ls ${'x'.repeat(509)}`));
    assert.equal(transport.seen.length, 2);
  });

  it('names the cause of each refusal of a command', async () => {
    const says = async (status: number, json: unknown) => {
      const { client, finish } = scriptedClient([{ status, json }]);
      return finish(client.instances.execute(7, 'ls')).then(
        () => '',
        (error: unknown) => (error as Error).message,
      );
    };
    assert.match(
      await says(400, { success: false, error: 'invalid_args', msg: 'invalid command given' }),
      /Only ls, du and rm.*invalid command given/,
    );
    assert.match(await says(483, { success: false, error: 'invalid_args', msg: 'x' }), /could not be read/);
    assert.match(await says(400, { success: false, error: 'invalid_container_id' }), /no container/);
    assert.match(await says(400, { success: false, error: 'invalid_container' }), /does not run/);
    assert.match(await says(400, { success: false }), /gave no reason/);
  });
});
