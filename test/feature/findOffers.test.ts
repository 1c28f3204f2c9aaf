import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  choiceKeys,
  fieldLabel,
  flagKeys,
  numberKeys,
  type FieldKey,
} from '../../src/model/offers/searchFields';
import { formatText } from '../../src/util/text';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

/** What each filter sends for 7, for 12 or for *No*, in the service's names and units. */
const everyFilter = {
  bw_nvlink: { gte: 7 },
  cluster_id: { eq: 12 },
  compute_cap: { gte: 700 },
  cpu_arch: { eq: '12' },
  cpu_cores_effective: { gte: 7 },
  cpu_ghz: { gte: 7 },
  cpu_ram: { gte: 7000 },
  cuda_max_good: { gte: 7 },
  datacenter: { eq: false },
  direct_port_count: { gte: 7 },
  disk_bw: { gte: 7 },
  disk_space: { gte: 7 },
  dlperf: { gte: 7 },
  dlperf_per_dphtotal: { gte: 7 },
  dph_total: { lte: 7 },
  driver_version: { gte: 7_000_000 },
  duration: { gte: 7 * 86_400 },
  external: { eq: false },
  flops_per_dphtotal: { gte: 7 },
  geolocation: { eq: 'SE' },
  gpu_arch: { eq: '12' },
  gpu_display_active: { eq: false },
  gpu_frac: { gte: 0.07 },
  gpu_max_power: { gte: 7 },
  gpu_max_temp: { gte: 7 },
  gpu_mem_bw: { gte: 7 },
  gpu_name: { eq: 'RTX 4090' },
  gpu_ram: { gte: 6656 },
  gpu_total_ram: { gte: 6666 },
  has_avx: { eq: false },
  host_id: { eq: 12 },
  inet_down: { gte: 7 },
  inet_down_cost: { lte: 7 },
  inet_up: { gte: 7 },
  inet_up_cost: { lte: 7 },
  machine_id: { eq: 12 },
  min_bid: { lte: 7 },
  mobo_name: { eq: '12' },
  num_gpus: { eq: 7 },
  os_version: { eq: '12' },
  pci_gen: { eq: 7 },
  pcie_bw: { gte: 7 },
  reliability: { gte: 0.07 },
  rentable: { eq: false },
  rented: { eq: false },
  static_ip: { eq: false },
  storage_cost: { lte: 7 },
  total_flops: { gte: 7 },
  verified: { eq: false },
  vms_enabled: { eq: false },
};

