import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { comparisonView, type PinStatus } from '../../src/hosting/ui/reports/comparisonView';
import { fromDollars } from '../../src/model/money';
import { defaultQuery } from '../../src/model/offers/savedSearches';
import { formatText } from '../../src/util/text';
import type { ReportView } from '../../src/webview/report/protocol';
import { accessibilityFaults } from '../support/accessibility';
import { launchBrowser } from '../support/browser';
import { marketOffer } from '../support/marketOffer';
import { press, pressEnter } from '../support/press';
import { ReportPage } from '../support/reportPage';
import { inOneLine } from '../support/rows';

const days = Array.from({ length: 30 }, (_, day) => `2026-11-${String(day + 1).padStart(2, '0')}`);

/** A report with everything that a page can draw by default. */
function report(changes: Partial<ReportView> = {}): ReportView {
  return {
    title: 'Earnings',
    subtitle: 'What your machines earned. Days are in UTC, money in US dollars.',
    busy: false,
    notices: [
      { severity: 'error', text: 'It could not be read.', buttons: [{ id: 'again', label: 'Retry' }] },
    ],
    filters: [
      {
        id: 'preset',
        label: 'Time',
        value: '30',
        options: [
          { value: '7', label: 'Last 7 days' },
          { value: '30', label: 'Last 30 days' },
        ],
      },
      { id: 'start', label: 'From', value: '2026-11-01', isDate: true },
    ],
    buttons: ['refresh', 'csv', 'json', 'markdown'].map((id) => ({ id, label: `Button ${id}` })),
    tiles: [{ label: 'Earned in this period', value: '$465.00' }],
    sections: [
      {
        id: 'days',
        title: 'Earnings by Day',
        folded: true,
        chart: {
          kind: 'stackedColumns',
          unit: 'dollars',
          categories: days,
          series: [{ name: 'GPU', values: days.map((_, day) => day + 1) }],
        },
        table: {
          caption: 'Earnings by day (UTC), in dollars',
          columns: [
            { label: 'Day', numeric: false },
            { label: 'GPU', numeric: true },
          ],
          rows: days.map((name, day) => ({
            id: name,
            cells: [{ text: name }, { text: `$${day + 1}.00`, sort: day + 1, share: (day + 1) / 30 }],
          })),
        },
      },
      {
        id: 'models',
        title: 'Models',
        folded: false,
        table: {
          caption: 'Models in the market',
          columns: [{ label: 'Model', numeric: false }],
          rows: [{ id: 'RTX 4090', cells: [{ text: 'RTX 4090' }], action: 'Search offers with this GPU' }],
        },
      },
    ],
    words: {
      loading: 'Loading…',
      showTable: 'Show Table',
      savePicture: 'Save Picture…',
      median: 'Median',
      sortHint: 'Sort by this column',
    },
    ...changes,
  };
}

/** Two pinned offers side by side, the first of them cheaper. */
function comparison(status: PinStatus = { kind: 'asPinned' }, gpuName = 'RTX 4090'): ReportView {
  const pins = [fromDollars(0.4), fromDollars(0.6)].map((gpuPerHour, index) => {
    const offer = marketOffer({ id: index + 1, gpuName, gpuPerHour, totalPerHour: gpuPerHour });
    return {
      pin: { offer, first: offer, origin: { accountKey: 'a', title: 'Search', query: defaultQuery } },
      status: index === 1 ? status : { kind: 'asPinned' as const },
      readAt: 0,
    };
  });
  const view = comparisonView(pins, (text) => formatText(text));
  return report({
    title: 'Compare Pinned Offers',
    notices: [],
    sections: [],
    tiles: [],
    filters: [],
    comparison: view,
  });
}

