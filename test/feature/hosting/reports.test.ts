import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PageDriver } from '../../support/feature/pageDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

const dayMs = 86_400_000;
/** A PNG of one pixel. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('reports', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let earnings: PageDriver;
  let market: PageDriver;
  let spending: PageDriver;

  const asked = (what: RegExp) => computer().simulator.received('GET', what);
  const earningsAsked = () => asked(/machine-earnings/);
  const marketAsked = () => asked(/metrics\/gpu\/current/);
  const chargesAsked = () => asked(/^\/api\/v0\/charges\/$/);
  const today = () => Math.floor(computer().clock.now() / dayMs);
  const dayName = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);
  /** The page stays as it is for days, so it says when it was read. */
  const asOf = () => {
    const format = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
    return `Shown as of ${format.format(computer().clock.now())}.`;
  };
  const labels = (page: PageDriver) => page.view.buttons.map(({ label }) => label);
  const denied = { status: 403, error: 'not_authorized', msg: 'No.' } as const;

  before(async () => {
    window = await computer().openWindow();
    earnings = new PageDriver(window, 'earnings');
    market = new PageDriver(window, 'market');
    spending = new PageDriver(window, 'spending');
    await window.signIn();
    window.clearToasts();
  });
  afterEach(() => {
    computer().simulator.faults.clear();
  });

  it('draws what a host earned, with the same numbers in the table', async () => {
    window.run('Show Earnings');
    const { title, subtitle } = await earnings.shows('its figures', ({ sections }) => sections.length > 0);
    assert.equal(title, 'Earnings');
    assert.equal(
      subtitle,
      `What your machines earned from ${dayName(today() - 29)} to ${dayName(today())}. Days are in UTC, money in US dollars. ${asOf()}`,
    );
    assert.equal(earningsAsked().length, 1);
    const { sday, eday } = earningsAsked()[0]?.query ?? {};
    assert.deepEqual([Number(sday), Number(eday)], [today() - 29, today()]);
    const { json } = await computer().simulator.call(
      'GET',
      `/api/v0/users/current/machine-earnings/?sday=${sday}&eday=${eday}`,
    );
    const days = (json.per_day as { day: number; gpu_earn: number; sto_earn: number }[]).sort(
      (a, b) => a.day - b.day,
    );
    const rows = earnings.rows('days');
    assert.equal(rows.length, days.length);
    const { columns } = earnings.section('machines').table;
    assert.deepEqual(
      columns.slice(-2).map(({ label }) => label),
      ['Per GPU', 'Rented now'],
    );
    assert.match(earnings.rows('machines')[0]?.slice(-2).join() ?? '', /^\$[\d.]+,\d+ of \d+$/);
    // Money of hosts is rounded up to the cent, as all money here.
    const cents = (dollars: number) => `$${(Math.ceil(dollars * 100 - 1e-6) / 100).toFixed(2)}`;
    // The last day is not over: what it earned grows from one question to the next.
    for (const [index, day] of days.slice(0, -1).entries()) {
      assert.deepEqual(rows[index]?.slice(0, 2), [dayName(day.day), cents(day.gpu_earn)]);
    }
    const { chart } = earnings.section('days');
    assert.ok(chart?.kind === 'stackedColumns');
    assert.deepEqual(
      chart.series.map(({ name, values }) => [name, values.length]),
      ['GPU', 'Storage', 'Upload', 'Download'].map((name) => [name, days.length]),
    );
    assert.doesNotMatch(JSON.stringify(earnings.view), /@/, 'the address of the host is hidden');
  });

  it('shows name and address of the host on demand, and hides them again', async () => {
    await earnings.press('Show Name and Address');
    assert.match(JSON.stringify(earnings.rows('person')), /@/);
    await earnings.press('Hide Name and Address');
    assert.doesNotMatch(JSON.stringify(earnings.view), /@/);
  });

  it('asks again for another range, in days since 1970', async () => {
    const before = earningsAsked().length;
    await earnings.choose('Time', '7');
    await earnings.shows('seven days', () => earnings.rows('days').length === 7);
    await earnings.choose('From', dayName(today() - 2));
    await earnings.shows('three days', () => earnings.rows('days').length === 3);
    assert.deepEqual(
      earningsAsked()
        .slice(before)
        .map(({ query }) => [Number(query['sday']), Number(query['eday'])]),
      [
        [today() - 6, today()],
        [today() - 2, today()],
      ],
    );
    await earnings.choose('Time', '7');
    await earnings.shows('seven days', () => earnings.rows('days').length === 7);
  });

  it('asks for one machine of the host', async () => {
    const [machine] = earnings.rows('machines');
    const id = machine?.[0]?.slice(1) ?? '';
    const before = earningsAsked().length;
    await earnings.choose('Machine', id);
    await earnings.shows('that machine', () => earnings.rows('machines').length === 1);
    assert.equal(earningsAsked()[before]?.query['machid'], id);
    await earnings.choose('Machine', '');
    await earnings.shows('all machines', () => earnings.rows('machines').length > 1);
  });

  it('shows and saves no figures under a range that they are not of', async () => {
    computer().simulator.fail({
      kind: 'stall',
      method: 'GET',
      path: '/api/v0/users/{user}/machine-earnings/',
    });
    await earnings.choose('Time', '30');
    assert.ok(earnings.view.busy);
    assert.deepEqual(labels(earnings), ['Refresh', 'Show Name and Address']);
    assert.deepEqual([earnings.view.tiles, earnings.view.sections, earnings.view.notices], [[], [], []]);
    await earnings.choose('Time', '7');
    await earnings.shows('seven days', () => earnings.rows('days').length === 7);
    assert.deepEqual(labels(earnings), [
      'Refresh',
      'Save as CSV',
      'Save as JSON…',
      'Copy as Markdown',
      'Show Name and Address',
    ]);
  });

  it('saves figures and pictures to a file that the user picks, and copies tables', async () => {
    const save = async (proposed: string, press: () => Promise<void>, name = proposed) => {
      const file = path.join(computer().workspace, name);
      window.screen.fileDialogs.push([file]);
      await press();
      await window.toast(`Saved ${name}.`);
      assert.equal(window.screen.proposedFiles.at(-1), path.join(computer().workspace, proposed));
      return readFileSync(file);
    };
    const csv = await save('earnings-days.csv', async () => {
      await earnings.press('Save as CSV');
      await window.quick.title('Save as CSV');
      await window.quick.pick('Earnings by Day');
    });
    const lines = csv.toString('utf8').split('\r\n');
    assert.equal(lines[0], '\ufeffDay,GPU ($),Storage ($),Upload ($),Download ($),Total ($)');
    assert.equal(lines.length, 7 + 2);
    const json = JSON.parse(
      (await save('earnings.json', () => earnings.press('Save as JSON…'), 'last week.json')).toString('utf8'),
    ) as { perDay?: unknown[] };
    assert.equal(json.perDay?.length, 7);
    assert.ok(!('person' in json), 'name and address stay hidden');
    const png = await save('earnings-days.png', () =>
      earnings.send({ type: 'picture', section: 'days', png: pixel }),
    );
    assert.equal(png.toString('base64'), pixel);
    await window.toastButton('Saved earnings-days.png.', 'Open');
    const opened = await computer().until('the file to open', () =>
      window.screen.commands.executed.find(({ id }) => id === 'vscode.open'),
    );
    assert.equal(String(opened.args[0]), `file://${path.join(computer().workspace, 'earnings-days.png')}`);
    await earnings.press('Copy as Markdown');
    await window.toast('The tables were copied as Markdown.');
    assert.match(computer().clipboard.text, /^### Earnings by Day\n\n\| Day \| GPU/);
    assert.match(computer().clipboard.text, /\n### Earnings by Machine\n/);
    window.clearToasts();
  });

  it('writes nothing where no file is picked', async () => {
    window.screen.fileDialogs.push(undefined);
    await earnings.press('Save as JSON…');
    await computer().until('the answer', () => window.screen.fileDialogs.length === 0);
    await earnings.press('Save as CSV');
    await window.quick.title('Save as CSV');
    window.quick.escape();
    await computer().pass(1000);
    assert.deepEqual(window.toasts(), []);
    assert.ok(!existsSync(path.join(computer().workspace, 'earnings-machines.csv')));
  });

  it('keeps the last figures beside the reason when a refresh fails', async () => {
    const { sections, subtitle } = earnings.view;
    computer().simulator.fail({ kind: 'html500', path: '/api/v0/users/*', times: 0 });
    await computer().pass(2 * 3_600_000);
    await earnings.press('Refresh');
    const { text, severity, buttons } = await earnings.notice(/Shown as of .*\d, .*\.$/);
    const readAt = /Shown as of (.*)\.$/.exec(subtitle)?.[1] ?? '';
    assert.ok(text.endsWith(` Shown as of ${readAt}.`), text);
    assert.equal(earnings.view.subtitle, subtitle);
    assert.deepEqual([severity, buttons.map(({ label }) => label)], ['error', ['Retry']]);
    assert.deepEqual(earnings.view.sections, sections);
    // Those of one time are not shown under another.
    await earnings.choose('Time', '90');
    const other = await earnings.notice(/./);
    assert.doesNotMatch(other.text, /Shown as of/);
    assert.deepEqual(earnings.view.sections, []);
    computer().simulator.faults.clear();
    await earnings.press('Retry');
    await earnings.shows('its figures', (view) => view.notices.length === 0);
    assert.equal(earnings.rows('days').length, 90);
  });

  it('shows which rows could not be understood, and leaves them out', async () => {
    const { sday, eday } = earningsAsked().at(-1)?.query ?? {};
    const { json } = await computer().simulator.call(
      'GET',
      `/api/v0/users/current/machine-earnings/?sday=${sday}&eday=${eday}`,
    );
    computer().simulator.fail({
      kind: 'answer',
      path: '/api/v0/users/*',
      status: 200,
      body: { ...json, per_day: [...(json.per_day as unknown[]).slice(0, 3), 7, { day: 'someday' }] },
    });
    await earnings.press('Refresh');
    await earnings.notice('Could not be read and are left out: 2. The log names the field.');
    assert.equal(earnings.rows('days').length, 3);
  });

  it('names the missing permission where a host may not read the earnings', async () => {
    computer().simulator.fail({ kind: 'error', method: 'GET', path: '/api/v0/users/*', times: 0, ...denied });
    await earnings.press('Refresh');
    const { text } = await earnings.notice(/permission|may not|allow/i);
    assert.doesNotMatch(text, /unexpected/i);
  });

  it('draws the market and starts a search from a model', async () => {
    window.run('Show GPU Market');
    await market.shows('its figures', ({ sections }) => sections.length > 0);
    assert.deepEqual(
      marketAsked().map(({ query }) => query),
      [{ verified: 'yes', hosting_type: 'all', num_gpus: 'all' }],
    );
    const { json } = await computer().simulator.call(
      'GET',
      '/api/v0/metrics/gpu/current/?verified=yes&hosting_type=all&num_gpus=all',
    );
    assert.equal(market.rows('supply').length, (json.gpus as unknown[]).length);
    assert.equal(market.section('prices').chart?.kind, 'boxPlot');
    const before = marketAsked().length;
    await market.choose('Hosts', 'secure_cloud');
    await market.shows('data centers', ({ filters }) => filters[1]?.value === 'secure_cloud');
    assert.deepEqual(marketAsked()[before]?.query, {
      verified: 'yes',
      hosting_type: 'secure_cloud',
      num_gpus: 'all',
    });
    const [[name = ''] = []] = market.rows('value');
    await market.clickRow('value', name);
    await window.quick.title('Search Offers');
    await window.quick.row(`GPU: ${name}`);
    const search = await computer().until('the search', () => {
      const body = computer().simulator.received('POST', '/api/v0/bundles/').at(-1)?.body;
      const fields = body as Record<string, unknown> | undefined;
      return JSON.stringify(fields?.['gpu_name']) === `{"eq":"${name}"}` && fields;
    });
    // Among the machines that the figures are of.
    const filters = ['datacenter', 'verified', 'rentable'].map((field) => search[field]);
    assert.deepEqual(filters, [{ eq: true }, { eq: true }, { eq: true }]);
    window.quick.escape();
  });

  it('names a damaged file of earlier prices, shows it, and draws the market all the same', async () => {
    const file = path.join(computer().storage, 'market-history.json');
    assert.ok(existsSync(file));
    writeFileSync(file, '{ torn');
    await market.press('Refresh');
    const said = 'The price history of earlier days is missing. Its file is damaged and was set aside.';
    await window.toastButton(said, 'Show File');
    assert.equal((await window.document('{ torn')).getText(), '{ torn');
    await market.shows('its figures', ({ sections }) => sections.length > 0);
    window.clearToasts();
  });

  it('draws quantiles of offers for accounts that host nothing, and shows that', async () => {
    const body = { success: true, gpus: [], needs_machine: true };
    computer().simulator.fail({ kind: 'answer', path: '/api/v0/metrics/gpu/current/', status: 200, body });
    await market.press('Refresh');
    await market.notice(/These prices come from the offers shown, 64 in all/);
    assert.deepEqual(
      market.view.sections.map(({ title }) => title),
      ['Price and Speed, 64 offers shown', 'Price per GPU and Hour, 64 offers shown'],
    );
    assert.equal(market.section('prices').chart?.kind, 'boxPlot');
    assert.ok(market.rows('prices').length > 0);
  });

  it('makes plain words of hostile names, and shows what it could not understand', async () => {
    const hostile = '<img src=x onerror="document.title=1">\u202eevil\n';
    computer().simulator.fail({
      kind: 'answer',
      path: '/api/v0/metrics/gpu/current/',
      status: 200,
      body: {
        success: true,
        gpus: [{ gpu_name: hostile, price_p10: null, price_median: -4 }, { gpu_name: null }, 7],
      },
    });
    await market.press('Refresh');
    await market.notice('Could not be read and are left out: 2. The log names the field.');
    for (const { id } of market.view.sections) {
      assert.equal(market.rows(id)[0]?.[0], '<img src=x onerror="document.title=1"> evil');
    }
    await market.press('Refresh');
    await market.shows('its figures', (view) => view.notices.length === 0);
  });

  it('shows what was spent, and the source of the figures', async () => {
    window.run('Show My Spending');
    await spending.notice("These figures come from the service's list of charges.");
    assert.equal(chargesAsked().length, 1);
  });

  it('estimates the spending if the key may not read the charges, and shows that', async () => {
    computer().simulator.fail({ kind: 'error', method: 'GET', path: '/api/v0/charges/', ...denied });
    await spending.press('Refresh');
    await spending.notice(
      /^This API key can't read the charges of the account\. The figures are an estimate .*without bandwidth and volumes\.$/,
    );
  });

  it('reads a report once that is opened twice, and no more once it is closed', async () => {
    const before = chargesAsked().length;
    const { panel } = spending;
    window.run('Show My Spending');
    await computer().pass(60_000);
    assert.equal(chargesAsked().length, before);
    assert.equal(spending.panel, panel);
    panel.close();
    window.run('Show My Spending');
    await spending.notice("These figures come from the service's list of charges.");
    assert.notEqual(spending.panel, panel);
    assert.equal(chargesAsked().length, before + 1);
  });

  it('shows again what it knows to a page that was hidden', async () => {
    const { panel, view } = spending;
    const posted = panel.posted.length;
    await spending.send({ type: 'ready' });
    assert.equal(panel.posted.length, posted + 1);
    assert.deepEqual(spending.view, view);
  });

  it('does nothing with what no page of ours sends', async () => {
    const posted = spending.panel.posted.length;
    for (const message of [undefined, 7, 'refresh', { type: 'run', id: 'x' }, { type: 'button', id: 7 }]) {
      spending.panel.send(message);
    }
    await computer().rest();
    assert.equal(spending.panel.posted.length, posted);
    assert.match(window.log(), /A report page sent something unexpected/);
  });
});