describe('finding offers', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const quick = () => window.quick;

  const searches = () => computer().simulator.received('POST', '/api/v0/bundles/');
  const body = (index = -1) => searches().at(index)?.body as Record<string, unknown> | undefined;
  const offers = () =>
    quick()
      .rows()
      .filter((row) => row.includes('% reliable'));
  const saved = () => Object.keys(computer().settings.values['gpuRental.search.saved'] ?? {});
  const pick = async (label: string) => quick().pick(new RegExp(`^${label}( |$)`));

  /** Opens the list and waits for what it finds; an answer to an earlier search does not count. */
  async function open(): Promise<void> {
    window.run('Search Offers…');
    await quick().title(/^Search Offers$/);
    await settled();
  }

  const waits = () =>
    quick()
      .rows()
      .find((row) => row.startsWith('Searching in about'));

  /** Waits until the list shows all that was asked for. */
  async function settled(): Promise<void> {
    await computer().until('the end of the search', () => !quick().open.busy);
  }

  async function openFilters(): Promise<void> {
    await quick().type('/', { enter: false });
    await quick().title('Search Offers: Filters');
  }

  async function openSaved(): Promise<void> {
    await openFilters();
    await pick('Saved and Recent Searches');
    await quick().title('Search Offers: Saved Searches');
  }

  async function backToOffers(): Promise<void> {
    await pick('Show Offers');
    await quick().title(/^Search Offers$/);
    await settled();
  }

  async function sortBy(label: string): Promise<void> {
    await openFilters();
    await pick('Sort by');
    await quick().title('Search Offers: Sort By');
    await pick(label);
  }

  before(async () => {
    window = await computer().openWindow();
    await window.signIn();
    window.clearToasts();
  });
  afterEach(() => {
    computer().simulator.faults.clear();
    quick().escape();
  });

  it('shows the offers of a saved search under its name, renames and deletes it', async () => {
    await open();
    await quick().type('2x 3090', { enter: false });
    await settled();
    await openSaved();
    await pick('Save This Search…');
    await quick().title('Search Offers: Save');
    await quick().type('two of them', { enter: false });
    await quick().row('Save as "two of them"');
    await quick().enter();
    await quick().title('Search Offers: Saved Searches');
    await quick().row('two of them');
    assert.deepEqual(saved(), ['two of them']);
    await quick().rowButton('two of them', 'Rename This Saved Search');
    await quick().title('Search Offers: Rename "two of them"');
    await quick().type('pair', { enter: false });
    await quick().row('Rename to "pair"');
    await quick().enter();
    await quick().title('Search Offers: Saved Searches');
    assert.deepEqual(saved(), ['pair']);
    await pick('Default Search');
    await quick().title('Search Offers: Filters');
    await backToOffers();
    assert.ok(offers().some((row) => !row.includes('RTX 3090')));
    await openSaved();
    await pick('pair');
    await quick().title('Search Offers: Filters');
    await backToOffers();
    assert.ok(offers().length > 0);
    for (const row of offers()) assert.match(row, /^2× RTX 3090/);
    await openSaved();
    await pick('Rename or Delete…');
    await quick().title('Search Offers: Rename or Delete');
    await pick('Delete "pair"');
    await quick().title('Search Offers: Saved Searches');
    assert.ok(
      !quick()
        .rows()
        .some((row) => row.startsWith('pair')),
    );
    assert.deepEqual(saved(), []);
    await pick('Default Search');
    await quick().title('Search Offers: Filters');
    await backToOffers();
    assert.ok(offers().some((row) => !row.includes('RTX 3090')));
  });

  for (const { label, sent } of [
    { label: 'Lowest Price', sent: [['dph_total', 'asc']] },
    { label: 'Value for Money', sent: [['dlperf_per_dphtotal', 'desc']] },
    { label: 'Reliability', sent: [['reliability', 'desc']] },
    { label: 'GPU Memory', sent: [['gpu_total_ram', 'desc']] },
    { label: 'Best Match', sent: [['score', 'desc']] },
  ]) {
    it(`sorts by ${label}, and says so`, async () => {
      await open();
      await sortBy(label);
      await quick().title('Search Offers: Filters');
      await backToOffers();
      assert.deepEqual(body()?.['order'], sent);
      assert.match(quick().headings()[0] ?? '', new RegExp(`^\\d+ offers · ${label}$`));
    });
  }

  it('says that a distance sorts only what was sent', async () => {
    await open();
    const before = searches().length;
    await sortBy('Distance');
    await quick().title('Search Offers: Distance From');
    await pick('Sweden');
    await quick().title('Search Offers: Filters');
    await backToOffers();
    assert.match(quick().headings()[0] ?? '', /^\d+ offers · Distance, among those sent$/);
    const distances = offers().map((row) =>
      row.includes('same country') ? 0 : Number(/about (\d+) km/.exec(row)?.[1]),
    );
    assert.ok(distances.length > 0);
    assert.deepEqual(
      distances,
      [...distances].sort((a, b) => a - b),
    );
    assert.ok(searches().length <= before + 1);
    await sortBy('Best Match');
    await backToOffers();
  });

  it('says that only the first rows are shown, and fetches more where the order allows it', async () => {
    await open();
    assert.match((await quick().row('Show More Offers')).description ?? '', /^First 64 shown$/);
    const first = offers();
    const before = searches().length;
    await quick().pick('Show More Offers');
    await computer().until('the next page', () => searches().length > before);
    await settled();
    assert.equal(typeof (body()?.['score'] as { lte?: unknown }).lte, 'number');
    assert.deepEqual(offers().slice(0, 64), first);
    const [, count] = /^(\d+) offers · Best Match$/.exec(quick().headings()[0] ?? '') ?? [];
    assert.ok(Number(count) > 64);
    // A list of thousands would hold up the editor, so that rows are made a hundred at a time.
    assert.equal(offers().length, Math.min(100, Number(count)));
    // The further ones begin where the row stood.
    assert.equal(quick().activeRow(), offers()[64]);
  });

  it('answers what only narrows without asking', async () => {
    await open();
    await quick().type('3090', { enter: false });
    await settled();
    assert.deepEqual(body()?.['gpu_name'], { eq: 'RTX 3090' });
    const before = searches().length;
    const all = offers().length;
    await quick().type('3090 x2 ≥20gb', { enter: false });
    await computer().pass(10_000);
    assert.ok(offers().length > 0 && offers().length < all);
    for (const row of offers()) assert.match(row, /^2× RTX 3090/);
    assert.equal(searches().length, before);
  });

  it('marks machines that failed before, puts them last, and forgets them', async () => {
    const { simulator, storage } = computer();
    const { json } = await simulator.call('POST', '/api/v0/bundles/', {
      verified: { eq: true },
      rentable: { eq: true },
      external: { eq: false },
      order: [['score', 'desc']],
    });
    const [best] = json.offers as { machine_id: number; num_gpus: number; gpu_name: string }[];
    assert.ok(best);
    const isFirst = () => offers()[0]?.startsWith(`${best.num_gpus}× ${best.gpu_name} `);
    // Each account has its own folder, made by the first search.
    const folder = path.join(storage, 'failedMachines');
    const [own, ...others] = readdirSync(folder);
    assert.ok(own !== undefined && others.length === 0);
    writeFileSync(
      path.join(folder, own, `${best.machine_id}.json`),
      JSON.stringify({ version: 1, at: Date.UTC(2026, 9, 3, 12), reason: 'no space left $(bug)\u202e' }),
    );
    await open();
    assert.ok(!isFirst());
    assert.equal(quick().headings().at(-1), 'Failed before');
    const marked = offers().filter((row) => row.includes('failed before on'));
    assert.ok(marked.length > 0);
    assert.deepEqual(offers().slice(-marked.length), marked);
    assert.match(marked[0] ?? '', / failed before on Oct 3, 2026: no space left \$ \(bug\) ·/);
    await quick().rowButton('failed before on', 'Forget That This Machine Failed');
    await computer().until('no mark', () => !offers().some((row) => row.includes('failed before on')));
    quick().escape();
    await open();
    assert.ok(isFirst());
  });

  it('sends every filter that can be chosen', async () => {
    const { simulator } = computer();
    // Full answers only, so that nothing can be answered without asking.
    const { json } = await simulator.call('POST', '/api/v0/bundles/', { limit: 64 });
    simulator.fail({ kind: 'answer', path: '/api/v0/bundles/', times: 0, status: 200, body: json });
    await open();
    await openFilters();
    const choose = async (key: FieldKey, value: () => Promise<void>) => {
      const label = formatText(fieldLabel(key));
      await pick(label);
      await quick().title(`Search Offers: ${label}`);
      await value();
      await quick().title('Search Offers: Filters');
    };
    for (const key of numberKeys) await choose(key, () => quick().type('7'));
    for (const key of choiceKeys) {
      await choose(key, async () => {
        if (key === 'gpu' || key === 'country') {
          await quick().tick(key === 'gpu' ? /^RTX 4090$/ : 'Sweden');
          await quick().enter();
        } else {
          await quick().type('12');
        }
      });
    }
    for (const key of flagKeys) await choose(key, () => quick().pick(/^No$/));
    await backToOffers();
    assert.deepEqual(body(), {
      type: 'on-demand',
      order: [['score', 'desc']],
      limit: 64,
      allocated_storage: 20,
      ...everyFilter,
    });
  });

  it('asks for interruptible offers, and takes all filters back', async () => {
    await open();
    await openFilters();
    await pick('Rental type');
    await quick().title('Search Offers: Rental Type');
    await pick('Interruptible');
    await quick().title('Search Offers: Filters');
    await computer().until('the other rental type', () => body()?.['type'] === 'bid');
    await pick('Reset All Filters');
    await backToOffers();
    assert.deepEqual(body(), {
      verified: { eq: true },
      rentable: { eq: true },
      external: { eq: false },
      type: 'on-demand',
      order: [['score', 'desc']],
      limit: 64,
      allocated_storage: 20,
    });
  });

  it('asks no more than the service takes in a minute, and says how long it waits', async () => {
    await open();
    await computer().pass(60_000);
    const before = searches().length;
    for (let presses = 0; presses < 12; presses += 1) {
      await quick().button('Search Again');
      await computer().until('its turn', () => !quick().open.busy || waits() !== undefined);
    }
    const { description, detail } = await quick().row(/^Searching in about \d+ s/);
    assert.equal(description, undefined);
    assert.equal(detail, 'The service takes only a few searches a minute.');
    assert.equal(searches().length, before + 8);
    await settled();
    assert.equal(waits(), undefined);
    assert.equal(searches().length, before + 9);
  });

  for (const { name, order, reason } of [
    {
      name: 'an error',
      order: { kind: 'error', status: 400, error: 'invalid_request', msg: 'No such field.' },
      reason: /No such field\./,
    },
    { name: 'an answer that cannot be read', order: { kind: 'html500' }, reason: /./ },
  ] as const) {
    it(`tells ${name} from an empty list, keeps the offers of before, and searches again`, async () => {
      await open();
      const before = offers();
      assert.ok(before.length > 0);
      computer().simulator.fail({ ...order, path: '/api/v0/bundles/', times: 0 });
      await quick().button('Search Again');
      const { detail } = await quick().row('The search failed. Choose this row to try again.');
      assert.match(detail ?? '', reason);
      assert.match(detail ?? '', /The offers below are from less than a minute ago\.$/);
      assert.deepEqual(offers(), before);
      computer().simulator.faults.clear();
      await quick().pick('The search failed.');
      await settled();
      assert.ok(
        !quick()
          .rows()
          .some((row) => row.includes('failed')),
      );
    });
  }

  it('shows that it still searches when the list comes back from the filters', async () => {
    await open();
    const before = searches().length;
    computer().simulator.fail({ kind: 'stall', path: '/api/v0/bundles/' });
    await sortBy('Reliability');
    await computer().until('the request', () => searches().length > before);
    await pick('Show Offers');
    await quick().title(/^Search Offers$/);
    assert.ok(quick().open.busy);
    await sortBy('Best Match');
    await backToOffers();
    assert.ok(!quick().open.busy);
  });

  it('says that no offer matches, and leads to the filters', async () => {
    await open();
    await quick().type('<0.0001', { enter: false });
    await settled();
    assert.deepEqual(quick().rows(), [
      'Filters Price an hour: ≤ $0.0001',
      'No offers match Take a filter away or raise a limit: press Enter to see the filters.',
    ]);
    await quick().pick('No offers match');
    await quick().title('Search Offers: Filters');
    await pick('Reset All Filters');
    await backToOffers();
    assert.ok(offers().length > 0);
  });

  it('takes a search back that nothing waits for any more', async () => {
    const { simulator } = computer();
    simulator.fail({ kind: 'stall', path: '/api/v0/bundles/' });
    const before = searches().length;
    window.run('Search Offers…');
    await computer().until('the request', () => searches().length > before);
    await quick().row('Searching…');
    quick().escape();
    await computer().until('its end', () => simulator.heldBack() === 0);
    await computer().pass(120_000);
    assert.equal(searches().length, before + 1);
    assert.deepEqual(window.toasts(), []);
  });
});
