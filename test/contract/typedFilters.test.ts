import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { OfferSession, typingPauseMs } from '../../src/features/search/offerSession';
import { mostRows } from '../../src/model/offers/marketQuery';
import type { RentalType } from '../../src/model/offers/offer';
import { defaultQuery } from '../../src/model/offers/savedSearches';
import { flagNames, numberNames } from '../../src/model/offers/typedNames';
import { parseTypedQuery } from '../../src/model/offers/typedQuery';
import { offerRow, type Row } from '../../src/simulator/market/offerRow';
import { useClients } from '../support/apiClient';
import { FakeClock } from '../support/fakeClock';
import { startTestSimulator, type TestSimulator } from '../support/startSimulator';
import { until } from '../support/until';

/** 2,150 machines are offered in 5,130 sizes. */
const machines = 2150;

const number = (row: Row, name: string) => Number(row[name]);
const atLeast = (name: string, value: number) => (row: Row) => number(row, name) >= value;
const atMost = (name: string, value: number) => (row: Row) => number(row, name) <= value;
const equal = (name: string, value: unknown) => (row: Row) => row[name] === value;
const placed = (code: string) => (row: Row) => new RegExp(`(^|, )${code}$`).test(String(row['geolocation']));

/** What is typed, and what a person means by it, in the service's own words. */
const lines: readonly (readonly [line: string, meant: (row: Row) => boolean])[] = [
  ['ram>=128', atLeast('cpu_ram', 128_000)],
  ['ram>=512', atLeast('cpu_ram', 512_000)],
  ['ram<=64', atMost('cpu_ram', 64_999)],
  ['cores>=32', atLeast('cpu_cores_effective', 32)],
  ['cores>=128', atLeast('cpu_cores_effective', 128)],
  ['cores=32', (row) => Math.floor(number(row, 'cpu_cores_effective')) === 32],
  ['cores<=8', (row) => Math.floor(number(row, 'cpu_cores_effective')) <= 8],
  ['ram=64', (row) => Math.floor(number(row, 'cpu_ram') / 1000) === 64],
  ['ghz>=3.5', atLeast('cpu_ghz', 3.5)],
  ['ghz<=2.5', atMost('cpu_ghz', 2.5)],
  ['machine_bw>=2000', atLeast('gpu_mem_bw', 2000)],
  ['cuda>=12.8', atLeast('cuda_max_good', 12.8)],
  ['cuda=12.2', equal('cuda_max_good', 12.2)],
  ['cuda<=11.8', atMost('cuda_max_good', 11.8)],
  ['cc>=9', atLeast('compute_cap', 900)],
  ['cc=8.6', equal('compute_cap', 860)],
  ['driver>=570', (row) => Number(String(row['driver_version']).split('.')[0]) >= 570],
  ['driver=535', (row) => String(row['driver_version']).startsWith('535.')],
  ['driver<=535', (row) => Number(String(row['driver_version']).split('.')[0]) <= 535],
  ['ports>=100', atLeast('direct_port_count', 100)],
  ['ports<=3', atMost('direct_port_count', 3)],
  ['disk>=2000', atLeast('disk_space', 2000)],
  ['disk>=2tb', atLeast('disk_space', 2000)],
  ['down>=5000', atLeast('inet_down', 5000)],
  ['down>=5gbit', atLeast('inet_down', 5000)],
  ['up>=5000', atLeast('inet_up', 5000)],
  ['rel>=99.9', atLeast('reliability', 0.999)],
  ['99.9%', atLeast('reliability', 0.999)],
  ['rel<=95', atMost('reliability', 0.95)],
  ['>=100d', atLeast('duration', 100 * 86_400)],
  ['days>=300', atLeast('duration', 300 * 86_400)],
  ['tflops>=500', atLeast('total_flops', 500)],
  ['dlperf>=4000', atLeast('dlperf', 4000)],
  ['value>=450', atLeast('dlperf_per_dphtotal', 450)],
  ['<0.1', atMost('dph_total', 0.1)],
  ['<=0.5', atMost('dph_total', 0.5)],
  ['price>=20', atLeast('dph_total', 20)],
  ['24gb', atLeast('gpu_ram', 23_000)],
  ['≥80gb', atLeast('gpu_ram', 79_000)],
  ['vram=12', (row) => number(row, 'gpu_ram') >= 11_500 && number(row, 'gpu_ram') <= 12_288],
  ['vram<=8', atMost('gpu_ram', 8192)],
  ['total>=1000', atLeast('gpu_total_ram', 1000 * 1000)],
  ['x8', equal('num_gpus', 8)],
  ['gpus>=6', atLeast('num_gpus', 6)],
  ['gpus<=1', atMost('num_gpus', 1)],
  ['4090', equal('gpu_name', 'RTX 4090')],
  ['-4090', (row) => row['gpu_name'] !== 'RTX 4090'],
  ['h100', (row) => String(row['gpu_name']).startsWith('H100')],
  ['datacenter', equal('hosting_type', 1)],
  ['-datacenter', equal('hosting_type', 0)],
  ['static', equal('static_ip', true)],
  ['-static', equal('static_ip', false)],
  ['vm', equal('vms_enabled', true)],
  ['-vm', equal('vms_enabled', false)],
  ['avx', equal('has_avx', 1)],
  ['-avx', equal('has_avx', 0)],
  ['se', placed('SE')],
  ['-us', (row) => !placed('US')(row)],
  ['verified', equal('verified', true)],
  ['unverified', (row) => row['verified'] === false],
  ['spot 4090', equal('gpu_name', 'RTX 4090')],
  ['spot <0.1', atMost('dph_total', 0.1)],
  ['spot <0.05', atMost('dph_total', 0.05)],
  ['spot price>=5', atLeast('dph_total', 5)],
  ['ondemand x2', equal('num_gpus', 2)],
];

