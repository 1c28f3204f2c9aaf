import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '../../src/api/createClient';
import { InstanceService } from '../../src/simulator/instances/instanceService';
import { resources } from '../../src/simulator/routes';
import { World } from '../../src/simulator/world';
import { systemClock } from '../../src/util/clock';
import { silentLog } from '../../src/util/log';
import { operations } from '../support/operations';
import { callersOf, clientMethods, contractTestsOf, withTable } from '../support/operationsTable';

const root = join(__dirname, '..', '..');

/** Names of path parameters differ between the two sides. */
const shape = (route: string) => route.replace(/\{[^}]*\}/g, '{}').replace(/\/$/, '');

describe('the table of operations', () => {
  it('in docs/operations.md is up to date (otherwise: npm run operations)', () => {
    const document = readFileSync(join(root, 'docs', 'operations.md'), 'utf8');
    assert.equal(document, withTable(document));
  });

  it('has every method of the client, and no other', () => {
    const client = createClient({
      baseUrl: 'http://127.0.0.1:1',
      bearer: () => Promise.resolve('x'),
      transport: { send: () => Promise.reject(new Error('unused')), close: () => Promise.resolve() },
      clock: systemClock,
      log: silentLog,
    });
    const methods = Object.entries(client).flatMap(([group, members]) =>
      Object.keys(members as object).map((name) => `${group}.${name}`),
    );
    assert.deepEqual([...clientMethods].sort(), methods.sort());
  });

  it('names routes that the simulator serves, and files that exist', async () => {
    const world = new World({ sshServer: false });
    const instances = new InstanceService(world, () => undefined);
    try {
      const served = new Set(
        [...resources.flatMap((factory) => factory(world)), ...instances.routes].map((route) =>
          shape(`${route.method} ${route.path}`),
        ),
      );
      for (const method of clientMethods) {
        const operation = operations[method];
        assert.ok(existsSync(join(root, 'src/simulator', operation.simulator)), operation.simulator);
        for (const route of operation.routes) {
          assert.ok(served.has(shape(route)), `${method}: the simulator does not serve ${route}`);
        }
      }
    } finally {
      await instances.close();
      world.dispose();
    }
  });

  for (const method of clientMethods) {
    it(`has a contract test for ${method}`, () => {
      assert.notDeepEqual(contractTestsOf(method), []);
    });
  }

  it('names the users of a method that is used', () => {
    const silent = clientMethods.filter(
      (method) => operations[method].usedBy.length === 0 && callersOf(method).length > 0,
    );
    assert.deepEqual(silent, [], 'name the command or view in test/support/operations.ts');
  });
});