describe('the page of the reports in a real browser', function () {
  this.timeout(60_000);
  let browser: Browser;
  let shown: ReportPage;
  const find = (selector: string) => shown.page.locator(selector);
  const last = async () => (await shown.sent()).at(-1);

  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());
  beforeEach(async () => {
    shown = await ReportPage.open(browser);
  });
  afterEach(async () => {
    assert.deepEqual(shown.errors, [], 'the page reports no error');
    await shown.page.close();
  });

  it('shows things side by side, with the best value of a row in words', async () => {
    const view = comparison();
    await shown.show(view);
    assert.equal(await find('.comparison caption').count(), 1);
    const groups = await find('.comparison th[scope="rowgroup"]').allTextContents();
    assert.deepEqual(
      groups.map(inOneLine),
      view.comparison?.groups.map(({ label }) => label),
    );
    const row = find('.comparison tbody tr').filter({
      has: shown.page.locator('th[scope="row"]', { hasText: /^Running, per hour$/ }),
    });
    const cells = (await row.locator('td').allInnerTexts()).map(inOneLine);
    assert.deepEqual(
      cells.map((text) => text.endsWith(' best')),
      [true, false],
    );
    await press(find('.comparison button.primary').nth(1));
    assert.deepEqual(await last(), { type: 'button', id: 'rent:2' });
    assert.equal(
      await find('.comparison button.primary').nth(1).getAttribute('aria-label'),
      'Rent 1× RTX 4090 24 GB, offer 2',
    );
  });

  it('shows above a column what became of an offer, and offers no rental of one that is gone', async () => {
    await shown.show(comparison({ kind: 'dearer', before: fromDollars(0.4), after: fromDollars(0.6) }));
    assert.match(await find('.note.warning').innerText(), /^More expensive: \$.*before.*now$/);
    await shown.show(comparison({ kind: 'gone' }));
    assert.match(await find('.note.error').innerText(), /^Gone/);
    assert.equal(await find('.comparison button.primary').count(), 1);
  });

  it('draws what it is given, and sends what is chosen and pressed', async () => {
    await shown.show(report());
    assert.equal(await find('#root > header h1').innerText(), 'Earnings');
    assert.equal(await find('.tiles dd').innerText(), '$465.00');
    assert.equal(await find('#chart-days').count(), 1);
    assert.equal(await find('.notice.error').count(), 1);
    assert.match((await find('.share').last().getAttribute('style')) ?? '', /--share: 100%/);
    await find('#filter-preset').selectOption('7');
    await press(find('#button-csv'));
    await press(find('.notice.error button'));
    await press(find('#row-models-RTX\\ 4090'));
    assert.deepEqual(await shown.sent(), [
      { type: 'filter', id: 'preset', value: '7' },
      { type: 'button', id: 'csv' },
      { type: 'button', id: 'again' },
      { type: 'row', section: 'models', row: 'RTX 4090' },
    ]);
  });

  it('lets a date be typed, and sends it once it is whole', async () => {
    const [, start] = report().filters;
    assert.ok(start && 'isDate' in start);
    const dates = async () => (await shown.sent()).flatMap((one) => (one.type === 'filter' ? one.value : []));
    await shown.show(report());
    await find('#filter-start').focus();
    for (const key of '03152025') {
      const before = (await dates()).length;
      await shown.page.keyboard.press(key);
      const value = (await dates()).at(-1);
      // The report is read again, and its page is redrawn.
      if (value !== undefined && (await dates()).length > before) {
        await shown.show(report({ filters: [{ ...start, value }] }));
      }
    }
    assert.equal(await find('#filter-start').inputValue(), '2025-03-15');
    await pressEnter(find('#filter-start'));
    assert.deepEqual(await dates(), ['2025-03-15']);
    await find('#filter-start').fill('2025-03-16');
    await find('#filter-start').blur();
    assert.deepEqual(await dates(), ['2025-03-15', '2025-03-16']);
  });

  it('shows that it is busy beside what it knows', async () => {
    await shown.show(report({ busy: true }));
    assert.equal(await find('#root').getAttribute('aria-busy'), 'true');
    assert.equal(await find('.busy').innerText(), 'Loading…');
    assert.equal(await find('#chart-days').count(), 1);
    await shown.show(report());
    assert.equal(await find('#root').getAttribute('aria-busy'), 'false');
  });

  it('announces that it loads and what arrived, in a region that stays, and nothing twice', async () => {
    await shown.page.evaluate(`
      globalThis.announced = [];
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const region = (target.nodeType === Node.TEXT_NODE ? target.parentElement : target).closest('[role="status"], [role="alert"]');
          if (region && !region.closest('[aria-busy="true"]')) announced.push(region.textContent);
        }
      }).observe(document.body, { childList: true, subtree: true, characterData: true });
    `);
    await shown.show(report({ busy: true, notices: [], tiles: [], sections: [] }));
    await shown.show(report());
    await shown.show(report({ title: 'Earnings again' }));
    await shown.show(report({ notices: [], tiles: [] }));
    assert.deepEqual(await shown.page.evaluate('announced'), [
      'Loading…',
      'It could not be read. Earned in this period: $465.00',
      'What your machines earned. Days are in UTC, money in US dollars.',
    ]);
    assert.equal(await find('[role="status"], [role="alert"]').count(), 1);
  });

  it('keeps the numbers behind a chart, and fold, order and focus when it is redrawn', async () => {
    await shown.show(report());
    const rows = find('section[aria-labelledby="heading-days"] tbody tr');
    assert.equal(await rows.count(), 30);
    assert.ok(!(await rows.first().isVisible()));
    await press(find('#fold-days'));
    await press(find('#sort-days-1'));
    assert.equal(inOneLine(await rows.first().innerText()), '2026-11-30 $30.00');
    await shown.show(report({ title: 'Earnings again' }));
    assert.equal(inOneLine(await rows.first().innerText()), '2026-11-30 $30.00');
    assert.equal(await find('th[aria-sort="descending"]').count(), 1);
    assert.equal(await shown.page.evaluate<string>('document.activeElement.id'), 'sort-days-1');
  });

  it('draws again only what changed: a selection and a scrolled text stay', async () => {
    const output = {
      title: 'Log',
      text: Array.from({ length: 200 }, (_, line) => `line ${line}`).join('\n'),
      buttons: [{ id: 'log', label: 'Show Log' }],
    };
    await shown.show(report({ output }));
    await press(find('#button-log'));
    assert.deepEqual(await last(), { type: 'button', id: 'log' });
    const inPage = (script: string) => shown.page.evaluate<unknown>(script);
    const scrolled = () => inPage(`document.getElementById('output').scrollTop`);
    assert.notEqual(await scrolled(), 0, 'the last lines are shown');
    await inPage(`document.getElementById('output').scrollTo(0, 10)`);
    await inPage(`document.querySelector('.tiles').setAttribute('data-drawn', 'before')`);
    await shown.show(report({ output, notices: [], title: 'Earnings again' }));
    assert.equal(await scrolled(), 10);
    assert.equal(await find('.tiles').getAttribute('data-drawn'), 'before');
    assert.equal(
      await inPage(`[...document.getElementById('root').children].map(({ tagName }) => tagName).join(' ')`),
      'HEADER DL SECTION SECTION SECTION',
    );
  });

  it('sends the picture of a chart', async () => {
    await shown.show(report());
    await press(find('#picture-days'));
    const message = await last();
    assert.ok(message?.type === 'picture' && message.section === 'days');
    assert.equal(Buffer.from(message.png, 'base64').subarray(1, 4).toString('latin1'), 'PNG');
  });

  it('draws names as text, with any characters', async () => {
    const hostile = '<img src=x onerror="document.title=1">';
    await shown.show(comparison({ kind: 'asPinned' }, hostile));
    assert.match(await find('.comparison thead th').nth(1).innerText(), /<img src=x/);
    const [, models] = report().sections;
    assert.ok(models);
    const rows = [{ id: hostile, cells: [{ text: hostile }], action: hostile }];
    await shown.show(report({ sections: [{ ...models, table: { ...models.table, rows } }] }));
    assert.equal(await find('tbody th').innerText(), hostile);
    assert.equal(await find('#root img').count(), 0);
    assert.equal(await shown.page.title(), 'Earnings');
  });

  it('draws nothing of what is not of its form', async () => {
    await shown.show(report());
    await shown.page.evaluate(`postMessage({ type: 'show', view: { title: '<b>' } }, '*')`);
    await shown.page.evaluate('new Promise((done) => setTimeout(done, 0))');
    assert.equal(await find('#root > header h1').innerText(), 'Earnings');
  });

  for (const width of [400, 700, 1000, 1600]) {
    it(`fits in ${width} px`, async () => {
      await shown.page.setViewportSize({ width, height: 900 });
      for (const view of [report(), comparison()]) {
        await shown.show(view);
        const overflow = await find('#root > header').evaluate((head) => head.scrollWidth - head.clientWidth);
        assert.ok(overflow <= 0, `the head of ${view.title} overflows by ${overflow} px`);
      }
    });
  }

  it('can be read by a screen reader', async () => {
    for (const view of [report(), comparison()]) {
      await shown.show(view);
      assert.deepEqual(await accessibilityFaults(shown.page), [], view.title);
    }
  });
});
