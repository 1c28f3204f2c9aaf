import assert from 'node:assert/strict';
import { offer as offerSchema, offerList } from '../../../../src/wire/offer';
import {
  useSimulators,
  type TestSimulator,
  type TestSimulatorOptions,
} from '../../../support/startSimulator';

type Row = Readonly<Record<string, unknown>>;

describe('The market', () => {
  const simulators = useSimulators();
  // No two tests change it, so most share one; `useSimulators` closes it after each.
  const start = (options: TestSimulatorOptions = {}) => simulators.start(options);

  async function search(simulator: TestSimulator, body: unknown): Promise<readonly Row[]> {
    const { status, json, text } = await simulator.call('POST', '/api/v0/bundles/', body);
    assert.equal(status, 200, text);
    return json.offers as readonly Row[];
  }
  const values = (rows: readonly Row[], name: string) => rows.map((row) => row[name]);
  /** The different values of a field in the rows of a search; none where it finds nothing. */
  const kinds = async (simulator: TestSimulator, body: unknown, name: string) => [
    ...new Set(values(await search(simulator, body), name)),
  ];

  it('has at least 400 offers, of at least 25 models, on machines with several offers', async () => {
    const { world } = await start();
    const { offers } = world.market;
    assert.ok(offers.length >= 400, String(offers.length));
    assert.ok(new Set(offers.map((slice) => slice.machine.model.name)).size >= 25);
    const machines = new Set(offers.map((slice) => slice.machine.id));
    assert.ok(offers.length > machines.size * 1.5);
    assert.equal(new Set(offers.map((slice) => slice.offerId)).size, offers.length);
  });

  it('is the same for the same seed and another for another', async () => {
    const of = async (seed: number) => (await start({ seed })).world.market.machines;
    assert.deepEqual(await of(7), await of(7));
    assert.notDeepEqual(await of(7), await of(8));
  });

  it('offers believable machines', async () => {
    const { world } = await start();
    for (const machine of world.market.machines) {
      assert.ok(machine.reliability > 0.75 && machine.reliability < 1, `reliability ${machine.reliability}`);
      assert.ok(machine.pricePerGpu > 0.03 && machine.pricePerGpu < 8, `price ${machine.pricePerGpu}`);
      assert.ok(machine.minBidPerGpu < machine.pricePerGpu);
      assert.ok(machine.taken <= machine.gpus);
      assert.ok(machine.diskGb >= 100);
    }
    const memory = new Map(world.market.machines.map(({ model }) => [model.name, model.ramMb]));
    assert.equal(memory.get('RTX 4090'), 24564);
    assert.equal(memory.get('A100 SXM4'), 81920);
  });

  it('answers rows that the wire schema accepts, 64 at most, the best score first', async () => {
    const simulator = await start();
    const { json } = await simulator.call('POST', '/api/v0/bundles/', { limit: 5000 });
    const rows = offerList.parse(json).rows.map((row) => offerSchema.parse(row));
    assert.equal(rows.length, 64);
    const scores = rows.map((row) => row.score ?? 0);
    assert.deepEqual(
      scores,
      [...scores].sort((a, b) => b - a),
    );
    for (const row of rows) {
      assert.ok((row.dph_total ?? 0) > (row.dph_base ?? 0));
      assert.ok((row.gpu_total_ram ?? 0) >= (row.gpu_ram ?? Infinity));
    }
  });

  it('knows every operator', async () => {
    const simulator = await start();
    const counts = async (operators: unknown) =>
      (await kinds(simulator, { num_gpus: operators }, 'num_gpus')).sort();
    assert.deepEqual(await counts({ eq: 4 }), [4]);
    assert.deepEqual(await counts({ neq: 1 }), [2, 4, 6, 8]);
    assert.deepEqual(await counts({ gt: 4 }), [6, 8]);
    assert.deepEqual(await counts({ gte: 2, lte: 2 }), [2]);
    assert.deepEqual(await counts({ lt: 2 }), [1]);
    assert.deepEqual(await counts({ in: [1, 8] }), [1, 8]);
    assert.deepEqual(await counts({ notin: [1, 2] }), [4, 6, 8]);
  });

  it('accepts values as text, bare values and explicit nulls', async () => {
    const simulator = await start();
    const strict = { verified: { eq: true }, num_gpus: { gte: 2 }, limit: 10 };
    const loose = {
      verified: { eq: 'true' },
      num_gpus: { gte: '2' },
      limit: '10',
      external: null,
      cuda_max_good: { gte: null },
      order: null,
      type: null,
    };
    assert.deepEqual(
      values(await search(simulator, loose), 'id'),
      values(await search(simulator, strict), 'id'),
    );
    assert.deepEqual(await kinds(simulator, { static_ip: true }, 'static_ip'), [true]);
  });

  it('compares names, places and drivers in the forms that clients use', async () => {
    const simulator = await start();
    const spaced = await search(simulator, { gpu_name: { eq: 'RTX 4090' } });
    assert.ok(spaced.length > 5);
    assert.deepEqual(
      values(await search(simulator, { gpu_name: { eq: 'RTX_4090' } }), 'id'),
      values(spaced, 'id'),
    );
    const nordic = await search(simulator, { geolocation: { in: ['SE', 'no'] } });
    assert.ok(nordic.length > 3);
    assert.ok(nordic.every((row) => /(SE|NO)$/.test(String(row['geolocation']))));
    const drivers = await search(simulator, { driver_version: { gte: '570.0.0' } });
    assert.deepEqual(
      values(await search(simulator, { driver_version: { gte: 570_000_000 } }), 'id'),
      values(drivers, 'id'),
    );
    assert.ok(drivers.length > 0);
    assert.ok(drivers.every((row) => Number(String(row['driver_version']).split('.')[0]) >= 570));
    assert.deepEqual(await kinds(simulator, { datacenter: { eq: true } }, 'hosting_type'), [1]);
    assert.deepEqual(await kinds(simulator, { has_avx: { eq: true } }, 'has_avx'), [1]);
    assert.ok((await search(simulator, { ubuntu_version: { eq: '24.04' } })).length > 0);
  });

  it('sorts by several fields in both directions and puts unknown values last', async () => {
    const simulator = await start();
    const rows = await search(simulator, {
      order: [
        ['num_gpus', 'desc'],
        ['dph_total', 'asc'],
      ],
    });
    const pairs = rows.map((row) => [Number(row['num_gpus']), Number(row['dph_total'])] as const);
    const sorted = [...pairs].sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    assert.deepEqual(pairs, sorted);
    const places = values(await search(simulator, { order: [['geolocation', 'asc']] }), 'geolocation');
    assert.ok(places[0] !== null);
    const unknown = simulator.world.market.offers.filter((slice) => slice.machine.geolocation === null);
    const last = await search(simulator, {
      id: {
        in: [...unknown.slice(0, 1), ...simulator.world.market.offers.slice(0, 3)].map((s) => s.offerId),
      },
      order: [['geolocation', 'desc']],
    });
    assert.equal(last.at(-1)?.['geolocation'], null);
  });

  it('distinguishes bids, reserved and on-demand prices, in both spellings', async () => {
    const simulator = await start();
    const one = async (type: string) =>
      (await search(simulator, { type, id: { eq: 20_310_000 }, allocated_storage: 10 }))[0] ?? {};
    const [demand, ondemand, bid, reserved] = [
      await one('on-demand'),
      await one('ondemand'),
      await one('bid'),
      await one('reserved'),
    ];
    assert.deepEqual(demand['dph_total'], ondemand['dph_total']);
    assert.equal(bid['is_bid'], true);
    assert.equal(bid['dph_base'], demand['min_bid']);
    assert.ok(Number(reserved['dph_base']) <= Number(demand['dph_base']));
  });

  it('folds the wanted storage into the price', async () => {
    const simulator = await start();
    const total = async (gb: number) =>
      (await search(simulator, { id: 20_310_000, allocated_storage: gb }))[0] ?? {};
    const [small, large] = [await total(0), await total(1000)];
    assert.equal(small['dph_total'], small['dph_base']);
    const month = (Number(large['dph_total']) - Number(large['dph_base'])) * 720;
    assert.ok(Math.abs(month - Number(large['storage_cost']) * 1000) < 0.01);
  });

  it('refuses what it does not know', async () => {
    const simulator = await start();
    for (const body of [
      { nonsense: { eq: 1 } },
      { num_gpus: { about: 1 } },
      { num_gpus: { eq: 'many' } },
      { verified: { eq: 'perhaps' } },
      { gpu_name: { in: [4090] } },
      { type: 'gift' },
      { order: 'dph_total' },
      { order: [['dph_total']] },
      { order: [['nonsense', 'asc']] },
      { limit: 'many' },
      [],
    ]) {
      const { status, json } = await simulator.call('POST', '/api/v0/bundles/', body);
      assert.deepEqual([status, json.error], [400, 'invalid_args'], JSON.stringify(body));
    }
  });

  it('has a mode in which offers carry only what the interface names', async () => {
    const simulator = await start({ minimalRecords: true });
    const [row] = await search(simulator, { limit: 1 });
    assert.deepEqual(Object.keys(row ?? {}).sort(), [
      'cuda_max_good',
      'direct_port_count',
      'dlperf_per_dphtotal',
      'dph_total',
      'gpu_name',
      'gpu_ram',
      'id',
      'num_gpus',
      'reliability',
      'rentable',
      'verified',
    ]);
  });

  it('shows what is rented as rented, and lets a test withdraw and price offers', async () => {
    const simulator = await start({ fakeClock: true });
    const [first] = await search(simulator, { rentable: true, num_gpus: { eq: 1 }, limit: 1 });
    const id = Number(first?.['id']);
    await simulator.call('PUT', `/api/v0/asks/${id}/`, { image: 'a/b' });
    const whole = simulator.world.market.offers
      .filter((slice) => slice.machine.id === first?.['machine_id'])
      .at(-1);
    const [row] = await search(simulator, { id: { eq: whole?.offerId } });
    assert.deepEqual([row?.['rentable'], row?.['rented']], [false, true]);
    await simulator.call('PUT', `/__sim/offers/${id}/`, { price_per_gpu: 3.5 });
    assert.equal((await search(simulator, { id }))[0]?.['dph_base'], 3.5);
    await simulator.call('PUT', `/__sim/offers/${id}/`, { gone: true });
    assert.deepEqual(await search(simulator, { id }), []);
    assert.equal((await simulator.call('PUT', `/api/v0/asks/${id}/`, { image: 'a/b' })).status, 410);
    await simulator.call('PUT', `/__sim/offers/${id}/`, { gone: false });
    assert.equal((await search(simulator, { id })).length, 1);
    assert.equal((await simulator.call('PUT', '/__sim/offers/1/', { gone: true })).status, 404);
  });

  it('keeps its listings when the world is used for years', async () => {
    const simulator = await start({ fakeClock: true });
    simulator.advance(3 * 365 * 86_400);
    const rows = await search(simulator, { order: [['duration', 'asc']] });
    assert.ok(Number(rows[0]?.['duration']) >= 86_400);
  });
});
