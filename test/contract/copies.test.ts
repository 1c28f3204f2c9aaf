import assert from 'node:assert/strict';
import { NotFoundError, RefusedError } from '../../src/api/errors';
import { useClients } from '../support/apiClient';
import { describeFailures, type Refusal } from '../support/failureMatrix';
import { rentOne, rentRunning } from '../support/rentedInstance';

const gone: Refusal = {
  status: 404,
  code: 'no_such_instance',
  error: NotFoundError,
  message: /no longer exists/,
  nextStep: 'retry',
};
const direct = '/api/v0/commands/copy_direct/';
const path = '/workspace/data';

describeFailures({
  name: 'copies.begin',
  method: 'PUT',
  path: direct,
  repeat: 'write',
  prepare: rentRunning,
  call: (client, id, options) =>
    client.copies.begin({ instanceId: id, path }, { instanceId: id, path: '/workspace/copy' }, options),
  succeeds: (_, simulator, id) => {
    assert.deepEqual(simulator.received('PUT', direct).at(-1)?.body, {
      client_id: 'me',
      src_id: `C.${id}`,
      dst_id: `C.${id}`,
      src_path: path,
      dst_path: '/workspace/copy',
    });
    assert.match(simulator.world.instance(id)?.statusMessage ?? '', /^Copying from/);
  },
  refusals: [gone],
});

describeFailures({
  name: 'copies.cancel',
  method: 'DELETE',
  path: direct,
  repeat: 'write',
  prepare: rentRunning,
  call: (client, id, options) => client.copies.cancel(id, options),
  succeeds: (_, simulator, id) => {
    assert.deepEqual(simulator.received('DELETE', direct).at(-1)?.body, {
      client_id: 'me',
      dst_id: `C.${id}`,
    });
  },
  refusals: [gone],
});

describeFailures({
  name: 'copies.host',
  method: 'PUT',
  path: '/api/v0/commands/rsync/',
  repeat: 'write',
  prepare: rentRunning,
  call: (client, id, options) => client.copies.host({ instanceId: id, path }, options),
  succeeds: (result, simulator, id) => {
    assert.deepEqual(simulator.received('PUT', '/api/v0/commands/rsync/').at(-1)?.body, {
      client_id: 'me',
      src_id: `C.${id}`,
      dst_id: null,
      src_path: path,
      dst_path: '.',
    });
    assert.deepEqual(result, { host: '127.0.0.1', port: 20_000 + (id % 5000) });
  },
  refusals: [gone],
});

describeFailures({
  name: 'copies.toCloud',
  method: 'POST',
  path: '/api/v0/commands/rclone/',
  repeat: 'write',
  prepare: rentRunning,
  call: (client, id, options) =>
    client.copies.toCloud({ instanceId: id, path }, { connectionId: 4411, path: '/bucket/data' }, options),
  succeeds: (_, simulator, id) => {
    assert.deepEqual(simulator.received('POST', '/api/v0/commands/rclone/').at(-1)?.body, {
      src: path,
      dst: '/bucket/data',
      instance_id: id,
      selected: 4411,
      transfer: 'Instance To Cloud',
      flags: [],
    });
  },
  refusals: [gone],
});

describeFailures({
  name: 'copies.fromCloud',
  method: 'POST',
  path: '/api/v0/commands/rclone/',
  repeat: 'write',
  prepare: rentRunning,
  call: (client, id, options) =>
    client.copies.fromCloud({ connectionId: 4411, path: '/bucket/data' }, { instanceId: id, path }, options),
  succeeds: (_, simulator, id) => {
    assert.deepEqual(simulator.received('POST', '/api/v0/commands/rclone/').at(-1)?.body, {
      src: '/bucket/data',
      dst: path,
      instance_id: id,
      selected: 4411,
      transfer: 'Cloud To Instance',
      flags: [],
    });
  },
  refusals: [gone],
});

describeFailures({
  name: 'copies.connections',
  method: 'GET',
  path: '/api/v0/users/cloud_integrations/',
  repeat: 'read',
  call: (client, _, options) => client.copies.connections(options),
  succeeds: (result) => {
    assert.deepEqual(result, { items: [{ id: 4411, name: 'checkpoints', kind: 's3' }], skipped: 0 });
  },
});

describe('a copy between instances', () => {
  const clients = useClients();

  it('is refused into the root and the home folder, and for instances of others', async () => {
    const { client } = await clients.start();
    const id = await rentOne(client);
    const from = { instanceId: id, path };
    for (const target of ['/', '/root', '/root/']) {
      await assert.rejects(client.copies.begin(from, { instanceId: id, path: target }), RefusedError);
    }
    await assert.rejects(client.copies.begin(from, { instanceId: id + 77, path }), NotFoundError);
  });

  it('states in the status of the second when it is done, unless it was cancelled', async () => {
    const { simulator, client } = await clients.start();
    const one = await rentRunning(simulator, client);
    const two = await rentRunning(simulator, client);
    const status = () => simulator.world.instance(two)?.statusMessage?.trim();
    const begin = () =>
      client.copies.begin({ instanceId: one, path: '/workspace' }, { instanceId: two, path: '/workspace' });
    await begin();
    simulator.advance(6);
    assert.equal(status(), 'Copy finished.');
    await begin();
    await client.copies.cancel(two);
    simulator.advance(60);
    assert.equal(status(), 'Copy cancelled.');
  });
});
