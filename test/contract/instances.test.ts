import assert from 'node:assert/strict';
import { ForbiddenError, NotFoundError, NotReachableError, RefusedError } from '../../src/api/errors';
import { fromDollars } from '../../src/model/money';
import { useClients } from '../support/apiClient';
import { describeFailures, refused, type MatrixOperation, type Refusal } from '../support/failureMatrix';
import { anOfferId, rentOne, rentRunning } from '../support/rentedInstance';
import type { TestSimulator } from '../support/startSimulator';

const gone: Refusal = {
  status: 404,
  code: 'no_such_instance',
  error: NotFoundError,
  message: /no longer exists/,
  nextStep: 'retry',
};
const rentedBefore: MatrixOperation['prepare'] = (_, client) => rentOne(client);
const last = (simulator: TestSimulator, method: string, path: string) =>
  simulator.received(method, path).at(-1);

describeFailures({
  name: 'instances.list',
  method: 'GET',
  path: '/api/v1/instances/',
  repeat: 'read',
  prepare: rentedBefore,
  call: (client, _, options) => client.instances.list(options),
  succeeds: (result, simulator, id) => {
    const { items, found, skipped } = result as { items: { id: number }[]; found: number; skipped: number };
    assert.deepEqual([items.map((item) => item.id), found, skipped], [[id], 1, 0]);
    const sent = last(simulator, 'GET', '/api/v1/instances/');
    assert.deepEqual([sent?.query, sent?.body], [{ limit: '25' }, '']);
  },
  differs: {
    // The old list is asked instead, and answers.
    '404': { check: (result) => assertOneInstance(result), asked: 1 },
    '410': { check: (result) => assertOneInstance(result), asked: 1 },
  },
});

function assertOneInstance(result: unknown): void {
  assert.equal((result as { items: unknown[] }).items.length, 1);
}

describeFailures({
  name: 'instances.list, old',
  method: 'GET',
  path: '/api/v0/instances/',
  repeat: 'read',
  simulator: { noPagedList: true },
  prepare: rentedBefore,
  call: (client, _, options) => client.instances.list(options),
  succeeds: (result, simulator, id) => {
    const { items, found } = result as { items: { id: number }[]; found: number };
    assert.deepEqual([items.map((item) => item.id), found], [[id], 1]);
    assert.deepEqual(last(simulator, 'GET', '/api/v0/instances/')?.query, {});
  },
});

describeFailures({
  name: 'instances.get',
  method: 'GET',
  path: '/api/v0/instances/{id}/',
  repeat: 'read',
  prepare: rentedBefore,
  call: (client, id, options) => client.instances.get(id, options),
  succeeds: (result, _, id) => {
    const { id: read, label, image } = result as { id: number; label: string; image: string };
    assert.deepEqual([read, label, image], [id, 'test [gr-00000001]', 'pytorch/pytorch:latest']);
  },
});

const changes: readonly {
  readonly name: string;
  readonly call: MatrixOperation['call'];
  readonly body: unknown;
  readonly refusals: readonly Refusal[];
  readonly prepare?: MatrixOperation['prepare'];
}[] = [
  {
    name: 'instances.stop',
    call: (client, id, options) => client.instances.stop(id, options),
    body: { state: 'stopped' },
    refusals: [gone, refused(400, 'invalid_args', /did not accept the request/)],
  },
  {
    name: 'instances.label',
    call: (client, id, options) => client.instances.label(id, 'other', options),
    body: { label: 'other' },
    refusals: [gone, refused(400, 'label_too_long', /too long/)],
  },
  {
    name: 'instances.start',
    prepare: async (simulator, client) => {
      const id = await rentRunning(simulator, client);
      await client.instances.stop(id);
      simulator.advance(60);
      return id;
    },
    call: (client, id, options) => client.instances.start(id, options),
    body: { state: 'running' },
    refusals: [gone, refused(400, 'missing_billing', /Add credit/, 'openConsole')],
  },
];
for (const change of changes) {
  describeFailures({
    name: change.name,
    method: 'PUT',
    path: '/api/v0/instances/{id}/',
    repeat: 'write',
    prepare: change.prepare ?? rentedBefore,
    call: change.call,
    succeeds: (_, simulator, id) => {
      assert.deepEqual(last(simulator, 'PUT', `/api/v0/instances/${id}/`)?.body, change.body);
    },
    refusals: change.refusals,
  });
}

describeFailures({
  name: 'instances.destroy',
  method: 'DELETE',
  path: '/api/v0/instances/{id}/',
  repeat: 'write',
  prepare: rentedBefore,
  call: (client, id, options) => client.instances.destroy(id, options),
  succeeds: (_, simulator, id) => {
    assert.equal(simulator.world.instance(id), undefined);
    assert.equal(last(simulator, 'DELETE', `/api/v0/instances/${id}/`)?.body, '');
  },
  refusals: [gone, refused(400, 'invalid_args', /did not accept the request/)],
});

