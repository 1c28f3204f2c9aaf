import assert from 'node:assert/strict';
import { allReads, documentedLimits } from '../../../src/api/limits';
import { serviceRoutes } from '../../../src/simulator/routes';
import { World } from '../../../src/simulator/world';
import { scriptedClient } from '../../support/fakeTransport';

/** The names of parameters in a path say nothing. */
const shape = (route: string) => route.replace(/\{\w+\}/g, '{}');

describe('the limits that the client keeps', () => {
  it('are those of the service, call by call', async () => {
    const world = new World({ sshServer: false });
    const service = serviceRoutes(world, () => undefined);
    try {
      const served = new Map(service.routes.map((route) => [shape(`${route.method} ${route.path}`), route]));
      for (const [name, { intervalMs, perPeriod }] of Object.entries(documentedLimits)) {
        if (name === allReads) {
          continue;
        }
        const { everySeconds = 0, burst } = served.get(shape(name)) ?? {};
        // Calls that may come at once before the least time applies are counted in a period.
        const expected = perPeriod ? perPeriod.periodMs / perPeriod.calls : intervalMs;
        assert.equal(everySeconds * 1000, expected, name);
        if (perPeriod) {
          assert.equal(burst, perPeriod.calls, name);
        }
      }
    } finally {
      await service.close();
      world.dispose();
    }
  });

  it('are thirty reads in ten seconds for an account, of any kind', () => {
    assert.deepEqual(documentedLimits[allReads], { perPeriod: { calls: 30, periodMs: 10_000 } });
  });

  it('are no others after a refusal whose header asks for a wait, which applies once', async () => {
    const limited = { status: 429, text: 'Too Many Requests', headers: { 'retry-after': '60' } };
    const { client, transport, finish } = scriptedClient([limited, { json: { success: true } }]);
    await finish(client.instances.stop(7));
    await finish(client.instances.stop(7));
    const [first = 0, second = 0, third = 0] = transport.seen.map((seen) => seen.atMs);
    assert.ok(second - first >= 60_000, `${second - first} ms`);
    assert.ok(third - second < 10_000, `${third - second} ms`);
  });
});
