import assert from 'node:assert/strict';
import { NotFoundError, NotSentError, RefusedError } from '../../src/api/errors';
import type { CopySize } from '../../src/model/instances/dataCopy';
import { useClients } from '../support/apiClient';
import { describeFailures, refused, type Refusal } from '../support/failureMatrix';
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
  name: 'copies.cancelFromClouds',
  method: 'DELETE',
  path: '/api/v0/commands/rclone/',
  repeat: 'write',
  prepare: rentRunning,
  call: (client, id, options) => client.copies.cancelFromClouds(id, options),
  succeeds: (_, simulator, id) => {
    const sent = simulator.received('DELETE', '/api/v0/commands/rclone/').at(-1);
    assert.deepEqual(sent?.body, { client_id: 'me', dst_id: id });
  },
  refusals: [
    gone,
    ...['invalid_args', 'invalid_arqgs'].map((code) => refused(400, code, /can't reach the machine/)),
  ],
});

describeFailures({
  name: 'copies.size',
  method: 'POST',
  path: '/api/v0/commands/get_copy_size/',
  repeat: 'read',
  prepare: rentRunning,
  call: (client, id, options) => client.copies.size({ instanceId: id, path: '/root' }, options),
  succeeds: (result, simulator, id) => {
    assert.deepEqual(simulator.received('POST', '/api/v0/commands/get_copy_size/').at(-1)?.body, {
      src_id: `C.${id}`,
      src_path: '/root',
    });
    assert.ok(((result as CopySize).bytes ?? -1) >= 0);
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

describe('a copy of a volume', () => {
  const clients = useClients();
  const connection = { id: 4411, name: 'checkpoints', kind: 'S3' };

  it('is named with its number, to and from instances, volumes and clouds', async () => {
    const { simulator, client } = await clients.start();
    const instanceId = await rentRunning(simulator, client);
    const { items } = await client.volumes.search({ leastSizeGb: 50, limit: 1 });
    const { id = 0 } = await client.volumes.create({ offerId: items[0]?.id ?? 0, sizeGb: 20, name: 'a' });
    const volume = { volumeId: id, path: '/ckpt' };
    for (const [from, to, names] of [
      [volume, { instanceId, path: '/workspace/x' }, [`V.${id}`, `C.${instanceId}`]],
      [{ instanceId, path: '/workspace' }, volume, [`C.${instanceId}`, `V.${id}`]],
      [volume, { connection, path: '/bucket' }, [`V.${id}`, 's3.4411']],
      [{ connection, path: '/bucket' }, volume, ['s3.4411', `V.${id}`]],
    ] as const) {
      await client.copies.begin(from, to);
      const { src_id, dst_id } = simulator.received('PUT', direct).at(-1)?.body as Record<string, string>;
      assert.deepEqual([src_id, dst_id], names);
      simulator.advance(6);
    }
    assert.deepEqual(await client.copies.size({ volumeId: id, path: '/' }), { bytes: 0 });
    await assert.rejects(client.copies.begin({ volumeId: 1, path: '/' }, volume), NotFoundError);
  });

  it('is not sent to a connection whose kind could be another end', async () => {
    const { simulator, client } = await clients.start();
    for (const kind of ['', 'C.1/', 's3.4411 ', 'x'.repeat(30)]) {
      const cloud = { connection: { id: 4411, kind }, path: '/b' };
      await assert.rejects(client.copies.begin({ volumeId: 1, path: '/' }, cloud), NotSentError);
    }
    assert.deepEqual(simulator.received('PUT', direct), []);
  });

  it('fails where the service answers 200 without success', async () => {
    const { simulator, client } = await clients.start();
    const id = await rentOne(client);
    const body = { success: false, error: 'invalid_arqgs', msg: 'no open port' };
    simulator.fail({ kind: 'answer', path: '/api/v0/commands/rclone/', status: 200, body });
    await assert.rejects(client.copies.cancelFromClouds(id), RefusedError);
  });
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
