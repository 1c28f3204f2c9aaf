import assert from 'node:assert/strict';
import { isPermissionSet } from '../../../src/simulator/auth';
import { useSimulators, type TestSimulator } from '../../support/startSimulator';

describe('Keys', () => {
  const simulators = useSimulators();

  async function scoped(simulator: TestSimulator, body: Record<string, unknown>): Promise<string> {
    return String((await simulator.call('POST', '/__sim/keys/', body)).json.key);
  }

  it('are wanted on every request', async () => {
    const simulator = await simulators.start();
    const none = await simulator.call('GET', '/api/v0/users/current/', undefined, '');
    assert.deepEqual(
      [none.status, none.json],
      [403, { success: false, error: 'auth_error', msg: 'This action requires login.' }],
    );
    const wrong = await simulator.call('GET', '/api/v0/users/current/', undefined, 'wrong');
    assert.deepEqual(
      [wrong.status, wrong.json],
      [401, { success: false, error: 'auth_error', msg: 'Invalid user key' }],
    );
  });

  it('with a scope may do what it names and nothing else', async () => {
    const simulator = await simulators.start();
    const key = await scoped(simulator, { permissions: { api: { misc: {}, instance_read: {} } } });
    assert.equal((await simulator.call('POST', '/api/v0/bundles/', {}, key)).status, 200);
    assert.equal((await simulator.call('GET', '/api/v0/instances/', undefined, key)).status, 200);
    const refused = await simulator.call('PUT', '/api/v0/asks/20310000/', { image: 'a/b' }, key);
    assert.deepEqual([refused.status, refused.json.error], [403, 'not_authorized']);
    assert.equal(simulator.world.instances.length, 0);
  });

  it('accept the flat form of the documentation', async () => {
    const simulator = await simulators.start();
    const reader = await scoped(simulator, { permissions: { read: true, write: false } });
    assert.equal((await simulator.call('GET', '/api/v0/instances/', undefined, reader)).status, 200);
    assert.equal((await simulator.call('PUT', '/api/v0/asks/20310000/', {}, reader)).status, 403);
    const writer = await scoped(simulator, { permissions: { write: true } });
    assert.equal((await simulator.call('PUT', '/api/v0/asks/20310000/', {}, writer)).status, 400);
    const neither = await scoped(simulator, { permissions: { read: false } });
    assert.equal((await simulator.call('GET', '/api/v0/instances/', undefined, neither)).status, 403);
  });

  it('can be narrowed to one instance of one endpoint', async () => {
    const simulator = await simulators.start();
    const rent = (offer: number) =>
      simulator
        .call('PUT', `/api/v0/asks/${offer}/`, { image: 'a/b' })
        .then(({ json }) => Number(json.new_contract));
    const offers = simulator.world.market.offers.filter((slice) => simulator.world.market.isRentable(slice));
    const [first, second] = [await rent(offers[0]?.offerId ?? 0), await rent(offers.at(-1)?.offerId ?? 0)];
    const key = await scoped(simulator, {
      permissions: {
        api: { instance_read: { 'api.instance.request_logs': { constraints: { id: { eq: first } } } } },
      },
    });
    const logs = (id: number) => simulator.call('PUT', `/api/v0/instances/request_logs/${id}/`, {}, key);
    assert.equal((await logs(first)).status, 200);
    assert.equal((await logs(second)).status, 403);
    assert.equal((await simulator.call('GET', '/api/v0/instances/', undefined, key)).status, 403);
    const range = await scoped(simulator, {
      permissions: {
        api: {
          instance_read: {
            'api.instance.request_logs': { constraints: { id: { gte: second, lte: second } } },
          },
        },
      },
    });
    const inRange = (id: number) => simulator.call('PUT', `/api/v0/instances/request_logs/${id}/`, {}, range);
    assert.deepEqual([(await inRange(first)).status, (await inRange(second)).status], [403, 200]);
  });

  it('can be bound to addresses', async () => {
    const simulator = await simulators.start();
    const here = await scoped(simulator, { ip_whitelist: ['127.0.0.1'] });
    const elsewhere = await scoped(simulator, { ip_whitelist: ['203.0.113.9'] });
    assert.equal((await simulator.call('GET', '/api/v0/instances/', undefined, here)).status, 200);
    const refused = await simulator.call('GET', '/api/v0/instances/', undefined, elsewhere);
    assert.deepEqual([refused.status, refused.json.error], [403, 'not_authorized']);
  });

  it('must be full to steer the simulator', async () => {
    const simulator = await simulators.start();
    const key = await scoped(simulator, { permissions: { api: { misc: {} } } });
    assert.equal((await simulator.call('POST', '/__sim/advance/', { seconds: 9 }, key)).status, 403);
    assert.equal((await simulator.call('GET', '/__sim/faults/', undefined, '')).status, 403);
  });

  it('of one instance can read, start, stop and destroy that one and nothing else', async () => {
    const simulator = await simulators.start({ fakeClock: true });
    const offers = simulator.world.market.offers.filter((slice) => simulator.world.market.isRentable(slice));
    const rent = (offer: number) => simulator.call('PUT', `/api/v0/asks/${offer}/`, { image: 'a/b' });
    const { json: own } = await rent(offers[0]?.offerId ?? 0);
    const { json: other } = await rent(offers.at(-1)?.offerId ?? 0);
    const key = String(own.instance_api_key);
    const put = (id: unknown, body: unknown) =>
      simulator.call('PUT', `/api/v0/instances/${String(id)}/`, body, key).then(({ status }) => status);
    assert.equal(await put(own.new_contract, { state: 'stopped' }), 200);
    assert.equal(await put(own.new_contract, { state: 'running' }), 200);
    assert.equal(await put(own.new_contract, { label: 'mine' }), 403);
    assert.equal(await put(other.new_contract, { state: 'stopped' }), 403);
    const read = await simulator.call(
      'GET',
      `/api/v0/instances/${String(own.new_contract)}/`,
      undefined,
      key,
    );
    assert.equal(read.json.instances.id, own.new_contract);
    for (const [method, path] of [
      ['GET', `/api/v0/instances/${String(other.new_contract)}/`],
      ['GET', '/api/v0/instances/'],
      ['GET', '/api/v0/users/current/'],
      ['PUT', `/api/v0/instances/reboot/${String(own.new_contract)}/`],
      ['DELETE', `/api/v0/instances/${String(other.new_contract)}/`],
      ['POST', '/__sim/advance/'],
    ] as const) {
      assert.equal((await simulator.call(method, path, undefined, key)).status, 403, `${method} ${path}`);
    }
    const gone = await simulator.call(
      'DELETE',
      `/api/v0/instances/${String(own.new_contract)}/`,
      undefined,
      key,
    );
    assert.equal(gone.status, 200);
    // The key has ended with its instance.
    assert.equal(await put(own.new_contract, { state: 'running' }), 401);
  });
});

describe('A permission set', () => {
  it('names known categories, or reads and writes', () => {
    assert.ok(isPermissionSet({ api: { misc: {}, user_read: {} } }));
    assert.ok(isPermissionSet({ read: true, write: false }));
    for (const wrong of [
      null,
      [],
      'all',
      {},
      { api: {} },
      { api: { nonsense: {} } },
      { api: { misc: 1 } },
      { admin: true },
      { read: 'yes' },
    ]) {
      assert.equal(isPermissionSet(wrong), false, JSON.stringify(wrong));
    }
  });
});