describeFailures({
  name: 'instances.stopMany',
  method: 'PUT',
  path: '/api/v0/instances/',
  repeat: 'write',
  prepare: rentedBefore,
  call: (client, id, options) => client.instances.stopMany([id], options),
  succeeds: (_, simulator, id) => {
    assert.deepEqual(last(simulator, 'PUT', '/api/v0/instances/')?.body, { state: 'stopped', ids: [id] });
    assert.equal(simulator.world.instance(id)?.intendedStatus, 'stopped');
  },
  refusals: [gone],
});

describeFailures({
  name: 'instances.destroyMany',
  method: 'DELETE',
  path: '/api/v0/instances/',
  repeat: 'write',
  prepare: rentedBefore,
  call: (client, id, options) => client.instances.destroyMany([id], options),
  succeeds: (_, simulator, id) => {
    assert.deepEqual(last(simulator, 'DELETE', '/api/v0/instances/')?.body, { instance_ids: [id] });
    assert.equal(simulator.world.instance(id), undefined);
  },
  refusals: [gone],
});

describeFailures({
  name: 'instances.reboot',
  method: 'PUT',
  path: '/api/v0/instances/reboot/{id}/',
  repeat: 'write',
  prepare: rentRunning,
  call: (client, id, options) => client.instances.reboot(id, options),
  succeeds: (_, simulator, id) => {
    assert.deepEqual(last(simulator, 'PUT', `/api/v0/instances/reboot/${id}/`)?.body, {});
  },
  refusals: [gone],
});

describeFailures({
  name: 'instances.recycle',
  method: 'PUT',
  path: '/api/v0/instances/recycle/{id}/',
  repeat: 'write',
  prepare: rentRunning,
  call: (client, id, options) => client.instances.recycle(id, options),
  succeeds: (_, simulator, id) => {
    assert.deepEqual(last(simulator, 'PUT', `/api/v0/instances/recycle/${id}/`)?.body, {});
    assert.equal(simulator.world.instance(id)?.actualStatus, 'loading');
  },
  refusals: [gone],
});

describeFailures({
  name: 'instances.changeImage',
  method: 'PUT',
  path: '/api/v0/instances/update_template/{id}/',
  repeat: 'write',
  prepare: rentRunning,
  call: (client, id, options) =>
    client.instances.changeImage(id, { kind: 'image', image: 'ubuntu:24.04' }, options),
  succeeds: (_, simulator, id) => {
    const sent = last(simulator, 'PUT', `/api/v0/instances/update_template/${id}/`);
    assert.deepEqual(sent?.body, { id, image: 'ubuntu:24.04' });
    assert.equal(simulator.world.instance(id)?.image, 'ubuntu:24.04');
  },
  refusals: [gone],
});

describeFailures({
  name: 'instances.changeBid',
  method: 'PUT',
  path: '/api/v0/instances/bid_price/{id}/',
  repeat: 'write',
  prepare: async (_, client) => {
    const offer = await anOfferId(client, 'interruptible');
    assert.ok(offer.minBidPerHour);
    const config = { image: 'i', diskGb: 10, bidPerHour: offer.minBidPerHour };
    return (await client.offers.rent(offer.id, config)).instanceId;
  },
  call: (client, id, options) => client.instances.changeBid(id, fromDollars(1.25), options),
  succeeds: (_, simulator, id) => {
    const sent = last(simulator, 'PUT', `/api/v0/instances/bid_price/${id}/`);
    assert.deepEqual(sent?.body, { client_id: 'me', price: 1.25 });
    assert.equal(simulator.world.instance(id)?.bidPrice, 1.25);
  },
  refusals: [
    gone,
    {
      ...refused(400, 'invalid_args', /minimum bid.*bid price >= 0\.001/),
      msg: 'Please set a bid price >= 0.001.',
    },
  ],
});

/** The machine of the instance that was rented last. */
let machineId = 0;
const reported = { problem: 'Machine Has Port Issues', message: '22 never opened' } as const;
describeFailures({
  name: 'instances.reportMachine',
  method: 'PUT',
  path: '/api/v0/machines/{id}/report',
  repeat: 'write',
  prepare: async (simulator, client) => {
    const id = await rentOne(client);
    machineId = simulator.world.instance(id)?.machineId ?? 0;
    return id;
  },
  call: (client, id, options) => client.instances.reportMachine(id, { machineId, ...reported }, options),
  succeeds: (_, simulator, id) => {
    const sent = last(simulator, 'PUT', `/api/v0/machines/${machineId}/report`);
    assert.deepEqual(sent?.body, { instance_id: id, ...reported });
  },
  refusals: [
    refused(400, 'invalid_args', /did not accept the request/),
    {
      status: 403,
      code: 'not_authorized',
      error: ForbiddenError,
      message: /not allowed/,
      nextStep: 'replaceKey',
    },
  ],
});

