import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { accessibilityFaults } from '../support/accessibility';
import { signIn } from '../support/journey';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('reports', function () {
  this.timeout(120_000);
  const session = useUiSession('reports');
  let workbench: Workbench;

  const rows = async (section: string) => {
    const table = workbench.webview().locator(`section[aria-labelledby="heading-${section}"] tbody tr`);
    await table.first().waitFor({ state: 'attached' });
    return (await table.allTextContents()).length;
  };

  /** The report once it is in front and shows what was last read. */
  async function report(heading: string): Promise<FrameLocator> {
    await workbench.page.locator('.tab.active', { hasText: heading }).waitFor();
    const page = workbench.webview();
    await page.locator('#root[aria-busy="false"] h1', { hasText: heading }).waitFor();
    return page;
  }

  /** Does what makes the open report read again, and waits until it shows what came of that. */
  async function readsAgain(act: (page: FrameLocator) => Promise<unknown>): Promise<void> {
    const page = workbench.webview();
    await page.locator('#root > header').evaluate((header: { id: string }) => {
      header.id = 'before';
    });
    await act(page);
    // It is drawn anew as busy, and once more at the end.
    await page.locator('#before').waitFor({ state: 'detached' });
    await page.locator('#root[aria-busy="false"]').waitFor();
  }
  const refresh = () => readsAgain((page) => page.locator('#button-refresh').click());

  it('draws what a host earned, with the same numbers in the table', async () => {
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.view('Hosting').header.waitFor();
    await workbench.run('Show Earnings');
    const page = await report('Earnings');
    await page.locator('#chart-days').waitFor();
    await workbench.shot('01-earnings');
    const [asked] = session().simulator.received('GET', /machine-earnings/);
    assert.ok(asked);
    const query = asked.query;
    const { json } = await session().simulator.call(
      'GET',
      `/api/v0/users/current/machine-earnings/?sday=${query['sday']}&eday=${query['eday']}`,
    );
    assert.equal(await rows('days'), json.per_day.length);
    const cells = await page
      .locator('section[aria-labelledby="heading-days"] tbody tr')
      .nth(-2)
      .locator('th,td')
      .allTextContents();
    const days = json.per_day as { readonly day: number; readonly gpu_earn: number }[];
    // The last day is not over: what it earned grows from one question to the next.
    const whole = days.sort((a, b) => a.day - b.day).at(-2);
    assert.ok(whole);
    assert.equal(cells[1], `$${(Math.ceil(whole.gpu_earn * 100 - 1e-6) / 100).toFixed(2)}`);
    assert.equal(await page.getByText('@').count(), 0, 'the address of the host is hidden');
  });

  it('asks again for another range, in days since 1970', async () => {
    const { simulator } = session();
    const before = simulator.received('GET', /machine-earnings/).length;
    const today = () => Math.floor(Date.now() / 86_400_000);
    const days = [today()];
    await readsAgain((page) => page.locator('#filter-preset').selectOption('7'));
    days.push(today());
    const asked = simulator.received('GET', /machine-earnings/)[before];
    assert.ok(asked);
    const { sday, eday } = asked.query;
    assert.equal(Number(eday) - Number(sday), 6);
    assert.ok(days.includes(Number(eday)), 'the last day is today');
    assert.equal(await rows('days'), 7);
  });

  it('saves no figures under a range that they are not of', async () => {
    const { simulator } = session();
    const page = workbench.webview();
    const asked = () => simulator.received('GET', /machine-earnings/).length;
    const before = asked();
    simulator.fail({ kind: 'stall', method: 'GET', path: '/api/v0/users/{user}/machine-earnings/' });
    await page.locator('#filter-preset').selectOption('30');
    // Otherwise the next one may be the first to get there.
    await until('the request that gets no answer', () => asked() > before);
    await page.locator('#root[aria-busy="true"]').waitFor();
    assert.equal(await page.locator('#button-refresh').count(), 1);
    assert.equal(await page.locator('#button-csv').count(), 0);
    await readsAgain(() => page.locator('#filter-preset').selectOption('7'));
    await page.locator('#button-csv').waitFor();
  });

  it('saves figures and pictures to a file that the user picks, and copies tables', async () => {
    const save = async (button: string, name: string) => {
      const file = path.join(session().root, 'workspace', name);
      await workbench.webview().locator(button).click();
      if (name.endsWith('.csv')) await workbench.quick.pick('Earnings by Day');
      await workbench.quick.waitForTitle('Save Report');
      // The dialog fills in its own proposal a moment after it opens.
      await until('the proposed name', async () => (await workbench.quick.input.inputValue()).endsWith(name));
      await workbench.quick.input.press('Enter');
      await until(`the file ${name}`, () => existsSync(file));
      await workbench.toast(`Saved ${name}`);
      return readFileSync(file);
    };
    const csv = (await save('#button-csv', 'earnings-days.csv')).toString('utf8').split('\r\n');
    assert.equal(csv[0], 'Day,GPU,Storage,Upload,Download,Total');
    assert.equal(csv.length, 7 + 2);
    const json = JSON.parse((await save('#button-json', 'earnings.json')).toString('utf8')) as object;
    assert.ok('perDay' in json && !('person' in json), 'name and address stay hidden');
    const png = await save('#picture-days', 'earnings-days.png');
    assert.equal(png.subarray(1, 4).toString('latin1'), 'PNG');
    // The editor pops up three notifications at a time.
    await workbench.clearNotifications();
    await workbench.webview().locator('#button-markdown').click();
    await workbench.toast('copied as Markdown');
    const copied = await workbench.page.evaluate<string>('navigator.clipboard.readText()');
    assert.match(copied, /### Earnings by Day\n\n\| Day \| GPU/);
    await workbench.clearNotifications();
  });

  it('keeps the last figures beside the reason when a refresh fails', async () => {
    session().simulator.fail({ kind: 'html500', path: '/api/v0/users/*', times: 0 });
    await refresh();
    await workbench.webview().locator('.notice.error').waitFor();
    assert.ok((await rows('days')) > 0);
    await workbench.shot('02-earnings-error');
    // Those of one time are not shown under another.
    await readsAgain((page) => page.locator('#filter-preset').selectOption('90'));
    const days = workbench.webview().locator('section[aria-labelledby="heading-days"]');
    await days.waitFor({ state: 'detached' });
    await workbench.webview().locator('.notice.error').waitFor();
    session().simulator.faults.clear();
    await readsAgain((page) => page.locator('.notice.error button').click());
    await workbench.webview().locator('.notice.error').waitFor({ state: 'detached' });
    assert.ok((await rows('days')) > 0);
  });

  it('draws the market and starts a search from a model', async () => {
    await workbench.run('Show GPU Market');
    const page = await report('GPU Market');
    await page.locator('#chart-prices').waitFor();
    await workbench.shot('03-market');
    const { json } = await session().simulator.call(
      'GET',
      '/api/v0/metrics/gpu/current/?verified=yes&hosting_type=all&num_gpus=all',
    );
    assert.equal(await rows('supply'), json.gpus.length);
    await readsAgain(() => page.locator('#filter-hostingType').selectOption('secure_cloud'));
    assert.ok(
      session()
        .simulator.received('GET', '/api/v0/metrics/gpu/current/')
        .some((each) => each.query['hosting_type'] === 'secure_cloud'),
    );
    const model = page.locator('section[aria-labelledby="heading-value"] button.link').first();
    const name = await model.innerText();
    await model.click();
    await workbench.quick.widget.waitFor();
    await until('the search for the model', () =>
      Promise.resolve(
        session()
          .simulator.received('POST', '/api/v0/bundles/')
          .some((each) => JSON.stringify(each.body).includes(name)),
      ),
    );
    await workbench.shot('04-search-from-market');
    await workbench.page.keyboard.press('Escape');
    await workbench.quick.widget.waitFor({ state: 'hidden' });
  });

  it('shows what was spent, and says where the figures come from', async () => {
    await workbench.run('Show My Spending');
    const page = await report('My Spending');
    await page.locator('.notice', { hasText: 'list of charges' }).waitFor();
    await workbench.shot('05-spending');
    assert.equal(session().simulator.received('GET', '/api/v0/charges/').length >= 1, true);
  });

  it('estimates the spending where the key may not read the charges, and says so', async () => {
    const { simulator } = session();
    simulator.fail({
      kind: 'error',
      method: 'GET',
      path: '/api/v0/charges/',
      status: 403,
      error: 'not_authorized',
      msg: 'No.',
    });
    await refresh();
    await workbench.webview().locator('.notice', { hasText: 'may not read the charges' }).waitFor();
  });

  it('names the missing permission where a host may not read the earnings', async () => {
    const { simulator } = session();
    await workbench.run('Show Earnings');
    await report('Earnings');
    simulator.fail({
      kind: 'error',
      method: 'GET',
      path: '/api/v0/users/*',
      times: 0,
      status: 403,
      error: 'not_authorized',
      msg: 'No.',
    });
    await refresh();
    const notice = workbench.webview().locator('.notice.error');
    await notice.waitFor();
    assert.match(await notice.innerText(), /permission|may not|allow/i);
    await workbench.shot('05-no-permission');
    simulator.faults.clear();
  });

  it('draws quantiles of offers for accounts that host nothing, and says so', async () => {
    const { simulator } = session();
    await workbench.run('Show GPU Market');
    await report('GPU Market');
    simulator.fail({
      kind: 'answer',
      path: '/api/v0/metrics/gpu/current/',
      status: 200,
      body: { success: true, gpus: [], needs_machine: true },
    });
    await refresh();
    await workbench.webview().locator('.notice', { hasText: 'offers that can be searched' }).waitFor();
    await workbench.webview().locator('#chart-prices').waitFor();
    await workbench.shot('05-needs-machine');
  });

  it('does not run or draw hostile names', async () => {
    const hostile = '<img src=x onerror="document.title=1">\u202eevil\n';
    session().simulator.fail({
      kind: 'answer',
      path: '/api/v0/metrics/gpu/current/',
      status: 200,
      body: {
        success: true,
        gpus: [{ gpu_name: hostile, price_p10: null, price_median: -4 }, { gpu_name: null }, 7],
      },
    });
    await refresh();
    const cell = workbench.webview().locator('section[aria-labelledby="heading-prices"] tbody th').first();
    await until('the hostile name as text', async () => (await cell.textContent())?.startsWith('<img src=x'));
    assert.equal(await workbench.webview().locator('tbody img').count(), 0);
    assert.doesNotMatch((await cell.textContent()) ?? '', /[\u202e\n]/);
    await workbench.shot('06-hostile');
  });

  it('fits from 400 to 1600 pixels', async () => {
    await refresh();
    await workbench.webview().locator('#chart-prices').waitFor();
    for (const width of [700, 1000, 1900]) {
      await workbench.page.setViewportSize({ width, height: 900 });
      const overflow = await workbench
        .webview()
        .locator('header')
        .evaluate((header) => header.scrollWidth - header.clientWidth);
      assert.ok(overflow <= 0, `the head overflows by ${overflow} px at ${width} px`);
      await workbench.shot(`07-width-${width}`);
    }
    await workbench.page.setViewportSize({ width: 1400, height: 900 });
  });

  it('can be read in dark and high contrast', async () => {
    for (const theme of ['Dark Modern', 'Dark High Contrast', 'Light High Contrast', 'Light Modern']) {
      await workbench.chooseTheme(theme);
      await workbench.page.locator('.tabs-container .tab', { hasText: 'Earnings' }).click();
      const earnings = await report('Earnings');
      await earnings.locator('#chart-days').waitFor();
      assert.deepEqual(await accessibilityFaults(earnings), [], theme);
      await workbench.shot(`08-earnings-${theme}`);
      await workbench.page.locator('.tabs-container .tab', { hasText: 'GPU Market' }).click();
      const market = await report('GPU Market');
      await market.locator('#chart-prices').waitFor();
      assert.deepEqual(await accessibilityFaults(market), [], theme);
      await workbench.shot(`08-market-${theme}`);
    }
  });

  it('logs no error in the page', () => {
    assert.deepEqual(workbench.errors, []);
  });
});
