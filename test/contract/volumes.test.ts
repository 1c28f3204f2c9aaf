import assert from 'node:assert/strict';
import type { Client } from '../../src/api/client';
import { GoneError, NotFoundError, RefusedError } from '../../src/api/errors';
import type { Volume, VolumeOffer } from '../../src/model/volume';
import { ServiceError } from '../../src/simulator/route';
import { useClients } from '../support/apiClient';
import { describeFailures, refused } from '../support/failureMatrix';
import type { TestSimulator } from '../support/startSimulator';

const address = '/api/v0/volumes/';

async function anOffer(_: unknown, client: Client): Promise<number> {
  const { items } = await client.volumes.search({ leastSizeGb: 50, limit: 1 });
  return items[0]?.id ?? 0;
}

async function aVolume(simulator: TestSimulator, client: Client): Promise<number> {
  const offerId = await anOffer(simulator, client);
  return (await client.volumes.create({ offerId, sizeGb: 20, name: 'data' })).id ?? 0;
}

describeFailures({
  name: 'volumes.search',
  method: 'POST',
  path: `${address}search/`,
  repeat: 'read',
  call: (client, _, options) => client.volumes.search({ leastSizeGb: 100, limit: 5 }, options),
  succeeds: (result, simulator) => {
    const { items } = result as { items: VolumeOffer[] };
    assert.equal(items.length, 5);
    assert.ok(items.every((offer) => (offer.sizeGb ?? 0) >= 100));
    assert.deepEqual(simulator.received('POST').at(-1)?.body, {
      disk_space: { gte: 100 },
      order: [['storage_cost', 'asc']],
      limit: 5,
      allocated_storage: 100,
    });
  },
  refusals: [
    refused(400, 'invalid_args', /did not accept/),
    refused(400, 'invalid_request', /did not accept/),
  ],
});

describeFailures({
  name: 'volumes.list',
  method: 'GET',
  path: address,
  repeat: 'read',
  prepare: aVolume,
  call: (client, _, options) => client.volumes.list(options),
  succeeds: (result, simulator, id) => {
    const { items } = result as { items: Volume[] };
    assert.deepEqual(
      items.map((volume) => [volume.id, volume.label, volume.sizeGb, volume.instanceIds]),
      [[id, 'data', 20, []]],
    );
    assert.deepEqual(simulator.received('GET', address).at(-1)?.query, { owner: 'me', type: 'all_volume' });
  },
});

describeFailures({
  name: 'volumes.create',
  method: 'PUT',
  path: address,
  repeat: 'write',
  prepare: anOffer,
  call: (client, offerId, options) => client.volumes.create({ offerId, sizeGb: 30, name: 'runs' }, options),
  succeeds: (result, simulator, offerId) => {
    assert.ok(((result as { id?: number }).id ?? 0) > 20_000_000);
    assert.deepEqual(simulator.received('PUT').at(-1)?.body, { id: offerId, size: 30, name: 'runs' });
  },
  refusals: [
    refused(400, 'invalid_args', /did not accept/),
    { status: 404, code: 'no_such_ask', error: GoneError, message: /no longer available/, nextStep: 'retry' },
  ],
});

describeFailures({
  name: 'volumes.clone',
  method: 'POST',
  path: `${address}copy/`,
  repeat: 'write',
  prepare: aVolume,
  call: async (client, volumeId, options) => {
    const offerId = await anOffer(undefined, client);
    return client.volumes.clone({ volumeId, offerId, sizeGb: 25 }, options);
  },
  succeeds: (result, simulator, volumeId) => {
    assert.ok(((result as { id?: number }).id ?? 0) > volumeId);
    const sent = simulator.received('POST', `${address}copy/`).at(-1)?.body;
    const offerId = (simulator.received('PUT', address)[0]?.body as { id: number }).id;
    assert.deepEqual(sent, { src_id: volumeId, dst_id: offerId, size: 25 });
  },
  refusals: [
    refused(400, 'invalid_args', /did not accept/),
    {
      status: 404,
      code: 'no_such_volume',
      error: NotFoundError,
      message: /no longer exists/,
      nextStep: 'retry',
    },
  ],
});

describeFailures({
  name: 'volumes.remove',
  method: 'DELETE',
  path: address,
  repeat: 'write',
  prepare: aVolume,
  call: (client, id, options) => client.volumes.remove(id, options),
  succeeds: (result, simulator, id) => {
    assert.equal(result, undefined);
    const sent = simulator.received('DELETE').at(-1);
    assert.deepEqual([sent?.path, sent?.body], [address, { id }]);
  },
  refusals: [
    refused(400, 'invalid_args', /did not accept/),
    {
      status: 404,
      code: 'no_such_volume',
      error: NotFoundError,
      message: /no longer exists/,
      nextStep: 'retry',
    },
  ],
});

