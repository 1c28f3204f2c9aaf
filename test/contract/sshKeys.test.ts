import assert from 'node:assert/strict';
import { NotFoundError } from '../../src/api/errors';
import { useClients } from '../support/apiClient';
import { describeFailures, refused, type Refusal } from '../support/failureMatrix';
import { publicKeys, rentOne } from '../support/rentedInstance';

const [first, second] = publicKeys;
const noKey: Refusal = {
  status: 404,
  code: 'no_such_ssh_key',
  error: NotFoundError,
  message: /no longer exists/,
  nextStep: 'retry',
};
const noInstance: Refusal = {
  status: 404,
  code: 'no_such_instance',
  error: NotFoundError,
  message: /no longer exists/,
  nextStep: 'retry',
};

describeFailures({
  name: 'sshKeys.list',
  method: 'GET',
  path: '/api/v0/ssh/',
  repeat: 'read',
  prepare: async (_, client) => (await client.sshKeys.add(first)).id,
  call: (client, _, options) => client.sshKeys.list(options),
  succeeds: (result, _, id) => {
    const { items } = result as { items: { id: number; publicKey: string }[] };
    assert.ok(items.some((key) => key.id === id && key.publicKey === first));
  },
});

describeFailures({
  name: 'sshKeys.add',
  method: 'POST',
  path: '/api/v0/ssh/',
  repeat: 'write',
  call: (client, _, options) => client.sshKeys.add(second, options),
  succeeds: (result, simulator) => {
    assert.equal((result as { publicKey: string }).publicKey, second);
    assert.deepEqual(simulator.received('POST', '/api/v0/ssh/').at(-1)?.body, { ssh_key: second });
  },
  refusals: [refused(400, 'no_ssh_key', /no SSH public key/)],
});

describeFailures({
  name: 'sshKeys.remove',
  method: 'DELETE',
  path: '/api/v0/ssh/{id}/',
  repeat: 'write',
  prepare: async (_, client) => (await client.sshKeys.add(first)).id,
  call: (client, id, options) => client.sshKeys.remove(id, options),
  succeeds: (_, simulator, id) => {
    assert.ok(!simulator.world.sshKeys.some((key) => key.id === id));
    assert.equal(simulator.received('DELETE', `/api/v0/ssh/${id}/`).at(-1)?.body, '');
  },
  refusals: [
    { ...noKey, status: 400, code: 'no_ssh_key' },
    refused(400, 'invalid_request', /did not accept the request/),
    noKey,
  ],
});

describeFailures({
  name: 'instances.keys',
  method: 'GET',
  path: '/api/v0/instances/{id}/ssh/',
  repeat: 'read',
  prepare: async (_, client) => {
    const id = await rentOne(client);
    await client.instances.attachKey(id, first);
    return id;
  },
  call: (client, id, options) => client.instances.keys(id, options),
  succeeds: (result) => {
    const { items, skipped } = result as { items: { publicKey: string }[]; skipped: number };
    assert.equal(skipped, 0);
    assert.ok(items.some((key) => key.publicKey === first));
  },
  refusals: [noInstance],
});

describeFailures({
  name: 'instances.attachKey',
  method: 'POST',
  path: '/api/v0/instances/{id}/ssh/',
  repeat: 'write',
  prepare: (_, client) => rentOne(client),
  call: (client, id, options) => client.instances.attachKey(id, second, options),
  succeeds: (_, simulator, id) => {
    assert.deepEqual(simulator.received('POST', `/api/v0/instances/${id}/ssh/`).at(-1)?.body, {
      ssh_key: second,
    });
    assert.ok(simulator.world.instance(id)?.keys.some((key) => key.publicKey === second));
  },
  refusals: [refused(400, 'no_ssh_key', /no SSH public key/), noInstance],
});

describeFailures({
  name: 'instances.detachKey',
  method: 'DELETE',
  path: '/api/v0/instances/{id}/ssh/{ssh_key_id}/',
  repeat: 'write',
  prepare: async (_, client) => {
    const id = await rentOne(client);
    await client.instances.attachKey(id, second);
    return id;
  },
  call: async (client, id, options) => {
    const { items } = await client.instances.keys(id);
    const key = items.find((item) => item.publicKey === second);
    await client.instances.detachKey(id, key?.id ?? 0, options);
  },
  succeeds: (_, simulator, id) => {
    assert.ok(!simulator.world.instance(id)?.keys.some((key) => key.publicKey === second));
  },
  refusals: [
    refused(400, 'invalid_request', /did not accept the request/),
    refused(500, 'delete_ssh_from_instance', /could not take the SSH key off/, 'retry'),
    noInstance,
    noKey,
  ],
});

describe('keys of an account', () => {
  const clients = useClients();

  it('are put on new instances', async () => {
    const { client } = await clients.start();
    const added = await client.sshKeys.add(first);
    const id = await rentOne(client);
    const { items } = await client.instances.keys(id);
    assert.ok(items.some((key) => key.publicKey === first && key.id === added.id));
  });
});
