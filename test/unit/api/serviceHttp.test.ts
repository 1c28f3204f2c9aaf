import assert from 'node:assert/strict';
import {
  ForbiddenError,
  NotReachableError,
  NotUnderstoodError,
  RateLimitedError,
  ServiceFailedError,
  TimedOutError,
  UnauthorizedError,
} from '../../../src/api/errors';
import { TransportFailure } from '../../../src/api/transport';
import { CancelledError } from '../../../src/util/errors';
import { settle } from '../../support/fakeClock';
import { scriptedClient, testKey } from '../../support/fakeTransport';

const user = { json: { id: 3, email: 'ada@example.com' } };
const done = { json: { success: true } };
const tooFrequent = { status: 429, json: { detail: 'API requests too frequent endpoint threshold=2.0' } };

describe('ServiceHttp', () => {
  it('sends the key in the header only, and JSON exactly as the service wants it', async () => {
    const { client, transport, finish } = scriptedClient([done]);
    await finish(client.instances.stop(7));
    assert.deepEqual(
      transport.seen.map(({ method, url, headers, body }) => ({ method, url, headers, body })),
      [
        {
          method: 'PUT',
          url: 'https://market.example.com/api/v0/instances/7/',
          headers: {
            accept: 'application/json',
            authorization: `Bearer ${testKey}`,
            'content-type': 'application/json',
          },
          body: { state: 'stopped' },
        },
      ],
    );
  });

  it('reports the headers of each answer, those of a refusal too', async () => {
    const refused = { ...tooFrequent, headers: { date: 'first' } };
    const { client, finish } = scriptedClient([refused, { ...user, headers: { date: 'second' } }]);
    const dates: (string | undefined)[] = [];
    await finish(client.users.current({ onHeaders: ({ date }) => dates.push(date) }));
    assert.deepEqual(dates, ['first', 'second']);
  });

  it('keeps the path prefix of the service address', async () => {
    const { client, transport, finish } = scriptedClient([user], {
      baseUrl: 'https://gpu.example.com/market/',
    });
    await finish(client.users.current());
    assert.equal(transport.seen[0]?.url, 'https://gpu.example.com/market/api/v0/users/current/');
  });

  it('uses another bearer where a call brings one', async () => {
    const { client, transport, finish } = scriptedClient([user]);
    await finish(client.users.current({ bearer: 'session-1' }));
    assert.equal(transport.seen[0]?.headers['authorization'], 'Bearer session-1');
  });

  it('asks before each write that nothing else decides, also before it is sent again', async () => {
    let refuses = false;
    const beforeWrite = () => {
      if (refuses) {
        throw new Error('another account');
      }
    };
    const { client, transport, finish } = scriptedClient([done], { beforeWrite });
    await finish(client.instances.stop(7));
    refuses = true;
    await finish(client.instances.stop(7, { isStillWanted: () => Promise.resolve(true) }));
    assert.equal(transport.seen.length, 2);
    await assert.rejects(finish(client.instances.stop(7)), /another account/);
    assert.equal(transport.seen.length, 2);
    const read = scriptedClient([user], { beforeWrite });
    await read.finish(read.client.users.current());
    const late = scriptedClient(
      () => {
        refuses = true;
        return tooFrequent;
      },
      { beforeWrite },
    );
    refuses = false;
    await assert.rejects(late.finish(late.client.instances.stop(7)), /another account/);
    assert.equal(late.transport.seen.length, 1);
  });

  for (const key of ['two words', 'line\nbreak: x', 'schlüssel', '']) {
    it(`refuses the key ${JSON.stringify(key)} without sending anything`, async () => {
      const { client, transport, finish } = scriptedClient([user], { key });
      await assert.rejects(finish(client.users.current()), UnauthorizedError);
      assert.equal(transport.seen.length, 0);
    });
  }

  it('writes neither the key nor a body nor an answer to the log', async () => {
    const { client, log, finish } = scriptedClient([{ json: { success: 'maybe', msg: 'private words' } }]);
    await assert.rejects(finish(client.instances.label(7, 'secret label')), NotUnderstoodError);
    const all = log.lines.join('\n');
    assert.match(all, /PUT \/api\/v0\/instances\/\{id\}\//);
    assert.doesNotMatch(all, /key-0123|secret label|private words/);
  });

  it('logs the answer of each request, or that there was none, and how long that took', async () => {
    const lost = { error: new TransportFailure('lost', 'ECONNRESET') };
    const { client, log, finish } = scriptedClient([lost, user]);
    await finish(client.users.current());
    assert.deepEqual(
      log.lines.filter((line) => line.includes('#')),
      [
        'debug #1 GET /api/v0/users/current/: NotReachableError after 0 ms',
        'debug #2 GET /api/v0/users/current/: 200 in 0 ms',
      ],
    );
  });

  describe('reads', () => {
    it('are not sent where the key is known not to be allowed, which writes do not ask', async () => {
      const asked: string[] = [];
      const { client, transport, finish } = scriptedClient([done], {
        beforeRead: (route) => {
          asked.push(route);
          throw new ForbiddenError({ lacking: 'machine_read' });
        },
      });
      await assert.rejects(finish(client.machines.list()), ForbiddenError);
      assert.equal(transport.seen.length, 0);
      await finish(client.instances.stop(7));
      assert.deepEqual(asked, ['GET /api/v0/machines/']);
    });

    it('are repeated with growing pauses until they succeed', async () => {
      const lost = { error: new TransportFailure('lost', 'ECONNRESET') };
      const { client, transport, finish } = scriptedClient([lost, { status: 503, text: '' }, user]);
      assert.equal((await finish(client.users.current())).id, 3);
      const [first = 0, second = 0, third = 0] = transport.seen.map((seen) => seen.atMs);
      assert.deepEqual([second - first, third - second], [500, 1500]);
    });

    const transient: readonly (readonly [
      string,
      { readonly error: Error } | { status: number; text: string },
      object,
    ])[] = [
      ['a lost connection', { error: new TransportFailure('lost', 'ECONNRESET') }, NotReachableError],
      [
        'a refused connection',
        { error: new TransportFailure('notReachable', 'ECONNREFUSED') },
        NotReachableError,
      ],
      ['a time-out of the transport', { error: new TransportFailure('timedOut', undefined) }, TimedOutError],
      ['an unexpected error of the transport', { error: new TypeError('bug') }, NotReachableError],
      ['500 with a page', { status: 500, text: '<html></html>' }, ServiceFailedError],
      ['cut-off JSON', { status: 200, text: '{"id":' }, NotUnderstoodError],
    ];
    for (const [name, answer, kind] of transient) {
      it(`give up after three tries on ${name}`, async () => {
        const { client, transport, finish } = scriptedClient([answer]);
        await assert.rejects(finish(client.users.current()), kind);
        assert.equal(transport.seen.length, 3);
      });
    }

    for (const kind of ['certificate', 'proxy', 'tooLarge', 'unsupported'] as const) {
      it(`are not repeated after a failure that will not pass: ${kind}`, async () => {
        const { client, transport, finish } = scriptedClient([
          { error: new TransportFailure(kind, undefined) },
        ]);
        await assert.rejects(finish(client.users.current()), (error) =>
          kind === 'tooLarge' ? error instanceof NotUnderstoodError : error instanceof NotReachableError,
        );
        assert.equal(transport.seen.length, 1);
      });
    }

    it('stop waiting for the next try when cancelled', async () => {
      const { client, transport, clock } = scriptedClient([{ status: 503, text: '' }]);
      const controller = new AbortController();
      const call = client.users.current({ signal: controller.signal });
      await settle();
      controller.abort();
      await assert.rejects(call, CancelledError);
      assert.equal(transport.seen.length, 1);
      assert.equal(clock.pending, 0);
    });
  });

  describe('writes', () => {
    for (const [name, answer, kind] of [
      ['a lost connection', { error: new TransportFailure('lost', 'ECONNRESET') }, NotReachableError],
      ['500 with a page', { status: 500, text: '<html></html>' }, ServiceFailedError],
      ['cut-off JSON', { status: 200, text: '{"succ' }, NotUnderstoodError],
      ['no answer', { stalls: 'untilAborted' }, TimedOutError],
    ] as const) {
      it(`are sent once in spite of ${name}`, async () => {
        const { client, transport, finish } = scriptedClient([answer]);
        await assert.rejects(finish(client.instances.destroy(7)), kind);
        assert.equal(transport.seen.length, 1);
      });
    }

    it('are sent again after a rate-limit refusal, when the wait has passed, and show the wait', async () => {
      const { client, transport, finish } = scriptedClient([tooFrequent, done]);
      const waits: number[] = [];
      await finish(client.instances.stop(7, { onWait: (ms) => waits.push(ms) }));
      const [first = 0, second = 0] = transport.seen.map((seen) => seen.atMs);
      assert.equal(transport.seen.length, 2);
      assert.ok(second - first >= 2000, 'at least the seconds that the service named');
      assert.deepEqual(waits, [second - first]);
    });

    it('give up when the service keeps refusing', async () => {
      const { client, transport, finish } = scriptedClient([tooFrequent]);
      await assert.rejects(finish(client.instances.stop(7)), RateLimitedError);
      assert.equal(transport.seen.length, 5);
    });

    it('are not sent when cancelled while they wait for the limit', async () => {
      const { client, transport, clock } = scriptedClient([tooFrequent, done]);
      const controller = new AbortController();
      const call = client.instances.stop(7, { signal: controller.signal });
      await settle();
      controller.abort();
      await assert.rejects(call, CancelledError);
      assert.equal(transport.seen.length, 1);
      assert.equal(clock.pending, 0);
    });
  });

  it('keeps the learned interval for the next calls of the route', async () => {
    const limited = { status: 429, json: { detail: 'API requests too frequent endpoint threshold=9.0' } };
    const { client, transport, finish } = scriptedClient([limited, done, done]);
    await finish(client.instances.reboot(7));
    await finish(client.instances.reboot(7));
    const [, second = 0, third = 0] = transport.seen.map((seen) => seen.atMs);
    assert.ok(third - second >= 9000);
  });

  it('waits longer each time when a refusal names no interval', async () => {
    const { client, transport, finish } = scriptedClient([
      { status: 429, text: 'API requests too frequent' },
      { status: 429, text: 'API requests too frequent' },
      user,
    ]);
    await finish(client.users.current());
    const [first = 0, second = 0, third = 0] = transport.seen.map((seen) => seen.atMs);
    const [once, again] = [second - first, third - second];
    assert.ok(once >= 2000 && once <= 2500, `${once} ms`);
    assert.ok(again >= 4000 && again <= 4500, `${again} ms`);
  });

  describe('total time-out', () => {
    for (const stalls of ['untilAborted', 'forEver'] as const) {
      it(`ends a write after 30 seconds when the transport stalls ${stalls}`, async () => {
        const { client, clock } = scriptedClient([{ stalls }]);
        const start = clock.now();
        const call = client.instances.stop(7).catch((error: unknown) => error);
        await clock.advance(29_999);
        assert.equal(clock.pending, 1);
        await clock.advance(1);
        assert.ok((await call) instanceof TimedOutError);
        assert.equal(clock.now() - start, 30_000);
        assert.equal(clock.pending, 0);
      });
    }

    it('leaves no timer behind after an answer', async () => {
      const { client, clock } = scriptedClient([user]);
      await client.users.current();
      assert.equal(clock.pending, 0);
    });
  });

  it('ends a running call as soon as it is cancelled', async () => {
    const { client, clock, transport } = scriptedClient([{ stalls: 'forEver' }]);
    const controller = new AbortController();
    const call = client.users.current({ signal: controller.signal });
    await settle();
    controller.abort();
    await assert.rejects(call, CancelledError);
    assert.deepEqual([transport.seen.length, clock.pending], [1, 0]);
  });

  it('ends when it is cancelled while the transport accepts the request', async () => {
    const controller = new AbortController();
    const { client } = scriptedClient(() => {
      controller.abort();
      return { stalls: 'forEver' };
    });
    await assert.rejects(client.users.current({ signal: controller.signal }), CancelledError);
  });

  it('sends nothing when it was cancelled before', async () => {
    const { client, transport } = scriptedClient([user]);
    await assert.rejects(client.users.current({ signal: AbortSignal.abort() }), CancelledError);
    assert.equal(transport.seen.length, 0);
  });

  describe('redirects', () => {
    const to = (status: number, location: string) => ({ status, text: '', headers: { location } });

    it('are followed by a read inside the origin', async () => {
      const { client, transport, finish } = scriptedClient([to(302, '/elsewhere/'), user]);
      await finish(client.users.current());
      assert.equal(transport.seen[1]?.url, 'https://market.example.com/elsewhere/');
    });

    it('keep method and body of a write with 307', async () => {
      const { client, transport, finish } = scriptedClient([to(307, '/x/'), done]);
      await finish(client.instances.stop(7));
      assert.deepEqual([transport.seen[1]?.method, transport.seen[1]?.body], ['PUT', { state: 'stopped' }]);
    });

    const refused: readonly (readonly [string, number, string, 'read' | 'write'])[] = [
      ['another host', 302, 'https://evil.example.com/', 'read'],
      ['another port', 307, 'https://market.example.com:8443/', 'write'],
      ['plain http', 302, 'http://market.example.com/api/v0/users/current/', 'read'],
      ['a GET instead of a write', 302, '/api/v0/instances/7/', 'write'],
      ['a GET instead of a write, 303', 303, '/x/', 'write'],
      ['nowhere', 301, 'http://[', 'read'],
    ];
    for (const [name, status, location, repeat] of refused) {
      it(`to ${name} are refused`, async () => {
        const { client, transport, finish } = scriptedClient([to(status, location), done]);
        const call: Promise<unknown> = repeat === 'read' ? client.users.current() : client.instances.stop(7);
        await assert.rejects(
          finish(call),
          (error) => error instanceof NotUnderstoodError && error.nextStep === 'openSettings',
        );
        assert.equal(transport.seen.length, 1);
      });
    }

    it('that name no place are refused', async () => {
      const { client, finish } = scriptedClient([{ status: 302, text: '' }]);
      await assert.rejects(finish(client.users.current()), NotUnderstoodError);
    });

    it('in a circle end', async () => {
      const { client, transport, finish } = scriptedClient([to(302, '/api/v0/users/current/')]);
      await assert.rejects(finish(client.users.current()), NotUnderstoodError);
      assert.equal(transport.seen.length, 4);
    });
  });
});
