import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { accessibilityFaults } from '../support/accessibility';
import { signIn } from '../support/journey';
import { hasKeyboard, press, pressEnter } from '../support/press';
import { inOneLine } from '../support/rows';
import { pageShowsTheme } from '../support/theme';
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
    assert.equal(await page.getByText('@').count(), 0, 'the address of the host is hidden');
  });

  it('saves a picture to a file that the user picks, and copies tables', async () => {
    const file = path.join(session().root, 'workspace', 'earnings-days.png');
    await press(workbench.webview().locator('#picture-days'));
    await workbench.quick.waitForTitle('Save Report');
    // The dialog fills in its own proposal a moment after it opens.
    await until('the proposed name', async () =>
      (await workbench.quick.input.inputValue()).endsWith('earnings-days.png'),
    );
    await pressEnter(workbench.quick.input);
    await until('the file', () => existsSync(file));
    await workbench.toast('Saved earnings-days.png');
    assert.equal(readFileSync(file).subarray(1, 4).toString('latin1'), 'PNG');
    await press(workbench.webview().locator('#button-markdown'));
    await workbench.toast('copied as Markdown');
    const copied = await workbench.page.evaluate<string>('navigator.clipboard.readText()');
    assert.match(copied, /### Earnings by Day\n\n\| Day \| GPU/);
    await workbench.clearNotifications();
  });

  it('shows an error beside the last figures', async () => {
    session().simulator.fail({ kind: 'html500', path: '/api/v0/users/*', times: 0 });
    await press(workbench.webview().locator('#button-refresh'));
    await workbench.webview().locator('.notice.error').waitFor();
    assert.ok((await rows('days')) > 0);
    await workbench.shot('02-earnings-error');
    session().simulator.faults.clear();
    await press(workbench.webview().locator('.notice.error button'));
    await workbench.webview().locator('.notice.error').waitFor({ state: 'detached' });
  });

  it('draws the market and starts a search from a model', async () => {
    await workbench.run('Show GPU Market');
    const page = await report('GPU Market');
    await page.locator('#chart-prices').waitFor();
    await workbench.shot('03-market');
    const model = page.locator('section[aria-labelledby="heading-value"] button.link').first();
    const name = await model.innerText();
    await press(model);
    await workbench.quick.rows.filter({ hasText: `GPU: ${name}` }).waitFor();
    await workbench.shot('04-search-from-market');
    await workbench.page.keyboard.press('Escape');
    await workbench.quick.widget.waitFor({ state: 'hidden' });
    await hasKeyboard(page.locator('body'));
  });

  it('compares offers that are pinned by the button of their row', async () => {
    await workbench.run('Search Offers…');
    for (const index of [0, 1]) {
      const offer = workbench.quick.rows.filter({ hasText: '% reliable' }).nth(index);
      await offer.hover();
      await press(offer.locator('.action-label[aria-label="Pin to Compare"]'));
      await workbench.quick.rows
        .filter({ hasText: index === 0 ? '1 Pinned Offer' : 'Compare 2 Pinned Offers' })
        .waitFor();
    }
    await workbench.shot('05-pinned');
    await workbench.quick.pickMatching(/Compare 2 Pinned Offers/);
    const page = await report('GPU Market');
    await until('two columns', async () => (await page.locator('.comparison thead th').count()) === 3);
    await workbench.shot('06-compare');
    const chart = page.locator('#chart-offers');
    await chart.focus();
    const first = await chart.getAttribute('aria-valuetext');
    await workbench.page.keyboard.press('ArrowRight');
    assert.notEqual(await chart.getAttribute('aria-valuetext'), first);
    await chart.scrollIntoViewIfNeeded();
    await workbench.shot('06-market-of-offers');
  });

  it('leads from a column into the steps of a rental by keyboard, and rents nothing by itself', async () => {
    const column = workbench.webview().locator('.comparison thead th').nth(2);
    const name = inOneLine(await column.innerText()).replace(/ Rent\b.*$/, '');
    await column.locator('button.primary').focus();
    await pressEnter(column.locator('button.primary'));
    await workbench.quick.waitForTitle('Rent: Template');
    // The pointer stands where the hover of the box would cover the button.
    await workbench.page.mouse.move(700, 700);
    const skip = workbench.quick.titleButton('Keep the Defaults and Review');
    await skip.focus();
    await pressEnter(skip);
    await workbench.quick.waitForTitle('Rent: Confirm');
    await workbench.quick.rows.filter({ hasText: name }).first().waitFor();
    await workbench.shot('07-confirm');
    assert.deepEqual(session().simulator.received('PUT', /^\/api\/v0\/asks\//), []);
    await workbench.page.keyboard.press('Escape');
    await workbench.quick.widget.waitFor({ state: 'hidden' });
  });

  it('lists what changed the account, and what this computer did', async () => {
    await session().simulator.call('POST', '/api/v0/secrets/', { key: 'TOKEN', value: 'planted-secret' });
    await workbench.view('Instances').close();
    const account = workbench.view('Account');
    await account.open();
    await account.expand(account.row('Team'));
    await account.row('Ben Okafor').waitFor();
    await workbench.shot('09-team');
    await workbench.run('Delete Secret…');
    await workbench.quick.pick('TOKEN');
    await workbench.dialogButton('Delete');
    await until('the secret to be deleted', () =>
      session()
        .simulator.received('DELETE', '/api/v0/secrets/')
        .some(({ status }) => status === 200),
    );
    await account.pick('Account Activity');
    const page = await report('Account Activity');
    assert.deepEqual([await rows('audit'), await rows('own')], [2, 1]);
    await workbench.shot('09-activity');
    assert.equal(await page.getByText('planted-secret').count(), 0);
  });

  it('shows what was paid in beside what was spent', async () => {
    await workbench.run('Show My Spending');
    await report('My Spending');
    assert.equal(await rows('invoices'), 4);
    await workbench.shot('10-spending');
    const table = workbench.webview().locator('section[aria-labelledby="heading-invoices"]');
    await table.scrollIntoViewIfNeeded();
    await workbench.shot('11-invoices');
  });

  it('can be read in the colours that are shown', async () => {
    for (const heading of ['Earnings', 'GPU Market', 'Account Activity', 'My Spending']) {
      await press(workbench.page.locator('.tabs-container .tab', { hasText: heading }));
      const page = await report(heading);
      await page.locator('canvas, tbody').first().waitFor({ state: 'attached' });
      await workbench.inThemes(async (theme) => {
        if (theme !== '') {
          await pageShowsTheme(page, theme);
        }
        assert.deepEqual(await accessibilityFaults(page), [], `${heading} ${theme}`);
      });
      await workbench.shot(`08-${heading}`);
    }
  });

  it('logs no error in the page', () => {
    assert.deepEqual(workbench.errors, []);
  });
});
