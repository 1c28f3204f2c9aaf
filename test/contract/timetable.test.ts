import assert from 'node:assert/strict';
import type { Client } from '../../src/api/client';
import { ForbiddenError, NotFoundError, RefusedError } from '../../src/api/errors';
import type { TimetableOrder } from '../../src/model/instances/timetable';
import { useClients } from '../support/apiClient';
import { order } from '../support/everyCall';
import { describeFailures, refused } from '../support/failureMatrix';
import { rentOne } from '../support/rentedInstance';
import type { TestSimulator } from '../support/startSimulator';

const list = '/api/v0/commands/schedule_job/';
const one = `${list}{id}/`;
const hourMs = 3_600_000;

/** The safe form: once, at a full hour of the next seven days. */
function weekly(instanceId: number, atMs: number): TimetableOrder {
  const start = new Date(Math.ceil(atMs / hourMs) * hourMs);
  return {
    ...order,
    instanceId,
    endpoint: `/api/v0/instances/${instanceId}/`,
    startTime: start.getTime() / 1000,
    endTime: start.getTime() / 1000 + 60,
    day: start.getUTCDay(),
    hour: start.getUTCHours(),
  };
}

async function withEntry(_: TestSimulator, client: Client): Promise<number> {
  return (await client.timetable.create(order)).id ?? 0;
}

describeFailures({
  name: 'timetable.list',
  method: 'GET',
  path: list,
  repeat: 'read',
  prepare: withEntry,
  call: (client, _, options) => client.timetable.list(options),
  succeeds: (result, _, id) => {
    assert.deepEqual(result, {
      items: [{ id, ...order, minute: 0, status: 'PENDING' }],
      skipped: 0,
    });
  },
});

describeFailures({
  name: 'timetable.create',
  method: 'POST',
  path: list,
  repeat: 'write',
  call: (client, _, options) => client.timetable.create(order, options),
  succeeds: (result, simulator) => {
    assert.deepEqual(result, { id: 901 });
    assert.deepEqual(simulator.received('POST', list).at(-1)?.body, {
      instance_id: 5001,
      api_endpoint: '/api/v0/instances/5001/',
      request_method: 'PUT',
      request_body: { state: 'stopped' },
      start_time: order.startTime,
      end_time: order.endTime,
      frequency: 'WEEKLY',
      day_of_the_week: 2,
      hour_of_the_day: 7,
    });
  },
  refusals: [refused(422, 'job_exists', /refused the request/)],
});

describeFailures({
  name: 'timetable.change',
  method: 'PUT',
  path: one,
  repeat: 'write',
  prepare: withEntry,
  call: (client, id, options) => client.timetable.change(id, { ...order, hour: 8 }, options),
  succeeds: (result) => {
    assert.equal(result, undefined);
  },
});

describeFailures({
  name: 'timetable.remove',
  method: 'DELETE',
  path: one,
  repeat: 'write',
  prepare: withEntry,
  call: (client, id, options) => client.timetable.remove(id, options),
  succeeds: (result) => {
    assert.equal(result, undefined);
  },
});

describe('The timetable of the service', () => {
  const clients = useClients();

  const running = async () => {
    const { simulator, client } = await clients.start();
    const id = await rentOne(client);
    simulator.advance(1200);
    assert.equal((await client.instances.get(id))?.actualStatus, 'running');
    const status = async () => (await client.instances.get(id))?.intendedStatus ?? 'gone';
    return { simulator, client, id, status, now: () => simulator.world.now() * 1000 };
  };

  it('stops an instance at its hour, and a week later again where the entry stays', async () => {
    const { simulator, client, id, status, now } = await running();
    const wanted = weekly(id, now() + 2 * hourMs);
    await client.timetable.create(wanted);
    simulator.advance(wanted.startTime - simulator.world.now() - 1);
    assert.equal(await status(), 'running');
    simulator.advance(60);
    assert.equal(await status(), 'stopped');
    const [row] = (await client.timetable.list()).items;
    assert.ok((row?.lastRun ?? 0) >= wanted.startTime && (row?.lastRun ?? 0) <= wanted.startTime + 30);
    await client.instances.start(id);
    simulator.advance(7 * 24 * 3600);
    assert.equal(await status(), 'stopped');
  });

  it('runs an hourly entry at the next full hour, long before its start', async () => {
    const { simulator, client, id, status, now } = await running();
    const wanted = weekly(id, now() + 5 * hourMs);
    const { day: _, hour: __, ...rest } = wanted;
    await simulator.call('POST', list, {
      instance_id: id,
      api_endpoint: rest.endpoint,
      request_method: 'DELETE',
      request_body: {},
      start_time: rest.startTime,
      end_time: rest.endTime,
      frequency: 'HOURLY',
    });
    simulator.advance(3700);
    assert.equal(await status(), 'gone');
    assert.equal((await client.timetable.list()).items.length, 1);
  });

  it('has one entry for an instance and a call', async () => {
    const { client } = await clients.start();
    await client.timetable.create(order);
    await assert.rejects(
      client.timetable.create({ ...order, hour: 9 }),
      (error) => error instanceof RefusedError && error.code === 'job_exists',
    );
    await client.timetable.create({ ...order, method: 'DELETE', body: {} });
    const [first] = (await client.timetable.list()).items;
    await client.timetable.change(first?.id ?? 0, { ...order, hour: 9 });
    assert.deepEqual(
      (await client.timetable.list()).items.map(({ hour }) => hour),
      [9, 7],
    );
    await client.timetable.remove(first?.id ?? 0);
    await assert.rejects(client.timetable.remove(first?.id ?? 0), NotFoundError);
  });

  it('may keep still, and may fail', async () => {
    const { simulator, client, id, status, now } = await running();
    for (const manner of ['silent', 'failing']) {
      await simulator.call('PUT', '/__sim/timetable/', { manner });
      const { items } = await client.timetable.list();
      await (items[0]
        ? client.timetable.change(items[0].id, weekly(id, now()))
        : client.timetable.create(weekly(id, now())));
      simulator.advance(2 * 3600);
      assert.equal(await status(), 'running');
    }
    assert.equal((await client.timetable.list()).items[0]?.status, 'FAILED');
  });

  it('needs instance_read to be read, and instance_write to be changed', async () => {
    const { simulator } = await clients.start();
    const limited = async (permissions: object) => {
      const { json } = await simulator.call('POST', '/__sim/keys/', { permissions });
      return clients.connect(simulator, { key: String(json.key) }).client;
    };
    const reader = await limited({ api: { instance_read: {} } });
    assert.deepEqual((await reader.timetable.list()).items, []);
    await assert.rejects(
      reader.timetable.create(order),
      (error) => error instanceof ForbiddenError && error.lacking === 'instance_write',
    );
  });
});
