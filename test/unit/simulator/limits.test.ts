import assert from 'node:assert/strict';
import { useSimulators } from '../../support/startSimulator';

describe('The limits', () => {
  const simulators = useSimulators();

  it('refuse a call that is too early, with the documented body and threshold', async () => {
    const simulator = await simulators.start({ limits: true, fakeClock: true });
    const call = () => simulator.call('PUT', '/api/v0/instances/command/1/', { command: 'ls' });
    assert.equal((await call()).status, 400);
    const refused = await call();
    assert.deepEqual(
      [refused.status, refused.json],
      [429, { detail: 'API requests too frequent endpoint threshold=1.5' }],
    );
  });

  it('let the call through after exactly the named time; a refused call does not count', async () => {
    const simulator = await simulators.start({ limits: true, fakeClock: true });
    const call = () => simulator.call('GET', '/api/v0/instances/').then(({ status }) => status);
    assert.equal(await call(), 200);
    simulator.advance(0.9);
    assert.equal(await call(), 429);
    simulator.advance(0.1);
    assert.equal(await call(), 200);
  });

  it('hold for each key alone, and for reading one instance by its path', async () => {
    const simulator = await simulators.start({ limits: true, fakeClock: true });
    const { json } = await simulator.call('POST', '/__sim/keys/', {});
    const read = (id: number, key?: string) =>
      simulator.call('GET', `/api/v0/instances/${id}/`, undefined, key).then(({ status }) => status);
    assert.deepEqual(
      [await read(1), await read(2), await read(1), await read(1, String(json.key))],
      [200, 200, 429, 200],
    );
  });

  it('give searches ten at once, then one every six seconds', async () => {
    const simulator = await simulators.start({ limits: true, fakeClock: true });
    const search = () =>
      simulator.call('POST', '/api/v0/bundles/', { limit: 1 }).then(({ status }) => status);
    for (let index = 0; index < 10; index += 1) {
      assert.equal(await search(), 200);
    }
    assert.equal(await search(), 429);
    simulator.advance(6);
    assert.equal(await search(), 200);
    assert.equal(await search(), 429);
  });

  it('are answered as documented for each endpoint that the interface names', async () => {
    const simulator = await simulators.start({ limits: true, fakeClock: true });
    const documented: readonly (readonly [string, string, string])[] = [
      ['PUT', '/api/v0/machines/1/dnotify', '2.5'],
      ['POST', '/api/v0/auth/apikeys/', '2.0'],
      ['PUT', '/api/v0/instances/command/1/', '1.5'],
      ['DELETE', '/api/v0/secrets/', '3.0'],
      ['PUT', '/api/v0/machines/1/minbid/', '1.5'],
      ['GET', '/api/v0/users/me/machine-earnings/', '2.0'],
      ['POST', '/api/v0/deployment/1/stop/', '2.0'],
      ['GET', '/api/v0/metrics/gpu/current/', '3.0'],
      ['DELETE', '/api/v0/instances/1/ssh/1/', '2.0'],
    ];
    for (const [method, path, threshold] of documented) {
      await simulator.call(method, path);
      const { json } = await simulator.call(method, path);
      assert.match(String(json.detail), new RegExp(`threshold=${threshold}$`), `${method} ${path}`);
    }
  });
});
