import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  choiceField,
  choiceKeys,
  fieldLabel,
  flagField,
  flagKeys,
  numberField,
  numberKeys,
} from '../../src/model/offers/searchFields';
import { formatText } from '../../src/util/text';
import { signIn } from '../support/journey';
import { exactly } from '../support/quickInput';
import { textsOf } from '../support/rows';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

/** The product asks at most eight times a minute, so that a search may have to wait for its turn. */
const turnMs = 90_000;

describe('finding offers', function () {
  this.timeout(300_000);
  this.bail(true);
  const session = useUiSession('findOffers');
  let workbench: Workbench;

  const searches = () => session().simulator.received('POST', /^\/api\/v0\/bundles\//);
  const body = (index: number) => searches().at(index)?.body as Record<string, unknown> | undefined;
  const offers = () => workbench.quick.rows.filter({ hasText: '% reliable' });
  const offerTexts = () => textsOf(offers());
  const storage = () =>
    path.join(session().host.dataDir, 'data', 'User', 'globalStorage', 'gpu-rental.gpu-rental');
  const press = (key: string) => workbench.page.keyboard.press(key);
  const type = (text: string) => workbench.page.keyboard.type(text);
  const title = (text: string) => workbench.quick.waitForTitle(new RegExp(`^\\s*${text}\\s*$`));

  async function open(): Promise<void> {
    const before = searches().length;
    await workbench.run('Search Offers…');
    await title('Search Offers');
    // Until it has asked, rows of the list before may still stand there.
    await until('the search', () => searches().length > before, { timeoutMs: turnMs });
    await offers().first().waitFor();
  }

  /** Opens the filters from the list, by keyboard. */
  async function openFilters(): Promise<void> {
    await press('Control+A');
    await type('/');
    await title('Search Offers: Filters');
  }

  /** Moves to the row with exactly this label, by typing and by the arrow, and accepts it. */
  async function choose(label: string): Promise<void> {
    await workbench.quick.input.fill(label);
    const focused = workbench.quick.widget
      .locator('.quick-input-list .monaco-list-row.focused')
      .filter({ has: workbench.page.locator('.label-name', { hasText: exactly(label) }) });
    const isThere = () =>
      focused.waitFor({ timeout: 400 }).then(
        () => true,
        () => false,
      );
    await until(`the row ${label}`, async () => {
      if (await isThere()) return true;
      await press('ArrowDown');
      return isThere();
    });
    await press('Enter');
  }

  async function backToOffers(): Promise<void> {
    await choose('Show Offers');
    await title('Search Offers');
  }

  it('shows the offers of a saved search under its name, renames and deletes it', async () => {
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.clearNotifications();
    await open();
    await type('2x 3090');
    await offers().filter({ hasText: '2× RTX 3090' }).first().waitFor({ timeout: turnMs });
    await openFilters();
    await choose('Saved and Recent Searches');
    await title('Search Offers: Saved Searches');
    await workbench.shot('01-saved-empty');
    await choose('Save This Search…');
    await title('Search Offers: Save');
    await type('two of them');
    await workbench.quick.row('Save as "two of them"').waitFor();
    await press('Enter');
    await title('Search Offers: Saved Searches');
    await workbench.quick.row('two of them').waitFor();
    const settings = () =>
      JSON.parse(
        readFileSync(path.join(session().host.dataDir, 'data', 'User', 'settings.json'), 'utf8'),
      ) as Record<string, Record<string, unknown>>;
    assert.deepEqual(Object.keys(settings()['gpuRental.search.saved'] ?? {}), ['two of them']);
    const row = workbench.quick.rows.filter({ hasText: 'two of them' });
    await row.hover();
    await row.locator('.action-label[aria-label="Rename This Saved Search"]').click();
    await title('Search Offers: Rename "two of them"');
    await workbench.quick.input.fill('pair');
    await workbench.quick.row('Rename to "pair"').waitFor();
    await press('Enter');
    await title('Search Offers: Saved Searches');
    await workbench.quick.row('pair').waitFor();
    await workbench.shot('02-saved');
    assert.deepEqual(Object.keys(settings()['gpuRental.search.saved'] ?? {}), ['pair']);
    await choose('Default Search');
    await title('Search Offers: Filters');
    await backToOffers();
    await offers().filter({ hasNotText: 'RTX 3090' }).first().waitFor({ timeout: turnMs });
    await openFilters();
    await choose('Saved and Recent Searches');
    await title('Search Offers: Saved Searches');
    await choose('pair');
    await title('Search Offers: Filters');
    await backToOffers();
    await until(
      'the offers of the saved search',
      async () => {
        const texts = await offerTexts();
        return texts.length > 0 && texts.every((text) => text.includes('2× RTX 3090'));
      },
      { timeoutMs: turnMs },
    );
    await openFilters();
    await choose('Saved and Recent Searches');
    await title('Search Offers: Saved Searches');
    await workbench.quick.row('pair').waitFor();
    await choose('Rename or Delete…');
    await title('Search Offers: Rename or Delete');
    await workbench.shot('02-manage');
    await choose('Delete "pair"');
    await title('Search Offers: Saved Searches');
    await workbench.quick.row('pair').waitFor({ state: 'detached' });
    assert.deepEqual(settings()['gpuRental.search.saved'], {});
    await choose('Default Search');
    await title('Search Offers: Filters');
    await backToOffers();
    await offers().filter({ hasNotText: 'RTX 3090' }).first().waitFor({ timeout: turnMs });
    await press('Escape');
  });

  it('sorts by every order, and says where it sorted only what was sent', async () => {
    await open();
    const orders = [
      { label: 'Lowest Price', sent: 'dph_total' },
      { label: 'Value for Money', sent: 'dlperf_per_dphtotal' },
      { label: 'Reliability', sent: 'reliability' },
      { label: 'GPU Memory', sent: 'gpu_total_ram' },
    ];
    for (const { label, sent } of orders) {
      await openFilters();
      await choose('Sort by');
      await title('Search Offers: Sort By');
      await choose(label);
      await title('Search Offers: Filters');
      await backToOffers();
      await until(`the order ${label}`, () => JSON.stringify(body(-1)?.['order']).includes(`["${sent}",`), {
        timeoutMs: turnMs,
      });
      await workbench.quick.rows
        .filter({ hasText: `offers · ${label}` })
        .first()
        .waitFor({ timeout: turnMs });
    }
    const before = searches().length;
    await openFilters();
    await choose('Sort by');
    await title('Search Offers: Sort By');
    await choose('Distance');
    await title('Search Offers: Distance From');
    await choose('Sweden');
    await title('Search Offers: Filters');
    await backToOffers();
    await workbench.quick.rows.filter({ hasText: 'Distance, among those sent' }).waitFor({ timeout: turnMs });
    const distances = async () =>
      (await offerTexts()).map((text) =>
        text.includes('same country') ? 0 : Number(/about (\d+) km/.exec(text)?.[1] ?? 'NaN'),
      );
    await until('distances', async () => (await distances()).every((km) => !Number.isNaN(km)), {
      timeoutMs: turnMs,
    });
    const shown = await distances();
    assert.deepEqual(
      shown,
      [...shown].sort((a, b) => a - b),
    );
    assert.ok(searches().length <= before + 1);
    await workbench.shot('03-distance');
    await openFilters();
    await choose('Sort by');
    await title('Search Offers: Sort By');
    await choose('Best Match');
    await title('Search Offers: Filters');
    await backToOffers();
    await press('Escape');
  });

  it('says that only the first rows are shown, and fetches more where the order allows it', async () => {
    await open();
    await until(
      'the whole page',
      async () => {
        await press('PageDown');
        return workbench.quick.row('Show More Offers').isVisible();
      },
      { timeoutMs: turnMs },
    );
    await workbench.quick.rows.filter({ hasText: 'First 64 shown' }).waitFor();
    await workbench.shot('04-more');
    await until('the row', async () => {
      await press('PageDown');
      return workbench.quick.widget
        .locator('.monaco-list-row.focused', { hasText: 'Show More Offers' })
        .isVisible();
    });
    const before = searches().length;
    await press('Enter');
    await until('the next page', () => searches().length > before, { timeoutMs: turnMs });
    assert.ok((body(-1)?.['score'] as { lte?: number } | undefined)?.lte !== undefined);
    // The further ones begin where the row stood.
    await until(
      'an offer after the first 64',
      async () => {
        const focused = offers().and(workbench.page.locator('.focused'));
        return (await focused.count()) === 1 && Number(await focused.getAttribute('data-index')) > 64;
      },
      { timeoutMs: turnMs },
    );
    const heading = workbench.quick.rows.filter({ hasText: /(6[5-9]|[7-9]\d|1\d\d) offers · Best Match/ });
    await until('the heading', async () => {
      await press('PageUp');
      return heading.isVisible();
    });
    await press('Escape');
  });

  it('answers what only narrows without asking', async () => {
    await open();
    await type('3090');
    await until(
      'the search for one model, which sends all there are',
      () =>
        JSON.stringify(body(-1)?.['gpu_name']) === '{"eq":"RTX 3090"}' && searches().at(-1)?.status === 200,
      { timeoutMs: turnMs },
    );
    // Until the list holds all of them it may still show those among the offers of before.
    const { json } = await session().simulator.call('POST', '/api/v0/bundles/', body(-1));
    await offers()
      .filter({ hasText: `${(json.offers as unknown[]).length} offers · Best Match` })
      .waitFor();
    const before = searches().length;
    await type(' x2 ≥20gb');
    await until('fewer offers', async () => {
      const texts = await offerTexts();
      return texts.length > 0 && texts.every((text) => text.includes('2× RTX 3090'));
    });
    await workbench.shot('05-narrowed');
    assert.equal(searches().length, before);
    await press('Escape');
  });

  it('marks machines that failed before, puts them last, and forgets them', async () => {
    const { market } = session().simulator.world;
    const { json } = await session().simulator.call('POST', '/api/v0/bundles/', {
      verified: { eq: true },
      rentable: { eq: true },
      external: { eq: false },
      order: [['score', 'desc']],
    });
    const [best] = json.offers as { machine_id: number; num_gpus: number; gpu_name: string }[];
    assert.ok(best && market.machine(best.machine_id));
    // The first offer has the heading of the list in its row.
    const isFirst = async () =>
      (await offers()
        .filter({ hasText: 'offers · Best Match' })
        .filter({ hasText: `${best.num_gpus}× ${best.gpu_name} ` })
        .count()) === 1;
    const folder = path.join(storage(), 'failedMachines');
    // Each account has its own folder, made by the first search.
    const [own, ...others] = readdirSync(folder);
    assert.ok(own !== undefined && others.length === 0);
    writeFileSync(
      path.join(folder, own, `${best.machine_id}.json`),
      JSON.stringify({ version: 1, at: Date.UTC(2026, 9, 3, 12), reason: 'no space left $(bug)\u202e' }),
    );
    await open();
    await until('another offer first', async () => !(await isFirst()));
    const marked = workbench.quick.rows.filter({ hasText: /failed before on Oct 3, 2026: no space left/ });
    await until('the marked offers at the end', async () => {
      await press('PageDown');
      return (await marked.count()) > 0;
    });
    await workbench.shot('06-failed');
    await marked.last().hover();
    await marked.last().locator('.action-label[aria-label="Forget That This Machine Failed"]').click();
    await until('no mark', async () => (await marked.count()) === 0);
    await press('Escape');
    await open();
    await until('the best offer first again', isFirst);
    await press('Escape');
  });

  it('reaches every filter by keyboard, and sends each', async function () {
    this.timeout(900_000);
    // Full answers only, so that nothing can be answered without asking.
    const { json } = await session().simulator.call('POST', '/api/v0/bundles/', { limit: 64 });
    session().simulator.fail({ kind: 'answer', path: '/api/v0/bundles/', times: 0, status: 200, body: json });
    await workbench.run('Search Offers…');
    await title('Search Offers');
    await openFilters();
    const label = (key: Parameters<typeof fieldLabel>[0]) => formatText(fieldLabel(key));
    for (const key of numberKeys) {
      await choose(label(key));
      await title(`Search Offers: ${label(key)}`);
      // At once, as fast as anybody types: the rows for it may not be there yet.
      await type('7');
      await press('Enter');
      await title('Search Offers: Filters');
    }
    await workbench.shot('07-filters-set');
    for (const key of choiceKeys) {
      await choose(label(key));
      await title(`Search Offers: ${label(key)}`);
      if (key === 'gpu' || key === 'country') {
        await type(key === 'gpu' ? 'RTX 4090' : 'Sweden');
        await workbench.quick.row(key === 'gpu' ? 'RTX 4090' : 'Sweden').waitFor();
        await press('ArrowDown');
        await press('Space');
        await workbench.quick.widget.locator('.quick-input-count', { hasText: '1 Selected' }).waitFor();
      } else {
        await type('12');
        await workbench.quick.row('12').waitFor();
      }
      await press('Enter');
      await title('Search Offers: Filters');
    }
    for (const key of flagKeys) {
      await choose(label(key));
      await title(`Search Offers: ${label(key)}`);
      await choose('No');
      await title('Search Offers: Filters');
    }
    const wires = [
      ...numberKeys.map((key) => numberField(key).wire),
      ...choiceKeys.map((key) => choiceField(key).wire),
      ...flagKeys.map((key) => flagField(key).wire),
    ];
    await until(
      'a request with every filter',
      () => {
        const sent = body(-1) ?? {};
        return wires.every((wire) => Object.hasOwn(sent, wire));
      },
      { timeoutMs: turnMs },
    );
    const sent = body(-1) ?? {};
    assert.deepEqual(sent['gpu_name'], { eq: 'RTX 4090' });
    assert.deepEqual(sent['geolocation'], { eq: 'SE' });
    assert.deepEqual(sent['machine_id'], { eq: 12 });
    assert.deepEqual(sent['verified'], { eq: false });
    assert.deepEqual(sent['reliability'], { gte: 0.07 });
    assert.deepEqual(sent['dph_total'], { lte: 7 });
    assert.deepEqual(sent['duration'], { gte: 7 * 86_400 });
    const upper = ['dph_total', 'min_bid', 'inet_down_cost', 'inet_up_cost', 'storage_cost'];
    const exact = ['num_gpus', 'pci_gen'];
    assert.deepEqual(
      numberKeys.map((key) => [numberField(key).wire, ...Object.keys(sent[numberField(key).wire] as object)]),
      numberKeys.map((key) => {
        const { wire } = numberField(key);
        return [wire, upper.includes(wire) ? 'lte' : exact.includes(wire) ? 'eq' : 'gte'];
      }),
    );
    await choose('Rental type');
    await title('Search Offers: Rental Type');
    await choose('Interruptible');
    await title('Search Offers: Filters');
    await until('the other rental type', () => body(-1)?.['type'] === 'bid', { timeoutMs: turnMs });
    await choose('Reset All Filters');
    session().simulator.faults.clear();
    await press('Escape');
  });

  it('can be read in light, dark and high contrast', async () => {
    for (const theme of ['Dark Modern', 'Dark High Contrast', 'Light High Contrast', 'Light Modern']) {
      await workbench.chooseTheme(theme);
      await open();
      await workbench.shot(`08-search-${theme}`);
      await openFilters();
      await workbench.shot(`08-filters-${theme}`);
      await press('Escape');
    }
    assert.deepEqual(workbench.errors, []);
  });
});
