import assert from 'node:assert/strict';
import type { Client } from '../../src/api/client';
import { ForbiddenError, UnauthorizedError } from '../../src/api/errors';
import { permissionCategories, type PermissionCategory } from '../../src/model/accounts/apiKey';
import { mayUse } from '../../src/model/accounts/permissionText';
import { fromDollars } from '../../src/model/money';
import { useClients } from '../support/apiClient';
import { useSimulators, type TestSimulator } from '../support/startSimulator';

/** A call for each permission that some call of the client needs. */
const calls: Partial<Record<PermissionCategory, (client: Client) => Promise<unknown>>> = {
  instance_read: (client) => client.instances.list(),
  instance_write: (client) => client.instances.stop(5),
  user_read: (client) => client.users.current(),
  user_write: (client) => client.secrets.create('NAME', 'value'),
  billing_read: (client) => client.earnings.report(1, { lastDays: 1 }),
  machine_read: (client) => client.machines.list(),
  machine_write: (client) => client.machines.setMinimumBid(5, fromDollars(1)),
  misc: (client) => client.offers.search({ filters: {}, rentalType: 'on-demand', order: [] }),
  team_read: (client) => client.teamRoles.list(),
};

describe('a key with some permissions', () => {
  const simulators = useSimulators();
  const clients = useClients();

  async function withKey(simulator: TestSimulator, body: object): Promise<{ client: Client; id: number }> {
    const { json } = await simulator.call('POST', '/__sim/keys/', body);
    return { client: clients.connect(simulator, { key: String(json.key) }).client, id: Number(json.key_id) };
  }

  for (const [category, call] of Object.entries(calls)) {
    it(`is refused with the name of the missing permission ${category}`, async () => {
      const simulator = await simulators.start();
      const granted = permissionCategories.filter((each) => each !== category);
      const permissions = { api: Object.fromEntries(granted.map((each) => [each, {}])) };
      const { client } = await withKey(simulator, { permissions });
      await assert.rejects(call(client), (error) => {
        assert.ok(error instanceof ForbiddenError);
        assert.match(error.message, new RegExp(`not allowed to do this.*${category}`));
        assert.equal(error.nextStep, 'replaceKey');
        // `misc` is too common a word to be taken from a sentence.
        assert.equal(error.lacking, category === 'misc' ? undefined : category);
        return true;
      });
    });
  }

  it('finds what it may do in its own record', async () => {
    const simulator = await simulators.start();
    const { client, id } = await withKey(simulator, { permissions: { api: { user_read: {}, misc: {} } } });
    assert.equal((await client.users.current()).keyId, id);
    const own = (await client.apiKeys.list()).items.find((key) => key.id === id);
    assert.ok(own);
    assert.deepEqual(
      permissionCategories.filter((category) => mayUse(own, category)),
      ['user_read', 'misc'],
    );
  });

  it('is refused with its IP whitelist if that leaves it out', async () => {
    const simulator = await simulators.start();
    const { client } = await withKey(simulator, { ip_whitelist: ['203.0.113.7'] });
    await assert.rejects(client.users.current(), (error) => {
      assert.ok(error instanceof ForbiddenError);
      assert.match(error.message, /list of IP addresses leaves it out/);
      assert.equal(error.lacking, undefined);
      return true;
    });
  });

  it('is refused with every possible cause if the service states none', async () => {
    const simulator = await simulators.start();
    const { client } = clients.connect(simulator, { key: 'nobody-has-this-key' });
    await assert.rejects(client.users.current(), (error) => {
      assert.ok(error instanceof UnauthorizedError);
      for (const cause of [/wrong/, /revoked/, /list of IP addresses/]) {
        assert.match(error.message, cause);
      }
      return true;
    });
  });
});