describe('volumes', () => {
  const clients = useClients();

  it('can’t be bigger than the disk or made from an offer that is none', async () => {
    const { simulator, client } = await clients.start();
    const offerId = await anOffer(simulator, client);
    await assert.rejects(client.volumes.create({ offerId, sizeGb: 1e6 }), RefusedError);
    await assert.rejects(client.volumes.create({ offerId, sizeGb: 0 }), RefusedError);
    await assert.rejects(client.volumes.create({ offerId: 5, sizeGb: 5 }), GoneError);
    await assert.rejects(client.volumes.create({ offerId, sizeGb: 5, name: 'a b' }), { status: 422 });
  });

  it('are cloned at their size or more, with the end of the listing of their machine', async () => {
    const { simulator, client } = await clients.start();
    const volumeId = await aVolume(simulator, client);
    const { items } = await client.volumes.search({ leastSizeGb: 20, isVerified: true });
    const other = items.at(-1);
    assert.ok(other?.endsAt !== undefined);
    assert.deepEqual(simulator.received('POST', `${address}search/`).at(-1)?.body, {
      disk_space: { gte: 20 },
      verified: { eq: true },
      external: { eq: false },
      order: [['storage_cost', 'asc']],
      allocated_storage: 20,
    });
    await assert.rejects(client.volumes.clone({ volumeId, offerId: other.id, sizeGb: 19 }), RefusedError);
    const { id } = await client.volumes.clone({ volumeId, offerId: other.id, sizeGb: 21 });
    const made = (await client.volumes.list()).items.find((one) => one.id === id);
    assert.deepEqual([made?.sizeGb, made?.machineId, made?.endsAt], [21, other.machineId, other.endsAt]);
  });

  it('cost money while they exist', async () => {
    const { simulator, client } = await clients.start();
    await aVolume(simulator, client);
    const before = (await client.users.current()).credit ?? 0;
    const { items } = await client.volumes.list();
    simulator.advance(10 * 3600);
    const after = (await client.users.current()).credit ?? 0;
    const expected = 10 * (items[0]?.perHour ?? 0);
    assert.ok(expected > 0 && Math.abs(before - after - expected) <= 20, `${before - after} ≈ ${expected}`);
  });

  it('are deleted by the query too, and not twice', async () => {
    const { simulator, client } = await clients.start();
    const id = await aVolume(simulator, client);
    assert.equal((await simulator.call('DELETE', `/api/v0/volumes?id=${id}`, {})).status, 200);
    await assert.rejects(client.volumes.remove(id), NotFoundError);
    const nothing = await simulator.call('DELETE', address, {});
    assert.deepEqual([nothing.status, nothing.json.error], [400, 'invalid_args']);
  });

  it('of the network are no more, and other orders are checked', async () => {
    const { simulator, client } = await clients.start();
    await aVolume(simulator, client);
    const network = await simulator.call('GET', `${address}?owner=me&type=network_volume`);
    assert.deepEqual(network.json.volumes, []);
    const order = await simulator.call('POST', `${address}search/`, { order: [['disk_space', 'up']] });
    assert.equal(order.json.error, 'invalid_args');
  });

  it('are linked to instances of their machine only, by an absolute path, and held by them', async () => {
    const { simulator, client } = await clients.start();
    const volumeId = await aVolume(simulator, client);
    const { items } = await client.volumes.list();
    const machineId = items[0]?.machineId ?? 0;
    const accountId = simulator.world.accounts[0]?.id ?? 0;
    const { volumes } = simulator.world.ports;
    const link = (fields: Record<string, unknown>, onMachine = machineId) =>
      volumes?.attach(fields, { accountId, machineId: onMachine, instanceId: 77 });
    const wrong: [() => unknown, number, string][] = [
      [() => link({ volume_id: volumeId, mount_path: 'data' }), 400, 'invalid_args'],
      [() => link({ mount_path: '/data' }), 400, 'invalid_args'],
      [() => link({ volume_id: 1, mount_path: '/data' }), 404, 'no_such_volume'],
      [() => link({ volume_id: volumeId, mount_path: '/data' }, machineId + 1), 400, 'invalid_args'],
    ];
    for (const [call, status, code] of wrong) {
      assert.throws(
        call,
        (error) => error instanceof ServiceError && error.status === status && error.code === code,
      );
    }
    assert.deepEqual(link({ create_new: false, volume_id: volumeId, mount_path: '/data' }), {
      volumeId,
      mountPath: '/data',
    });
    assert.deepEqual((await client.volumes.list()).items[0]?.instanceIds, [77]);
    await assert.rejects(client.volumes.remove(volumeId), { status: 409, code: 'volume_in_use' });
    volumes?.release?.(77);
    await client.volumes.remove(volumeId);
  });

  it('are made with an instance from the volume offer of its machine', async () => {
    const { simulator, client } = await clients.start();
    const { items } = await client.volumes.search({ leastSizeGb: 50, limit: 1 });
    const offer = items[0];
    assert.ok(offer?.machineId !== undefined);
    const accountId = simulator.world.accounts[0]?.id ?? 0;
    const wanted = { create_new: true, volume_id: offer.id, size: 12, mount_path: '/data' };
    const attach = (machineId: number) =>
      simulator.world.ports.volumes?.attach(wanted, { accountId, machineId, instanceId: 78 });
    assert.throws(() => attach(1), ServiceError);
    const mount = attach(offer.machineId);
    const made = (await client.volumes.list()).items.find((volume) => volume.id === mount?.volumeId);
    assert.deepEqual([made?.sizeGb, made?.machineId], [12, offer.machineId]);
  });

  it('may list their instances as records or as numbers', async () => {
    const { simulator, client } = await clients.start();
    const body = { volumes: [{ id: 1, instances: [{ id: 5 }, 6, '7', null, 'x'] }, { id: 2 }] };
    simulator.fail({ kind: 'answer', path: address, body });
    assert.deepEqual((await client.volumes.list()).items, [{ id: 1, instanceIds: [5, 6, 7] }, { id: 2 }]);
  });
});
