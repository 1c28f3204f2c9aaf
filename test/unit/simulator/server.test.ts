import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { startSimulator } from '../../../src/simulator/server';
import { FakeClock } from '../../support/fakeClock';
import { useSimulators, type TestSimulator } from '../../support/startSimulator';

interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

/** A request with headers that `fetch` does not let through. */
function raw(simulator: TestSimulator, headers: Record<string, string>, path = '/api/v0/users/current/') {
  return new Promise<RawAnswer>((resolve, reject) => {
    const outgoing = httpRequest(
      {
        host: '127.0.0.1',
        port: simulator.port,
        path,
        headers: { authorization: `Bearer ${simulator.apiKey}`, ...headers },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (part: string) => (text += part));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

describe('The server', () => {
  const simulators = useSimulators();

  it('answers paths with and without their final slash', async () => {
    const simulator = await simulators.start();
    const [withSlash, without] = [
      await simulator.call('GET', '/api/v0/users/current/'),
      await simulator.call('GET', '/api/v0/users/current'),
    ];
    assert.deepEqual([withSlash.status, without.status], [200, 200]);
    assert.deepEqual(withSlash.json, without.json);
  });

  it('distinguishes an unknown path from a known one with another method', async () => {
    const simulator = await simulators.start();
    const unknown = await simulator.call('GET', '/api/v0/nothing/');
    assert.equal(unknown.status, 404);
    assert.equal(unknown.json.error, 'not_found');
    const other = await simulator.call('DELETE', '/api/v0/users/current/');
    assert.equal(other.status, 405);
    assert.equal(other.json.success, false);
    assert.equal((await simulator.call('GET', '/api/v0/team/roles/%E0%A4%A/')).status, 400);
  });

  it('listens on the loopback address alone', async () => {
    const simulator = await simulators.start();
    assert.match(simulator.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    const outside = connect({ host: '127.0.0.2', port: simulator.port });
    await new Promise<void>((resolve, reject) => {
      outside.once('connect', () => reject(new Error('Reached at another address')));
      outside.once('error', () => resolve());
    });
  });

  it('refuses a foreign Host or Origin, with any key', async () => {
    const simulator = await simulators.start({ allowedHosts: ['sim.test'] });
    const ask = (headers: Record<string, string>) => raw(simulator, headers);
    assert.equal((await ask({ host: 'evil.example' })).status, 403);
    assert.equal((await ask({ host: '127.0.0.1.evil.example' })).status, 403);
    assert.equal((await ask({ origin: 'https://evil.example' })).status, 403);
    assert.equal((await ask({ origin: 'null' })).status, 403);
    assert.equal((await ask({ host: `localhost:${simulator.port}` })).status, 200);
    assert.equal((await ask({ host: 'sim.test' })).status, 200);
    assert.equal((await ask({ origin: simulator.url })).status, 200);
  });

  it('serves below a path prefix and nowhere else', async () => {
    const simulator = await simulators.start({ pathPrefix: '/gpu' });
    assert.match(simulator.url, /\/gpu$/);
    assert.equal((await simulator.call('GET', '/api/v0/users/current/')).status, 200);
    assert.equal((await raw(simulator, {})).status, 404);
  });

  it('refuses a body that is not JSON, with the status of its own for execute', async () => {
    const simulator = await simulators.start();
    const search = await simulator.call('POST', '/api/v0/bundles/', '{"limit":');
    assert.deepEqual([search.status, search.json.error], [400, 'invalid_args']);
    const execute = await simulator.call('PUT', '/api/v0/instances/command/1/', 'not json');
    assert.deepEqual([execute.status, execute.json.error], [483, 'invalid_args']);
  });

  it('refuses a body of more than 4 MB', async () => {
    const simulator = await simulators.start();
    const body = JSON.stringify({ gpu_name: { eq: 'x'.repeat(4 * 1024 * 1024) } });
    assert.equal((await simulator.call('POST', '/api/v0/bundles/', body)).status, 413);
  });

  it('sends JSON under exactly that content type', async () => {
    const simulator = await simulators.start();
    const answer = await simulator.call('POST', '/api/v0/bundles/', {});
    assert.equal(answer.headers.get('content-type'), 'application/json');
  });

  it('dates its answers by its own clock', async () => {
    const simulator = await simulators.start({ fakeClock: true });
    const { headers } = await simulator.call('GET', '/api/v0/users/current/');
    const time = simulator.fakeClock?.now() ?? 0;
    assert.equal(headers.get('date'), new Date(time).toUTCString());
  });

  it('shows a test what it received, without the key', async () => {
    const simulator = await simulators.start({ fakeClock: true });
    await simulator.call('POST', '/api/v0/bundles/?a=1', { limit: 2 });
    await simulator.call('GET', '/__sim/status/');
    assert.deepEqual(simulator.requests(), [
      {
        seq: 1,
        method: 'POST',
        path: '/api/v0/bundles/',
        query: { a: '1' },
        body: { limit: 2 },
        keyId: 1001,
        hasAuthorization: true,
        contentType: 'application/json',
        atMs: simulator.fakeClock?.now(),
        status: 200,
        handled: 200,
      },
    ]);
    const { json } = await simulator.call('GET', '/__sim/requests/?since=0');
    assert.equal(json.requests.length, 1);
    assert.doesNotMatch(JSON.stringify(json), new RegExp(simulator.apiKey));
    await simulator.call('DELETE', '/__sim/requests/');
    assert.deepEqual(simulator.requests(), []);
  });

  it('continues and reports it if something that follows an instance fails', async () => {
    const errors: unknown[] = [];
    const simulator = await simulators.start({ onError: (error) => errors.push(error) });
    const broken = new Error('a follower failed');
    simulator.world.onDidChangeInstance(() => {
      throw broken;
    });
    const { market } = simulator.world;
    const offer = market.offers.find((each) => market.isRentable(each));
    await simulator.call('PUT', `/api/v0/asks/${offer?.offerId ?? 0}/`, { image: 'a/b' });
    assert.equal(errors[0], broken);
    assert.equal((await simulator.call('GET', '/api/v0/instances/')).json.instances_found, 1);
  });

  it('serves a hundred clients with keys of their own at once', async () => {
    const simulator = await simulators.start({ limits: true });
    const keys = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const { json } = await simulator.call('POST', '/__sim/accounts/', {});
        return String(json.key);
      }),
    );
    const search = { rentable: { eq: true }, order: [['dph_total', 'asc']] };
    const market = await simulator.call('POST', '/api/v0/bundles/', { ...search, limit: 64 });
    const statuses = await Promise.all(
      keys.map(async (key, index) => {
        const found = await simulator.call('POST', '/api/v0/bundles/', { ...search, limit: 1 }, key);
        // Each takes another offer; some share a machine and come too late.
        const offer = String(market.json.offers[index % 64].id);
        const rented = await simulator.call('PUT', `/api/v0/asks/${offer}/`, { image: 'a/b' }, key);
        const listed = await simulator.call('GET', '/api/v0/instances/', undefined, key);
        return [found.status, rented.status, listed.status, listed.json.instances_found].join();
      }),
    );
    assert.deepEqual(new Set(statuses), new Set(['200,200,200,1']));
  });
});

describe('An idle simulator', () => {
  const idle = async () => {
    const clock = new FakeClock();
    let ended = false;
    const simulator = await startSimulator({
      apiKey: 'k',
      clock,
      sshServer: false,
      idleExitSeconds: 60,
      onIdleExit: () => {
        ended = true;
      },
    });
    return { simulator, clock, hasEnded: () => ended };
  };
  const beat = (url: string, path: string) =>
    fetch(url + path, { method: 'POST', headers: { authorization: 'Bearer k' } });

  it('ends some time after the last sign of a client', async () => {
    const { simulator, clock, hasEnded } = await idle();
    await clock.advance(50_000);
    assert.equal((await beat(simulator.url, '/__sim/heartbeat/')).status, 200);
    await clock.advance(50_000);
    assert.equal(hasEnded(), false);
    await clock.advance(10_000);
    await simulator.close();
    assert.equal(hasEnded(), true);
  });

  it('stays while a window holds a connection, and ends after it has gone', async () => {
    const { simulator, clock, hasEnded } = await idle();
    const window = new AbortController();
    const held = await fetch(`${simulator.url}/__sim/hold`, {
      headers: { authorization: 'Bearer k' },
      signal: window.signal,
    });
    assert.equal(held.status, 200);
    await clock.advance(3_600_000);
    assert.equal(hasEnded(), false);
    const gone = new Promise<void>((resolve) => {
      // The server hears of the closed socket in its own time; it arms the clock then.
      const check = () => (clock.pending > 0 ? resolve() : setImmediate(check));
      check();
    });
    window.abort();
    await gone;
    await clock.advance(60_000);
    await simulator.close();
    assert.equal(hasEnded(), true);
  });

  it('can’t be held without a key', async () => {
    const { simulator } = await idle();
    assert.equal((await fetch(`${simulator.url}/__sim/hold`)).status, 401);
    await simulator.close();
  });
});
