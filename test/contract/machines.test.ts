import assert from 'node:assert/strict';
import type { Client } from '../../src/api/client';
import { ForbiddenError, NotFoundError, RefusedError } from '../../src/api/errors';
import type { Machine, ScheduledMaintenance } from '../../src/api/records/machine';
import { fromDollars } from '../../src/model/money';
import { useClients } from '../support/apiClient';
import { describeFailures, type Refusal } from '../support/failureMatrix';
import { useSimulators, type TestSimulator } from '../support/startSimulator';

const ownMachine = (simulator: TestSimulator) => {
  const hostId = simulator.world.accounts[0]?.hostId;
  return simulator.world.market.machines.find((machine) => machine.hostId === hostId)?.id ?? 0;
};
const prepare = (simulator: TestSimulator) => Promise.resolve(ownMachine(simulator));

/** See docs/service/machines.md#refusals. */
const refusals: Refusal[] = [
  {
    status: 403,
    code: 'not_authorized',
    error: ForbiddenError,
    message: /not allowed/,
    nextStep: 'replaceKey',
  },
  { status: 404, code: 'not_found', error: NotFoundError, message: /does not know/, nextStep: 'retry' },
  { status: 422, code: 'invalid_args', error: RefusedError, message: /did not accept/, nextStep: 'none' },
];

describeFailures({
  name: 'machines.list',
  method: 'GET',
  path: '/api/v0/machines/',
  repeat: 'read',
  call: (client, _, options) => client.machines.list(options),
  succeeds: (result, simulator) => {
    const { items, skipped } = result as { items: Machine[]; skipped: number };
    assert.equal(skipped, 0);
    assert.ok(items.length >= 2);
    const first = items.find((machine) => machine.id === ownMachine(simulator));
    assert.ok(first?.gpuName !== undefined && first.minBidPerHour !== undefined);
    assert.equal(first.occupancy?.split(' ').length, first.gpuCount);
  },
});

describeFailures({
  name: 'machines.setMinimumBid',
  method: 'PUT',
  path: '/api/v0/machines/{id}/minbid/',
  repeat: 'write',
  prepare,
  call: (client, id, options) => client.machines.setMinimumBid(id, fromDollars(0.1234), options),
  succeeds: (result, simulator, id) => {
    assert.deepEqual(result, { price: fromDollars(0.1234) });
    const sent = simulator.received('PUT').at(-1);
    assert.deepEqual([sent?.path, sent?.body], [`/api/v0/machines/${id}/minbid/`, { price: 0.1234 }]);
  },
  refusals,
});

describeFailures({
  name: 'machines.scheduleMaintenance',
  method: 'PUT',
  path: '/api/v0/machines/{id}/dnotify',
  repeat: 'write',
  prepare,
  call: (client, id, options) =>
    client.machines.scheduleMaintenance(
      id,
      { startsAt: Date.UTC(2100, 4, 1, 8, 30), hours: 2.5, reason: 'New fans', category: 'gpu' },
      options,
    ),
  succeeds: (result, simulator, id) => {
    assert.deepEqual(result, { notified: 0 });
    const sent = simulator.received('PUT').at(-1);
    assert.equal(sent?.path, `/api/v0/machines/${id}/dnotify`, 'without a final slash');
    assert.deepEqual(sent.body, {
      sdate: '2100-05-01T08:30:00.000Z',
      duration: 2.5,
      maintenance_reason: 'New fans',
      maintenance_category: 'gpu',
    });
  },
  refusals,
});

const window = { startsAt: Date.UTC(2100, 4, 1, 8), hours: 2, reason: 'New fans', category: 'gpu' } as const;
const withWindow = async (simulator: TestSimulator, client: Client) => {
  const id = ownMachine(simulator);
  await client.machines.scheduleMaintenance(id, window);
  return id;
};
const listed = (result: unknown, machineId: number) => {
  const { items } = result as { items: ScheduledMaintenance[] };
  assert.deepEqual(
    items.map(({ machineId: of, startsAt, endsAt, category }) => [of, startsAt, endsAt, category]),
    [[machineId, window.startsAt, window.startsAt + 2 * 3_600_000, 'gpu']],
  );
  assert.ok((items[0]?.id ?? 0) > 0);
};
const windows = '/api/v0/machines/maintenances';

describeFailures({
  name: 'machines.maintenances',
  method: 'GET',
  path: windows,
  repeat: 'read',
  prepare: withWindow,
  call: (client, id, options) => client.machines.maintenances([id], options),
  succeeds: (result, simulator, id) => {
    listed(result, id);
    const sent = simulator.received('GET', windows).at(-1);
    assert.deepEqual(sent?.query, { owner: 'me', machine_ids: `[${id}]` });
  },
  refusals: refusals.slice(0, 2),
});

describeFailures({
  name: 'machines.plannedMaintenance',
  method: 'POST',
  path: windows,
  repeat: 'read',
  prepare: withWindow,
  call: (client, id, options) => client.machines.plannedMaintenance([id], options),
  succeeds: (result, simulator, id) => {
    listed(result, id);
    assert.deepEqual(simulator.received('POST', windows).at(-1)?.body, { machine_ids: [id] });
  },
  refusals: refusals.slice(0, 2),
});