const snapshot = {
  ...{ registry: 'registry.example.org', repository: 'ana/warm', user: 'ana', password: 'push-only' },
  pauses: true,
};
describeFailures({
  name: 'instances.takeSnapshot',
  method: 'POST',
  path: '/api/v0/instances/take_snapshot/{id}/',
  repeat: 'write',
  prepare: rentedBefore,
  call: (client, id, options) => client.instances.takeSnapshot(id, snapshot, options),
  succeeds: (_, simulator, id) => {
    const sent = last(simulator, 'POST', `/api/v0/instances/take_snapshot/${id}/`);
    assert.deepEqual(sent?.body, {
      container_registry: 'registry.example.org',
      personal_repo: 'registry.example.org/ana/warm',
      docker_login_user: 'ana',
      docker_login_pass: 'push-only',
      pause: 'true',
    });
  },
  refusals: [gone, refused(400, 'invalid_args', /did not accept the request/)],
});

describe('the life of an instance', () => {
  const clients = useClients();

  it('ends the time in which its machine can be reported, for which the values are checked', async () => {
    const { simulator, client } = await clients.start();
    const id = await rentOne(client);
    const report = { machineId: simulator.world.instance(id)?.machineId ?? 0, ...reported };
    await client.instances.reportMachine(id, report);
    const long = { ...report, message: 'a'.repeat(513) };
    await assert.rejects(client.instances.reportMachine(id, long), RefusedError);
    const elsewhere = { ...report, machineId: report.machineId + 1 };
    await assert.rejects(client.instances.reportMachine(id, elsewhere), ForbiddenError);
    await client.instances.destroy(id);
    await assert.rejects(client.instances.reportMachine(id, report), ForbiddenError);
  });

  it('is followed from the rental to the end with nothing but the documented fields', async () => {
    const { simulator, client } = await clients.start({ minimalRecords: true });
    const id = await rentOne(client);
    assert.equal((await client.instances.get(id))?.actualStatus, null);
    simulator.advance(600);
    const running = await client.instances.get(id);
    assert.equal(running?.actualStatus, 'running');
    assert.ok(running.sshHost !== undefined && running.sshPort !== undefined);
    assert.equal(running.totalPerHour, undefined, 'unknown, not zero');
    const listed = await client.instances.list();
    assert.deepEqual(
      listed.items.map((item) => [item.id, item.actualStatus]),
      [[id, 'running']],
    );
    await client.instances.destroy(id);
    assert.equal(await client.instances.get(id), undefined);
  });

  it('gives an empty list when there is none, by either list', async () => {
    for (const options of [{}, { noPagedList: true }, { deprecatedList: true }]) {
      const { client } = await clients.start(options);
      assert.deepEqual((await client.instances.list()).items, []);
    }
  });

  it('remembers the old list for this client', async () => {
    const { simulator, client } = await clients.start({ noPagedList: true });
    await client.instances.list();
    await client.instances.list();
    assert.deepEqual(
      simulator.received('GET', /\/instances\//).map((request) => request.path),
      ['/api/v1/instances/', '/api/v0/instances/', '/api/v0/instances/'],
    );
  });

  for (const noPagedList of [false, true]) {
    const name = noPagedList ? 'old' : 'paged';
    it(`reads every page of a long ${name} list, and shows if it is partial`, async () => {
      const listed = async (pageTokens?: 'repeat' | 'odd' | 'endless') => {
        const paging = { noPagedList, rowsPerPage: 1, ...(pageTokens && { pageTokens }) };
        const { client } = await clients.start({ ...paging, limits: false });
        const ids = [await rentOne(client), await rentOne(client), await rentOne(client)];
        const { items, found = 0 } = await client.instances.list();
        const isWhole = ids.every((id) => items.some((item) => item.id === id));
        return [isWhole, found > items.length];
      };
      assert.deepEqual(await listed(), [true, false]);
      assert.deepEqual(await listed('repeat'), [false, true]);
      assert.deepEqual(await listed('odd'), [false, true]);
      assert.deepEqual(await listed('endless'), [true, true]);
    });
  }

  it('is destroyed once; the second time it does not exist any more', async () => {
    const { client } = await clients.start();
    const id = await rentOne(client);
    await client.instances.destroy(id);
    await assert.rejects(client.instances.destroy(id), NotFoundError);
  });

  it('took effect when only the answer to a stop was lost', async () => {
    const { simulator, client } = await clients.start();
    const id = await rentOne(client);
    simulator.fail({ kind: 'dropAfter', method: 'PUT', path: '/api/v0/instances/{id}/' });
    await assert.rejects(client.instances.stop(id), NotReachableError);
    assert.equal(simulator.world.instance(id)?.intendedStatus, 'stopped');
  });

  it('can’t get a bid when it is not interruptible', async () => {
    const { client } = await clients.start();
    const id = await rentOne(client);
    await assert.rejects(client.instances.changeBid(id, fromDollars(0.5)), RefusedError);
  });
});
