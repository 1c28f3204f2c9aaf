import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  choiceKeys,
  fieldLabel,
  flagKeys,
  numberKeys,
  type FieldKey,
} from '../../src/model/offers/searchFields';
import { formatText } from '../../src/util/text';
import { OfferList } from '../support/feature/offerList';
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
  let list: OfferList;
  const quick = () => window.quick;

  const saved = () => Object.keys(computer().settings.values['gpuRental.search.saved'] ?? {});

  async function openSaved(): Promise<void> {
    await list.openFilters();
    await list.pick('Saved and Recent Searches');
    await quick().title('Search Offers: Saved and Recent Searches');
  }

  before(async () => {
    window = await computer().openWindow();
    list = new OfferList(window);
    await window.signIn();
    window.clearToasts();
  });
  afterEach(() => {
    computer().simulator.faults.clear();
    quick().escape();
  });

  it('shows the offers of a saved search under its name, renames and deletes it', async () => {
    await list.open();
    await quick().type('2x 3090', { enter: false });
    await list.settled();
    await openSaved();
    await list.pick('Save This Search…');
    await quick().title('Search Offers: Save');
    await quick().type('two of them', { enter: false });
    await quick().row('Save as “two of them”');
    await quick().enter();
    await quick().title('Search Offers: Saved and Recent Searches');
    await quick().row('two of them');
    assert.deepEqual(saved(), ['two of them']);
    await quick().rowButton('two of them', 'Rename This Saved Search');
    await quick().title('Search Offers: two of them');
    await quick().type('pair', { enter: false });
    await quick().row('Rename to “pair”');
    await quick().enter();
    await quick().title('Search Offers: Saved and Recent Searches');
    assert.deepEqual(saved(), ['pair']);
    await list.pick('Default Search');
    await quick().title('Search Offers: Filters');
    await list.back();
    assert.ok(list.offers().some((row) => !row.includes('RTX 3090')));
    await openSaved();
    await list.pick('pair');
    await quick().title('Search Offers: Filters');
    await list.back();
    assert.ok(list.offers().length > 0);
    for (const row of list.offers()) {
      assert.match(row, /^2× RTX 3090/);
    }
    await openSaved();
    await list.pick('Rename or Delete…');
    await quick().title('Search Offers: Saved and Recent Searches');
    await list.pick('Delete “pair”');
    await quick().title('Search Offers: Saved and Recent Searches');
    assert.ok(
      !quick()
        .rows()
        .some((row) => row.startsWith('pair')),
    );
    assert.deepEqual(saved(), []);
    await list.pick('Default Search');
    await quick().title('Search Offers: Filters');
    await list.back();
    assert.ok(list.offers().some((row) => !row.includes('RTX 3090')));
  });

  for (const { label, sent } of [
    { label: 'Lowest Price', sent: [['dph_total', 'asc']] },
    { label: 'Value for Money', sent: [['dlperf_per_dphtotal', 'desc']] },
    { label: 'Reliability', sent: [['reliability', 'desc']] },
    { label: 'GPU Memory', sent: [['gpu_total_ram', 'desc']] },
    { label: 'Best Match', sent: [['score', 'desc']] },
  ]) {
    it(`sorts by ${label}, and shows that`, async () => {
      await list.open();
      await list.sortBy(label);
      await quick().title('Search Offers: Filters');
      await list.back();
      assert.deepEqual(list.body()?.['order'], sent);
      assert.match(quick().headings()[0] ?? '', new RegExp(`^64 of many: narrow the search · ${label}$`));
    });
  }

  it('shows that only the first rows are shown, and fetches more if the order allows it', async () => {
    await list.open();
    assert.match((await quick().row('Show More Offers')).description ?? '', /^First 64 shown$/);
    const first = list.offers();
    const before = list.searches().length;
    await quick().pick('Show More Offers');
    await computer().until('the next page', () => list.searches().length > before);
    await list.settled();
    assert.equal(typeof (list.body()?.['score'] as { lte?: unknown }).lte, 'number');
    assert.deepEqual(list.offers().slice(0, 64), first);
    const [, count] =
      /^(\d+) (?:of many: narrow the search|offers) · Best Match$/.exec(quick().headings()[0] ?? '') ?? [];
    assert.ok(Number(count) > 64);
    // A list of thousands would hold up the editor, so that rows are made a hundred at a time.
    assert.equal(list.offers().length, Math.min(100, Number(count)));
    // The further ones begin where the row stood.
    assert.equal(quick().activeRow(), list.offers()[64]);
  });

  it('shows what its rows are for, until the search for what is typed is answered', async () => {
    await list.open();
    await quick().type('ram>=128', { enter: false });
    await computer().pass(100);
    assert.match(quick().headings()[0] ?? '', /^\d+ of the 64 offers read so far · Best Match$/);
    await list.settled();
    // The service compares the memory of a whole machine, so that more is read where shares do not fit.
    assert.match(quick().headings()[0] ?? '', /^\d+ of many: narrow the search · Best Match$/);
  });

  it('shows it in the line of the filters, where it hides nothing of an offer', async () => {
    await list.open();
    assert.match(quick().rowUnder(/^64 of many/) ?? '', /^Filters/);
    assert.match(quick().rowUnder(/^$/) ?? '', /\$\d/);
  });

  it('does not report that no offer matches while the market has others', async () => {
    await list.open();
    await quick().type('zzz-no-such-cpu', { enter: false });
    await list.settled();
    await quick().row('None of the 64 offers read so far match');
    await quick().row('Show More Offers');
  });

  it('answers what only narrows without asking', async () => {
    await list.open();
    await quick().type('3090', { enter: false });
    await list.settled();
    assert.deepEqual(list.body()?.['gpu_name'], { eq: 'RTX 3090' });
    const before = list.searches().length;
    const all = list.offers().length;
    await quick().type('3090 x2 ≥20gb', { enter: false });
    await computer().pass(10_000);
    assert.ok(list.offers().length > 0 && list.offers().length < all);
    for (const row of list.offers()) {
      assert.match(row, /^2× RTX 3090/);
    }
    assert.equal(list.searches().length, before);
  });

  it('marks machines that failed before, puts them last, and forgets them', async () => {
    const { simulator } = computer();
    const { json } = await simulator.call('POST', '/api/v0/bundles/', {
      verified: { eq: true },
      rentable: { eq: true },
      external: { eq: false },
      order: [['score', 'desc']],
    });
    type Found = { machine_id: number; num_gpus: number; gpu_name: string; dph_total: number };
    // Dearer ones stand below those that the credit pays for.
    const best = (json.offers as Found[]).find(({ dph_total: price }) => price < 2);
    assert.ok(best);
    const isFirst = () => list.offers()[0]?.startsWith(`${best.num_gpus}× ${best.gpu_name} `);
    // Each account has its own folder, made by the first search.
    const [own, ...others] = computer().ofAccounts('failedMachines');
    assert.ok(own !== undefined && others.length === 0);
    writeFileSync(
      path.join(own, `${best.machine_id}.json`),
      JSON.stringify({ version: 1, at: Date.UTC(2026, 9, 3, 12), reason: 'no space left $(bug)\u202e' }),
    );
    await list.open();
    assert.ok(!isFirst());
    assert.equal(quick().headings().at(-1), 'Failed before');
    const marked = list.offers().filter((row) => row.includes('failed before on'));
    assert.ok(marked.length > 0);
    assert.deepEqual(list.offers().slice(-marked.length), marked);
    assert.match(marked[0] ?? '', / failed before on Oct 3, 2026: no space left \$ \(bug\) ·/);
    await quick().rowButton('failed before on', 'Forget That This Machine Failed');
    await computer().until('no mark', () => !list.offers().some((row) => row.includes('failed before on')));
    quick().escape();
    await list.open();
    assert.ok(isFirst());
  });

  it('sends every filter that can be chosen', async () => {
    const { simulator } = computer();
    // The searches before count against those of a minute.
    await computer().pass(60_000);
    // Full answers only, so that nothing can be answered without asking.
    const { json } = await simulator.call('POST', '/api/v0/bundles/', { limit: 64 });
    simulator.fail({ kind: 'answer', path: '/api/v0/bundles/', times: 0, status: 200, body: json });
    await list.open();
    await list.openFilters();
    const choose = async (key: FieldKey, value: () => Promise<void>) => {
      const label = formatText(fieldLabel(key));
      await list.pick(label);
      await quick().title(`Search Offers: ${label}`);
      await value();
      await quick().title('Search Offers: Filters');
    };
    for (const key of numberKeys) {
      await choose(key, () => quick().type('7'));
    }
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
    for (const key of flagKeys) {
      await choose(key, () => quick().pick(/^No$/));
    }
    await list.back();
    // None of the answer fits, so that the next rows of the same search are asked for last.
    await computer().until('the next rows', () => list.body()?.['score'] !== undefined);
    const { score, ...body } = list.body() ?? {};
    assert.deepEqual(Object.keys(score ?? {}), ['lte']);
    assert.deepEqual(body, {
      type: 'on-demand',
      order: [['score', 'desc']],
      limit: 64,
      allocated_storage: 20,
      ...everyFilter,
    });
  });

  it('asks for interruptible offers, and clears all filters', async () => {
    await list.open();
    await list.openFilters();
    await list.pick('Rental type');
    await quick().title('Search Offers: Rental type');
    await list.pick('Interruptible');
    await quick().title('Search Offers: Filters');
    await computer().until('the other rental type', () => list.body()?.['type'] === 'bid');
    await list.pick('Reset All Filters');
    await list.back();
    assert.deepEqual(list.body(), {
      verified: { eq: true },
      rentable: { eq: true },
      external: { eq: false },
      type: 'on-demand',
      order: [['score', 'desc']],
      limit: 64,
      allocated_storage: 20,
    });
  });

  for (const [button, title] of [
    ['Filters', 'Search Offers: Filters'],
    ['Sort', 'Search Offers: Sort by'],
    ['Saved and Recent Searches', 'Search Offers: Saved and Recent Searches'],
  ] as const) {
    it(`opens by its button what its filters lead to: ${button}`, async () => {
      await list.open();
      await quick().button(button);
      await quick().title(title);
      quick().escape();
    });
  }
});