describeFailures({
  name: 'machines.cancelMaintenance',
  method: 'DELETE',
  path: windows,
  repeat: 'write',
  prepare: async (simulator, client) => {
    const machineId = await withWindow(simulator, client);
    return (await client.machines.maintenances([machineId])).items[0]?.id ?? 0;
  },
  call: (client, id, options) => client.machines.cancelMaintenance(id, options),
  succeeds: (_, simulator, id) => {
    assert.deepEqual(simulator.received('DELETE', windows).at(-1)?.body, { maintenance_id: id });
  },
  refusals: [
    ...refusals.slice(0, 1),
    { status: 400, code: 'invalid_args', error: RefusedError, message: /did not accept/, nextStep: 'none' },
  ],
});

describe('machines', () => {
  const simulators = useSimulators();
  const clients = useClients();

  it('have the minimum bid that was set, in the list and on the market', async () => {
    const { simulator, client } = await clients.start();
    const id = ownMachine(simulator);
    await client.machines.setMinimumBid(id, fromDollars(0.07));
    const { items } = await client.machines.list();
    assert.equal(items.find((machine) => machine.id === id)?.minBidPerHour, fromDollars(0.07));
    const search = await simulator.call('POST', '/api/v0/bundles/', {
      type: 'bid',
      machine_id: { eq: id },
      num_gpus: { eq: 1 },
    });
    const offers = search.json.offers as { min_bid: number }[];
    assert.deepEqual([...new Set(offers.map((offer) => offer.min_bid))], [0.07]);
  });

  it('have the maintenance that was scheduled, in their record', async () => {
    const { simulator, client } = await clients.start();
    const id = ownMachine(simulator);
    const startsAt = Date.UTC(2100, 4, 1, 8, 30);
    const plan = { startsAt, hours: 2.5, reason: 'New fans', category: 'gpu' } as const;
    await client.machines.scheduleMaintenance(id, plan);
    const { items } = await client.machines.list();
    const windows = items.map((machine) => [machine.id === id, machine.maintenance]);
    const scheduled = { startsAt, endsAt: startsAt + 9_000_000, category: 'gpu', reason: 'New fans' };
    assert.deepEqual(
      windows,
      items.map((machine) => (machine.id === id ? [true, [scheduled]] : [false, []])),
    );
  });

  it('keep maintenance of which not all is stated, and what is absurd is unknown', async () => {
    const { simulator, client } = await clients.start();
    const windows = [
      { start_time: 1e9, duration_hours: '2' },
      { start_time: -1, end_time: 1e300 },
    ];
    const machines = [
      { id: 1, maintenance: windows },
      { id: 2, maintenance: 'none' },
    ];
    simulator.faults.add({ kind: 'answer', path: '/api/v0/machines/', status: 200, body: { machines } });
    const { items } = await client.machines.list();
    assert.deepEqual(items, [
      { id: 1, maintenance: [{ startsAt: 1e12, endsAt: 1e12 + 7_200_000 }, {}] },
      { id: 2 },
    ]);
  });

  it('are distinguished by owner, and their values are checked', async () => {
    const { simulator, client } = await clients.start();
    const hostId = simulator.world.accounts[0]?.hostId;
    const others = simulator.world.market.machines.find((machine) => machine.hostId !== hostId)?.id ?? 0;
    await assert.rejects(client.machines.setMinimumBid(others, fromDollars(1)), ForbiddenError);
    await assert.rejects(client.machines.setMinimumBid(999_999, fromDollars(1)), NotFoundError);
    const id = ownMachine(simulator);
    const wrong: [string, unknown][] = [
      ['minbid/', {}],
      ['minbid/', { price: -1 }],
      ['dnotify', { sdate: 'tomorrow', duration: 1 }],
      ['dnotify', { sdate: '2001-01-01T00:00:00Z', duration: 1 }],
      ['dnotify', { sdate: '2100-01-01T00:00:00Z', duration: 0 }],
      ['dnotify', { sdate: '2100-01-01T00:00:00Z', duration: 1, maintenance_category: 'party' }],
    ];
    for (const [below, body] of wrong) {
      const answer = await simulator.call('PUT', `/api/v0/machines/${id}/${below}`, body);
      assert.deepEqual([answer.status, answer.json.error], [422, 'invalid_args'], JSON.stringify(body));
    }
  });

  it('accept the shapes of the public command-line client', async () => {
    const simulator = await simulators.start();
    const id = ownMachine(simulator);
    const bid = await simulator.call('PUT', `/api/v0/machines/${id}/minbid`, {
      client_id: 'me',
      price: '0.2',
    });
    assert.deepEqual(bid.json, { success: true, you_sent: { client_id: 'me', price: '0.2' } });
    const notice = await simulator.call('PUT', `/api/v0/machines/${id}/dnotify/`, {
      client_id: 'me',
      sdate: Math.floor(Date.now() / 1000) + 90_000,
      duration: '3',
      maintenance_category: 'power',
    });
    assert.deepEqual([notice.status, notice.json.you_sent], [200, '0']);
  });

  it('are none for an account that hosts nothing', async () => {
    const simulator = await simulators.start();
    const made = await simulator.call('POST', '/__sim/accounts/', {});
    const { client } = clients.connect(simulator, { key: made.json.key });
    assert.deepEqual(await client.machines.list(), { items: [], skipped: 0 });
  });

  it('are understood with nothing but an id', async () => {
    const simulator = await simulators.start({ minimalRecords: true });
    const { items } = await clients.connect(simulator).client.machines.list();
    assert.deepEqual(Object.keys(items[0] ?? {}), ['id']);
  });
});
