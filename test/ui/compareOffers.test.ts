import assert from 'node:assert/strict';
import { accessibilityFaults } from '../support/accessibility';
import { signIn } from '../support/journey';
import { inOneLine } from '../support/quickInput';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('comparing offers', function () {
  this.timeout(180_000);
  const session = useUiSession('compareOffers');
  let workbench: Workbench;

  const rentals = () => session().simulator.received('PUT', /^\/api\/v0\/asks\//);
  const searches = () => session().simulator.received('POST', /^\/api\/v0\/bundles\//);
  const page = () => workbench.webview();
  const headings = async () =>
    (await page().locator('.comparison thead th').allInnerTexts()).slice(1).map(inOneLine);
  const row = async (label: string) => {
    const line = page()
      .locator('.comparison tbody tr')
      .filter({ has: page().locator('th[scope="row"]', { hasText: label }) });
    return (await line.locator('td').allInnerTexts()).map(inOneLine);
  };
  /** The offer ids that the columns stand for. */
  const ids = async () => {
    const buttons = page().locator('.comparison button.primary');
    // What runs in the page has types that are not known here.
    const found = await buttons.evaluateAll((all) =>
      (all as unknown as readonly { id: string }[]).map(({ id }) => id),
    );
    return found.map((id) => Number(id.split(':')[1]));
  };
  /** The page says so as long as it looks at the offers. */
  const looked = () => page().locator('[role="status"]').waitFor({ state: 'detached' });

  async function openSearch(): Promise<void> {
    await workbench.run('Search Offers…');
    // The searches so far may have used up what the service takes in a minute.
    await workbench.quick.rows.filter({ hasText: '% reliable' }).first().waitFor({ timeout: 90_000 });
  }

  const ticked = (count: number) =>
    workbench.quick.widget.locator('.quick-input-count', { hasText: `${count} Selected` }).waitFor();

  /** Ticks rows of the open list by keyboard, in the order of the list. */
  async function tick(indexes: readonly number[], already: number): Promise<void> {
    let count = already;
    let at = -1;
    for (const index of indexes) {
      for (; at < index; at += 1) {
        await workbench.page.keyboard.press('ArrowDown');
      }
      await workbench.page.keyboard.press('Space');
      count += 1;
      await ticked(count);
    }
  }

  it('pins offers by the button of their row', async () => {
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.clearNotifications();
    await openSearch();
    for (const index of [0, 1]) {
      const offer = workbench.quick.rows.filter({ hasText: '% reliable' }).nth(index);
      await offer.hover();
      await offer.locator('.action-label[aria-label="Pin to Compare"]').click();
      await workbench.quick.rows
        .filter({ hasText: index === 0 ? '1 Pinned Offer' : 'Compare 2 Pinned Offers' })
        .waitFor();
    }
    await workbench.shot('01-pinned');
  });

  it('shows them side by side, with the best value of a row in words', async () => {
    await workbench.quick.pickMatching(/Compare 2 Pinned Offers/);
    await page().locator('.comparison').waitFor();
    await looked();
    await workbench.shot('02-compare');
    assert.equal((await headings()).length, 2);
    const [reference, ...others] = await row('Running, an hour');
    assert.match(reference ?? '', /^\$\d+\.\d+\/h( best)?$/);
    assert.equal(others.length, 1);
    const marked = (await row('Running, an hour')).filter((text) => text.endsWith('best'));
    assert.equal(marked.length, 1);
    assert.equal(await page().locator('.comparison caption').count(), 1);
    assert.equal(await page().locator('.comparison th[scope="rowgroup"]').count(), 7);
    const body = searches().at(-1)?.body as { id: { in: number[] } };
    assert.deepEqual([...body.id.in].sort(), (await ids()).sort());
  });

  it('says which offers are dearer and which are gone, after Refresh', async () => {
    const [first = 0, second = 0] = await ids();
    const { market } = session().simulator.world;
    const machine = market.offer(first)?.machine;
    assert.ok(machine);
    market.setPrice(machine.id, market.pricePerGpu(machine) * 2);
    market.mark('goneOffers', second, true);
    await page().locator('#button-refresh').click();
    await page().locator('.note.error', { hasText: 'Gone' }).waitFor();
    await page()
      .locator('.note.warning', { hasText: /More expensive: \$.*before.*now/ })
      .waitFor();
    await workbench.shot('03-gone');
    assert.deepEqual(await ids(), [first]);
    market.mark('goneOffers', second, false);
    market.setPrice(machine.id, market.pricePerGpu(machine) / 2);
    await page().locator('#button-refresh').click();
    await until('both again', async () => (await ids()).length === 2);
    assert.equal(await page().locator('.note').count(), 0);
  });

  it('keeps what was there when the look fails, and says so', async () => {
    session().simulator.fail({ kind: 'error', path: '/api/v0/bundles/', times: 3, status: 400, msg: 'No.' });
    await page().locator('#button-refresh').click();
    await page().locator('.notice.error', { hasText: 'not known' }).waitFor();
    assert.equal((await headings()).length, 2);
    await workbench.shot('04-failed');
    session().simulator.faults.clear();
    await page().locator('.notice.error button').click();
    await page().locator('.notice.error').waitFor({ state: 'detached' });
    await looked();
  });

  it('leads from a column into the steps of a rental by keyboard, and rents nothing by itself', async () => {
    const [, second = 0] = await ids();
    await page().locator(`[id="compare-rent:${second}"]`).focus();
    await workbench.page.keyboard.press('Enter');
    await workbench.quick.waitForTitle('Rent: Template or Image');
    await workbench.page.mouse.move(700, 700);
    await workbench.quick.titleButton('Keep the Defaults and Review').focus();
    await workbench.page.keyboard.press('Enter');
    await workbench.quick.waitForTitle('Rent: Confirm');
    const [heading = ''] = (await headings()).slice(1);
    const name = heading.replace(/ Rent….*$/, '');
    await workbench.quick.rows.filter({ hasText: name }).first().waitFor();
    await workbench.shot('05-confirm');
    assert.deepEqual(rentals(), []);
    await workbench.page.keyboard.press('Escape');
  });

  it('pins up to four by the keyboard alone, and says when there are too many', async () => {
    await openSearch();
    await workbench.page.keyboard.type('/');
    await workbench.quick.waitForTitle('Search Offers: Filters');
    await workbench.page.keyboard.type('compare');
    await workbench.quick.row('Compare Offers…').waitFor();
    await workbench.page.keyboard.press('Enter');
    await workbench.quick.waitForTitle('Search Offers: Compare');
    await workbench.shot('06-tick');
    // The pinned ones stand first and are ticked.
    await tick([2, 3, 4], 2);
    await workbench.page.keyboard.press('Enter');
    await workbench.quick.waitForTitle('Tick 2 to 4 offers; 5 are ticked');
    await workbench.shot('07-too-many');
    await workbench.page.keyboard.press('Space');
    await ticked(4);
    await workbench.page.keyboard.press('Enter');
    await until('four columns', async () => (await headings()).length === 4);
    await workbench.shot('08-four');
  });

  it('unpins, and asks for another offer where one is left', async () => {
    for (let left = 3; left >= 1; left -= 1) {
      await page().locator('.comparison button', { hasText: 'Unpin' }).first().click();
      await until('one column less', async () => (await headings()).length === left);
    }
    await page().locator('.notice', { hasText: 'Pin another offer' }).waitFor();
    await workbench.shot('09-one');
    await page().locator('.comparison button', { hasText: 'Unpin' }).click();
    await page().locator('.notice', { hasText: 'No offer is pinned' }).waitFor();
  });

  it('does not run or draw hostile names', async () => {
    const { json } = await session().simulator.call('POST', '/api/v0/bundles/', {
      limit: 2,
      verified: { eq: true },
      rentable: { eq: true },
      external: { eq: false },
    });
    const hostile = '<img src=x onerror="document.title=1">\u202eevil\n';
    const offers = (json.offers as Record<string, unknown>[]).map((offer) => ({
      ...offer,
      gpu_name: hostile,
      cpu_name: hostile,
      geolocation: hostile,
    }));
    session().simulator.fail({
      kind: 'answer',
      path: '/api/v0/bundles/',
      times: 0,
      status: 200,
      body: { offers },
    });
    await openSearch();
    await workbench.quick.rows.filter({ hasText: 'onerror' }).first().waitFor({ timeout: 70_000 });
    // The pointer stands where the hover of the box would cover the button.
    await workbench.page.mouse.move(700, 700);
    await workbench.quick.titleButton('Compare Offers…').click();
    await workbench.quick.waitForTitle('Search Offers: Compare');
    await workbench.quick.rows.nth(1).waitFor();
    await tick([0, 1], 0);
    await workbench.page.keyboard.press('Enter');
    await until('the hostile names as text', async () =>
      (await headings()).every((text) => text.includes('<img src=x')),
    );
    assert.equal(await page().locator('.comparison img').count(), 0);
    assert.doesNotMatch((await row('Processor')).join(), /[\u202e\n]/);
    await workbench.shot('10-hostile');
    session().simulator.faults.clear();
  });

  it('can be read in light, dark and high contrast', async () => {
    for (const theme of ['Dark Modern', 'Dark High Contrast', 'Light High Contrast', 'Light Modern']) {
      await workbench.chooseTheme(theme);
      await page().locator('.comparison').waitFor();
      assert.deepEqual(await accessibilityFaults(workbench.webview()), [], theme);
      await workbench.shot(`11-compare-${theme}`);
    }
  });

  it('logs no error in the page', () => {
    assert.deepEqual(workbench.errors, []);
  });
});
