import assert from 'node:assert/strict';
import { ForbiddenError, NotFoundError, RefusedError, UnauthorizedError } from '../../src/api/errors';
import type { ApiKey, CreatedApiKey } from '../../src/model/accounts/apiKey';
import { useClients } from '../support/apiClient';
import { describeFailures, refused } from '../support/failureMatrix';
import { useSimulators } from '../support/startSimulator';

const address = '/api/v0/auth/apikeys/';
const permissions = { api: { misc: {}, instance_read: {} } };

describeFailures({
  name: 'apiKeys.list',
  method: 'GET',
  path: address,
  repeat: 'read',
  call: (client, _, options) => client.apiKeys.list(options),
  succeeds: (result, simulator) => {
    const { items } = result as { items: ApiKey[] };
    assert.deepEqual(
      items.map((key) => key.name),
      ['Full access'],
    );
    assert.deepEqual(simulator.received('GET', address).at(-1)?.query, {});
  },
});

describeFailures({
  name: 'apiKeys.create',
  method: 'POST',
  path: address,
  repeat: 'write',
  call: (client, _, options) =>
    client.apiKeys.create({ name: 'build server', permissions, ipWhitelist: ['127.0.0.1', '::1'] }, options),
  succeeds: (result, simulator) => {
    const { id, value } = result as CreatedApiKey;
    assert.ok(id > 0 && value.length > 20);
    assert.deepEqual(simulator.received('POST', address).at(-1)?.body, {
      name: 'build server',
      permissions,
      key_params: { ip_whitelist: ['127.0.0.1', '::1'] },
    });
  },
  refusals: [
    refused(400, 'invalid_permissions', /did not accept the request/),
    refused(400, 'missing_permissions', /at least one permission/),
    {
      status: 401,
      msg: 'Unauthorized',
      error: UnauthorizedError,
      message: /API key/,
      nextStep: 'replaceKey',
    },
  ],
});

describeFailures({
  name: 'apiKeys.remove',
  method: 'DELETE',
  path: `${address}{id}/`,
  repeat: 'write',
  prepare: async (_, client) => (await client.apiKeys.create({ name: 'old', permissions })).id,
  call: (client, id, options) => client.apiKeys.remove(id, options),
  succeeds: (result, simulator, id) => {
    assert.equal(result, undefined);
    assert.equal(simulator.received('DELETE').at(-1)?.path, `${address}${id}/`);
    assert.equal(simulator.world.keys.byId(id), undefined);
  },
  refusals: [
    { status: 400, msg: 'No.', error: RefusedError, message: /No\./, nextStep: 'none' },
    { status: 403, msg: 'No.', error: ForbiddenError, message: /not allowed/, nextStep: 'replaceKey' },
    { status: 404, msg: 'No.', error: NotFoundError, message: /No\./, nextStep: 'retry' },
  ],
});

describe('API keys', () => {
  const simulators = useSimulators();
  const clients = useClients();

  it('lists what a key may do and from where, and never its value', async () => {
    const { client } = await clients.start();
    const made = await client.apiKeys.create({ name: 'ci', permissions, ipWhitelist: ['192.0.2.7'] });
    const { items } = await client.apiKeys.list();
    const listed = items.find((key) => key.id === made.id);
    assert.deepEqual(
      [listed?.name, listed?.permissions, listed?.ipWhitelist],
      ['ci', permissions, ['192.0.2.7']],
    );
    assert.equal(JSON.stringify(items).includes(made.value), false);
  });

  it('refuses permissions that mean nothing', async () => {
    const { client } = await clients.start();
    for (const wrong of [{}, { api: {} }, { api: { fly: {} } }, { read: 'yes' }]) {
      await assert.rejects(
        client.apiKeys.create({ permissions: wrong }),
        (error) => error instanceof RefusedError && error.code === 'invalid_permissions',
      );
    }
    assert.ok((await client.apiKeys.create({ permissions: { read: true, write: false } })).id > 0);
  });

  it('holds a scoped key to its permissions and a restricted one to its addresses', async () => {
    const { simulator, client } = await clients.start();
    const scoped = await client.apiKeys.create({ permissions: { api: { user_read: {} } } });
    const asScoped = clients.connect(simulator, { key: scoped.value }).client;
    assert.ok((await asScoped.users.current()).id > 0);
    await assert.rejects(asScoped.secrets.create('A', 'b'), ForbiddenError);
    await assert.rejects(asScoped.machines.list(), ForbiddenError);
    const elsewhere = await client.apiKeys.create({ permissions, ipWhitelist: ['192.0.2.1'] });
    const fromHere = clients.connect(simulator, { key: elsewhere.value }).client;
    await assert.rejects(fromHere.instances.list(), ForbiddenError);
  });

  it('ends a key that was deleted', async () => {
    const { simulator, client } = await clients.start();
    const made = await client.apiKeys.create({ permissions: { read: true } });
    await client.apiKeys.remove(made.id);
    const { client: gone } = clients.connect(simulator, { key: made.value });
    await assert.rejects(gone.users.current(), UnauthorizedError);
    await assert.rejects(client.apiKeys.remove(made.id), NotFoundError);
  });

  it('ends the key in use', async () => {
    const { simulator, client } = await clients.start();
    const made = await client.apiKeys.create({ permissions: { write: true } });
    const { client: own } = clients.connect(simulator, { key: made.value });
    await own.apiKeys.remove(made.id);
    await assert.rejects(own.users.current(), UnauthorizedError);
  });

  it('accept the shapes of the public command-line client', async () => {
    const simulator = await simulators.start();
    const asText = await simulator.call('POST', '/api/v0/auth/apikeys', {
      name: 'cli',
      permissions,
      key_params: JSON.stringify({ ip_whitelist: ['10.0.0.1'] }),
    });
    assert.equal(asText.status, 200);
    assert.deepEqual(simulator.world.keys.byId(Number(asText.json.id))?.ipWhitelist, ['10.0.0.1']);
    const deleted = await simulator.call('DELETE', `/api/v0/auth/apikeys/${asText.json.id}`, {});
    assert.equal(deleted.json, 'Successfully Deleted API Key');
    const shown = await simulator.call('GET', `${address}${simulator.world.keys.list(4101)[0]?.id}/`);
    assert.equal(shown.json.name, 'Full access');
    const own = await simulator.call('DELETE', `${address}${shown.json.id}/`);
    assert.deepEqual(own.json, { success: false, msg: 'The key of the simulator itself has to stay.' });
    const broken = await simulator.call('POST', address, { permissions, key_params: '{' });
    assert.deepEqual([broken.status, broken.json.error], [400, 'invalid_args']);
  });
});