describe('typed filters and the whole market', () => {
  const clients = useClients();
  let simulator: TestSimulator;
  let markets: Readonly<Record<RentalType, readonly Row[]>>;
  before(async () => {
    simulator = await startTestSimulator({ machines, fakeClock: true });
    const { world } = simulator;
    const rows = (type: 'on-demand' | 'bid') =>
      world.market.offers.map((slice) => offerRow(world, world.market, slice, type, defaultQuery.diskGb));
    markets = { 'on-demand': rows('on-demand'), interruptible: rows('bid') };
  });
  after(() => simulator.close());

  const isUsual = (line: string) => (row: Row) =>
    (line === 'unverified' || row['verified'] === true) &&
    row['rentable'] === true &&
    row['external'] === false;

  async function shownFor(line: string) {
    const clock = new FakeClock();
    const { client } = clients.connect(simulator);
    const session = new OfferSession({
      search: (search, options) => client.offers.search(search, options),
      clock,
      budget: { waitMs: () => 0, note: () => undefined },
      query: defaultQuery,
    });
    session.setTyped(line);
    await clock.advance(typingPauseMs);
    await until('the offers', () => session.view.loaded && !session.view.busy);
    // A page that fills the list up is asked for in the same turn as its predecessor is shown.
    await setImmediate();
    await until('the rest', () => !session.view.busy);
    const { view } = session;
    session.dispose();
    return view;
  }

  it('is of 5,130 offers', () => {
    assert.equal(markets['on-demand'].length, 5130);
  });

  it('is asked for each filter that can be typed', () => {
    const asked = lines.map(([line]) => parseTypedQuery(line));
    const keys = new Set(asked.flatMap(({ filters }) => Object.keys(filters)));
    const flags = Object.values(flagNames).map(([key]) => key);
    assert.deepEqual(
      [...Object.values(numberNames), ...flags, 'gpu', 'country'].filter((key) => !keys.has(key)),
      [],
    );
    const rentals = new Set(asked.map(({ rentalType }) => rentalType));
    assert.ok(rentals.has('interruptible') && rentals.has('on-demand'));
  });

  for (const [line, meant] of lines) {
    it(`shows what fits ${line}, up to the service's limit`, async () => {
      const fitting = markets[parseTypedQuery(line).rentalType ?? 'on-demand'].filter(
        (row) => isUsual(line)(row) && meant(row),
      );
      assert.ok(fitting.length > 0);
      const view = await shownFor(line);
      const ids = new Set(fitting.map(({ id }) => id));
      assert.deepEqual(
        view.rows.filter(({ id }) => !ids.has(id)).map(({ id }) => id),
        [],
      );
      assert.ok(view.rows.length >= Math.min(mostRows, fitting.length), `${view.rows.length} rows`);
      assert.equal(
        view.more !== 'none',
        fitting.length > view.rows.length,
        `more: ${view.more}, of ${fitting.length}`,
      );
    });
  }
});
