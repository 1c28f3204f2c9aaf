import assert from 'node:assert/strict';
import { rentalsOf } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('searching and renting', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const quick = () => window.quick;

  const rentals = () => rentalsOf(computer());
  const searches = () => computer().simulator.received('POST', '/api/v0/bundles/');

  before(async () => {
    window = await computer().openSignedIn();
    window.clearToasts();
  });

  it('shows good offers at once', async () => {
    window.run('Search Offers…');
    await quick().title('Search Offers');
    await quick().row('/h');
    assert.deepEqual(
      searches().map(({ body }) => body),
      [
        {
          verified: { eq: true },
          rentable: { eq: true },
          external: { eq: false },
          num_gpus: { eq: 1 },
          type: 'on-demand',
          order: [['score', 'desc']],
          limit: 64,
          allocated_storage: 20,
        },
      ],
    );
  });

  it('begins with single GPUs of several kinds, in columns, and leads to larger machines', async () => {
    const all = quick()
      .rows()
      .filter((row) => row.includes('% reliable'));
    const offers = all.slice(0, 8);
    assert.equal(new Set(offers.map((row) => /^1× (.+) \d+ GB/.exec(row)?.[1])).size, 8, offers.join('\n'));
    const columns = all.map((row) =>
      /\/h (\$.*?\/day.*?) · (.*?% reliable) · (RAM: .*? GB) · /.exec(row)?.slice(1),
    );
    const widths = columns.map((texts) => texts?.map(({ length }) => length).join());
    assert.equal(new Set(widths).size, 1, all.join('\n'));
    assert.match(widths[0] ?? '', /^\d+,16,\d+$/);
    await quick().row(/^Filters GPUs: 1\b/);
    await quick().pick('Show Larger Machines Too');
    await computer().until('the wide search', () => !('num_gpus' in (searches().at(-1)?.body as object)));
    assert.ok(!quick().rows().join('\n').includes('Show Larger Machines Too'));
  });

  it('understands what is typed, and asks once', async () => {
    const before = searches().length;
    for (const end of [4, 7, 13]) {
      await quick().type('4090 <2 ≥24gb'.slice(0, end), { enter: false });
    }
    await quick().row('GPU: RTX 4090 · Memory per GPU: ≥ 24 GB · Price per hour: ≤ $2.00');
    await computer().until('the answer', () => searches()[before]?.status === 200);
    await computer().pass(5000);
    const offers = quick()
      .rows()
      .filter((row) => row.includes('/h'));
    assert.ok(offers.length > 0);
    for (const offer of offers) {
      assert.match(offer, /RTX 4090/);
    }
    assert.deepEqual(
      searches()
        .slice(before)
        .map(({ body }) => body),
      [
        {
          verified: { eq: true },
          rentable: { eq: true },
          external: { eq: false },
          gpu_name: { eq: 'RTX 4090' },
          gpu_ram: { gte: 22_979 },
          dph_total: { lte: 2 },
          type: 'on-demand',
          order: [['score', 'desc']],
          limit: 64,
          allocated_storage: 20,
        },
      ],
    );
  });

  it('leads through filters and back with the keyboard alone', async () => {
    await quick().type('/', { enter: false });
    await quick().title('Search Offers: Filters');
    await quick().type('reliab');
    await quick().title('Search Offers: Reliability');
    await quick().type('95', { enter: false });
    await quick().row('At least 95 %');
    await quick().enter();
    await quick().title('Search Offers: Filters');
    await quick().row(/Reliability ≥ 95 %/);
    await quick().type('show');
    await quick().title(/^Search Offers$/);
    await quick().row('% reliable');
    await quick().row('Reliability: ≥ 95 %');
    for (const offer of quick()
      .rows()
      .filter((row) => row.includes('% reliable'))) {
      assert.ok(Number(/([\d.]+) % reliable/.exec(offer)?.[1]) >= 95, offer);
    }
  });

  it('asks step by step, with a default for each, and shows at the end what it costs', async () => {
    await quick().pick('% reliable');
    await quick().title('Rent: Template');
    await quick().enter();
    await quick().title('Rent: Disk');
    await quick().type('30');
    await quick().title('Rent: Label');
    await quick().type('my test');
    await quick().title('Rent: Run type');
    await quick().back();
    await quick().title('Rent: Label');
    assert.equal(quick().open.value, 'my test');
    await quick().enter();
    await quick().title('Rent: Run type');
    await quick().enter();
    await quick().title('Rent: Confirm');
    await quick().row(/Rent for \$\d+\.\d+\/h/);
    assert.deepEqual(rentals(), []);
  });

  it('estimates the stay that is asked for, and what is typed leads to its row and does not rent', async () => {
    await quick().row(/\$[\d.]+ for 8 h, 50 GB down \(download /);
    // Long enough after the step before for an Enter to count.
    await computer().pass(1500);
    await quick().type('Estimate');
    await quick().title('Rent: Estimate');
    await quick().type('ten');
    await quick().message('Type hours, GB down and GB up');
    await quick().type('10 h, 100 GB, 5 GB');
    await quick().title('Rent: Confirm');
    await quick().row(/\$[\d.]+ for 10 h, 100 GB down, 5 GB up \(download /);
    assert.deepEqual(rentals(), []);
  });

  it('does not rent by an Enter held down from the step before', async () => {
    await quick().back();
    await quick().title('Rent: Run type');
    for (let repeat = 0; repeat < 40; repeat += 1) {
      quick().open.accept();
      await computer().pass(33);
    }
    await quick().title('Rent: Confirm');
    await computer().pass(60_000);
    await quick().title('Rent: Confirm');
    assert.deepEqual(rentals(), []);
  });

  it('rents with one Enter, and sends what was confirmed', async () => {
    const row = await quick().row(/Rent for \$/);
    const [price] = /\$[\d.]+\/h/.exec(row.label) ?? [];
    assert.ok(price);
    await quick().enter();
    await quick().title('Choose an SSH Key to Log In With');
    await quick().pick(/Generate a New Key/);
    await quick().title('Generate SSH Key');
    await quick().enter();
    await quick().title('Generate SSH Key');
    await quick().enter();
    await window.toast(/Getting my test ready/);
    assert.equal(rentals().length, 1);
    const body = rentals()[0]?.body as Record<string, unknown>;
    assert.match(String(body['label']), /^my test \[gr-[0-9a-f]{8}\]$/);
    assert.deepEqual(
      { ...body, label: '' },
      {
        image: 'pytorch/pytorch:latest',
        disk: 30,
        label: '',
        runtype: 'ssh_direct',
        cancel_unavail: true,
      },
    );
    // What was confirmed is what the view and the status bar say.
    assert.match(
      (await window.view('instances').row('my test')).text,
      new RegExp(price.replaceAll(/[$.]/g, '\\$&')),
    );
    await window.statusShows(`· ${price} ·`);
  });

  it('keeps the search from which something was rented among the recent ones', async () => {
    const openSaved = async () => {
      await quick().type('saved and recent');
      await quick().title('Search Offers: Saved and Recent Searches');
    };
    window.run('Search Offers…');
    await quick().type('/', { enter: false });
    await quick().title('Search Offers: Filters');
    await openSaved();
    await quick().pick('Default Search');
    await quick().title('Search Offers: Filters');
    await quick().row(/^GPU Any/);
    await openSaved();
    await quick().pick(/GPU: RTX 4090 · Memory per GPU: ≥ 24 GB/);
    await quick().title('Search Offers: Filters');
    await quick().row(/^GPU RTX 4090/);
    quick().escape();
  });
});
