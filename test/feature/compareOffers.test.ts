import assert from 'node:assert/strict';
import { searchesPerMinute } from '../../src/store/offers/searchBudget';
import { PageDriver } from '../support/feature/pageDriver';
import { rentalsOf } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('comparing offers', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let page: PageDriver;
  const quick = () => window.quick;

  const searches = () => computer().simulator.received('POST', '/api/v0/bundles/');
  const market = () => computer().simulator.world.market;
  const offers = () =>
    quick()
      .rows()
      .filter((row) => row.includes('% reliable'));
  const columns = () => page.view.comparison?.columns ?? [];
  /** The offers that the columns stand for and that can be rented. */
  const ids = () =>
    columns()
      .flatMap(({ buttons }) => buttons.map(({ id }) => /^rent:(\d+)$/.exec(id)?.[1]))
      .filter((id) => id !== undefined)
      .map(Number);
  const notes = () => columns().flatMap((column) => column.notes.map(({ text }) => text));
  const cells = (label: string) =>
    page.view.comparison?.groups.flatMap(({ rows }) => rows).find((row) => row.label === label)?.cells ?? [];

  async function openSearch(): Promise<void> {
    window.run('Search Offers…');
    await quick().row('% reliable');
  }

  before(async () => {
    window = await computer().openWindow();
    page = new PageDriver(window, 'market');
    await window.signIn();
    window.clearToasts();
  });

  it('pins offers by the button of their row', async () => {
    await openSearch();
    const [first, second] = offers();
    assert.ok(first !== undefined && second !== undefined);
    await quick().rowButton(first, 'Pin to Compare');
    await quick().row('1 Pinned Offer pin another offer to compare');
    await quick().rowButton(second, 'Pin to Compare');
    await quick().row('Compare 2 Pinned Offers');
    await quick().rowButton(second, 'Unpin');
    await quick().row('1 Pinned Offer');
    await quick().rowButton(second, 'Pin to Compare');
  });

  it('shows them side by side, with the best value of a row in words', async () => {
    await quick().pick('Compare 2 Pinned Offers');
    const { comparison } = await page.shows('the offers');
    assert.ok(!quick().isOpen);
    assert.equal(columns().length, 2);
    assert.equal(comparison?.best, 'best');
    assert.equal(comparison.groups.length, 7);
    const running = cells('Running, per hour');
    assert.equal(running.length, 2);
    for (const { text } of running) {
      assert.match(text, /^\$\d+\.\d+\/h$/);
    }
    assert.equal(running.filter(({ best }) => best).length, 1);
    assert.deepEqual(notes(), []);
    assert.equal(searches().length, 1, 'the page has the offers of the list');
    assert.equal(page.section('offers').chart?.kind, 'points');
    await page.press('Refresh');
    await page.shows('the offers');
    const body = searches().at(-2)?.body as { id: { in: number[] } };
    assert.deepEqual([...body.id.in].sort(), ids().sort());
  });

  it('shows which offers are dearer, cheaper or gone, after Refresh', async () => {
    const [first = 0, second = 0] = ids();
    const machine = market().offer(first)?.machine;
    assert.ok(machine);
    market().setPrice(machine.id, market().pricePerGpu(machine) * 2);
    market().mark('goneOffers', second, true);
    await page.press('Refresh');
    await page.shows('what changed', () => notes().length === 2);
    assert.match(notes()[0] ?? '', /^More expensive: \$\d+\.\d+\/h before, \$\d+\.\d+\/h now$/);
    assert.equal(notes()[1], 'Gone: it is no longer on the market.');
    assert.deepEqual(ids(), [first]);
    market().mark('goneOffers', second, false);
    market().setPrice(machine.id, market().pricePerGpu(machine) / 4);
    await page.press('Refresh');
    await page.shows('both again', () => ids().length === 2);
    assert.equal(notes().length, 1);
    assert.match(notes()[0] ?? '', /^Cheaper: /);
    market().setPrice(machine.id, market().pricePerGpu(machine) * 2);
    await page.press('Refresh');
    await page.shows('the first price', () => notes().length === 0);
  });

  it('knows nothing any more of an offer that was unpinned and returns', async () => {
    const [, second = 0] = ids();
    const { name = '' } = columns()[1]?.buttons.find(({ id }) => id === `unpin:${second}`) ?? {};
    await openSearch();
    const row = offers()[1] ?? '';
    quick().escape();
    market().mark('goneOffers', second, true);
    await page.press('Refresh');
    await page.shows('that it is gone', () => notes().length === 1);
    await page.press(name);
    await page.shows('one column', () => columns().length === 1);
    market().mark('goneOffers', second, false);
    await openSearch();
    await quick().rowButton(row, 'Pin to Compare');
    await page.shows('both', () => columns().length === 2);
    assert.deepEqual([ids()[1], notes()], [second, []]);
    quick().escape();
  });

  it('keeps what was there when it can’t be read again, and shows that', async () => {
    const before = page.view.comparison;
    computer().simulator.fail({ kind: 'error', path: '/api/v0/bundles/', status: 400, msg: 'No.' });
    await page.press('Refresh');
    const { severity } = await page.notice(/No\. /);
    assert.equal(severity, 'error');
    assert.deepEqual(page.view.comparison, before);
    await page.press('Retry');
    await page.shows('no notice', ({ notices }) => notices.length === 0);
    assert.deepEqual(ids().length, 2);
  });

  it('shows that it is busy, and drops an answer that arrives after the page was closed', async () => {
    computer().simulator.fail({ kind: 'stall', path: '/api/v0/bundles/' });
    await page.press('Refresh');
    assert.ok(page.view.busy);
    const { panel } = page;
    const posted = panel.posted.length;
    panel.close();
    await computer().until('the end of the request', () => computer().simulator.heldBack() === 0);
    assert.equal(panel.posted.length, posted);
    window.run('Compare Pinned Offers');
    await page.shows('the offers');
    assert.equal(ids().length, 2);
  });

  it('waits for the limit of searches, and shows that', async () => {
    await computer().pass(60_000);
    const times = () => searches().length;
    const before = times();
    for (let time = 0; time < searchesPerMinute; time += 1) {
      await page.press('Refresh');
      await page.shows('the offers');
    }
    assert.equal(times(), before + searchesPerMinute);
    await page.press('Refresh');
    assert.ok(page.view.busy);
    assert.equal(page.view.words.loading, 'The service allows only a few searches per minute. Waiting…');
    assert.equal(times(), before + searchesPerMinute);
    await computer().pass(60_000);
    await page.shows('the offers');
    assert.equal(times(), before + searchesPerMinute + 1);
  });

  it('leads from a column into the steps of a rental, and rents nothing by itself', async () => {
    const [, second = 0] = ids();
    const { label } = columns()[1] ?? {};
    assert.ok(label);
    await page.press(`Rent ${label}, offer ${second}`);
    await quick().title('Rent: Template');
    await quick().button('Keep the Defaults and Review');
    await quick().title('Rent: Confirm');
    await quick().row(`Machine ${label}`);
    quick().escape();
    await computer().pass(60_000);
    assert.deepEqual(rentalsOf(computer()), []);
  });

  it('pins up to four offers of the list on the page', async () => {
    await openSearch();
    await quick().button('GPU Market');
    await page.shows('the offers', ({ sections }) => sections.some(({ id }) => id === 'offers'));
    assert.ok(!quick().isOpen);
    await page.press('Pin ');
    await page.press('Pin ');
    await page.shows('four columns', () => columns().length === 4);
    await page.press('Pin ');
    await window.toast('You can pin at most 4 offers. Unpin one first.');
    window.clearToasts();
  });

  it('pins no fifth offer by its button, and explains why', async () => {
    await openSearch();
    await quick().rowButton(offers().at(-1) ?? '', 'Pin to Compare');
    await window.toast('You can pin at most 4 offers. Unpin one first.');
    window.clearToasts();
    quick().escape();
    assert.equal(columns().length, 4);
  });

  it('unpins', async () => {
    for (let left = 3; left >= 1; left -= 1) {
      await page.press('Unpin');
      await page.shows('one column less', () => columns().length === left);
    }
    await page.press('Unpin');
    assert.equal(page.view.comparison, undefined);
    await page.press('Search Offers…');
    await quick().title(/^Search Offers$/);
    quick().escape();
  });

  it('makes plain words of hostile names', async () => {
    const { simulator } = computer();
    const { json } = await simulator.call('POST', '/api/v0/bundles/', {
      limit: 2,
      verified: { eq: true },
      rentable: { eq: true },
      external: { eq: false },
    });
    const hostile = '<img src=x onerror="document.title=1">\u202eevil\n';
    const found = (json.offers as Record<string, unknown>[]).map((offer) => ({
      ...offer,
      num_gpus: 1,
      gpu_name: hostile,
      cpu_name: hostile,
      geolocation: hostile,
    }));
    simulator.fail({
      kind: 'answer',
      path: '/api/v0/bundles/',
      times: 0,
      status: 200,
      body: { offers: found },
    });
    await openSearch();
    await quick().row('onerror');
    await quick().button('GPU Market');
    await page.shows('the offers', ({ sections }) => sections.some(({ id }) => id === 'offers'));
    await page.press('Pin ');
    await page.press('Pin ');
    await page.shows('two columns', () => columns().length === 2);
    for (const { label } of columns()) {
      assert.match(label, /<img src=x/);
    }
    // Ids are not shown.
    const shown = JSON.stringify(page.view, (key, value: unknown) => (key === 'id' ? undefined : value));
    assert.doesNotMatch(shown, /[\u202e]|\\n/);
    simulator.faults.clear();
  });

  it('leaves nothing of one account to another', async () => {
    window.run('Sign Out');
    await window.dialogButton('Sign Out');
    await computer().until('the closed page', () =>
      window.screen.panels.all.every(({ isClosed }) => isClosed),
    );
    window.clearToasts();
    await window.signIn();
    window.clearToasts();
    await openSearch();
    assert.ok(
      !quick()
        .rows()
        .some((row) => row.includes('Pinned')),
    );
    quick().escape();
  });
});
