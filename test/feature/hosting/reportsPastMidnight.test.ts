import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PageDriver } from '../../support/feature/pageDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

const dayMs = 86_400_000;

describe('reports that are open past midnight UTC', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let earnings: PageDriver;
  let spending: PageDriver;

  const dayName = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);
  const days = (first: number, last: number) => `from ${dayName(first)} to ${dayName(last)}`;
  const today = () => Math.floor(computer().clock.now() / dayMs);
  const dates = (page: PageDriver) =>
    page.view.filters.filter((one) => 'isDate' in one).map((one) => one.value);
  const exports = ['Save as CSV', 'Save as JSON…', 'Copy as Markdown'];
  const offersExports = ({ view }: PageDriver) =>
    exports.every((name) => view.buttons.some(({ label }) => label === name));

  before(async () => {
    const { clock } = computer();
    await computer().pass(dayMs - (clock.now() % dayMs) - 10 * 60_000);
    window = await computer().openWindow();
    earnings = new PageDriver(window, 'earnings');
    spending = new PageDriver(window, 'spending');
    await window.signIn();
    window.clearToasts();
    window.run('Show Earnings');
    await earnings.shows('its figures', ({ sections }) => sections.length > 0);
    window.run('Show My Spending');
    await spending.shows('its figures', ({ sections }) => sections.length > 0);
    await computer().pass(20 * 60_000);
  });

  it('name the days of their figures, also where a refresh fails', async () => {
    const { sections } = earnings.view;
    const read = days(today() - 30, today() - 1);
    await earnings.press('Show Name and Address');
    await earnings.press('Hide Name and Address');
    computer().simulator.fail({ kind: 'html500', path: '/api/v0/*', times: 0 });
    for (const page of [earnings, spending]) {
      await page.press('Refresh');
      await page.notice(/Shown as of .*\.$/);
      assert.ok(page.view.subtitle.includes(read), page.view.subtitle);
      assert.deepEqual(dates(page), [dayName(today() - 30), dayName(today() - 1)]);
      assert.ok(offersExports(page));
    }
    assert.deepEqual(earnings.view.sections, sections);
    computer().simulator.faults.clear();
    await computer().pass(60_000);
  });

  it('keep those days when they are chosen by dates', async () => {
    for (const page of [earnings, spending]) {
      await page.choose('Time', 'dates');
      const { subtitle } = await page.shows('its figures', (view) =>
        view.notices.every((one) => one.severity !== 'error'),
      );
      assert.ok(subtitle.includes(days(today() - 30, today() - 1)), subtitle);
      assert.ok(offersExports(page));
    }
    const { sday, eday } =
      computer()
        .simulator.received('GET', /machine-earnings/)
        .at(-1)?.query ?? {};
    assert.deepEqual([Number(sday), Number(eday)], [today() - 30, today() - 1]);
  });

  it('end on the new day once they are read again', async () => {
    for (const page of [earnings, spending]) {
      await page.choose('Time', '30');
      const { subtitle } = await page.shows('its figures', ({ sections }) => sections.length > 0);
      assert.ok(subtitle.includes(days(today() - 29, today())), subtitle);
      assert.deepEqual(dates(page), [dayName(today() - 29), dayName(today())]);
    }
  });

  it('saves the medians of earlier days in dollars, like all other prices', async () => {
    window.run('Show GPU Market');
    const market = new PageDriver(window, 'market');
    await market.shows('its figures', ({ sections }) => sections.length > 0);
    const file = path.join(computer().workspace, 'market.json');
    window.screen.fileDialogs.push([file]);
    await market.press('Save as JSON…');
    await window.toast('Saved market.json.');
    const { gpus, history } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly gpus: readonly { readonly gpuName: string; readonly priceMedianDollars?: number }[];
      readonly history: readonly { readonly mediansDollars?: Readonly<Record<string, number>> }[];
    };
    const priced = gpus.filter(({ priceMedianDollars }) => priceMedianDollars !== undefined);
    assert.ok(priced.length > 0);
    assert.deepEqual(
      history.at(-1)?.mediansDollars,
      Object.fromEntries(priced.map(({ gpuName, priceMedianDollars }) => [gpuName, priceMedianDollars])),
    );
    window.clearToasts();
  });
});
