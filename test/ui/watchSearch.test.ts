import assert from 'node:assert/strict';
import { signIn } from '../support/journey';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('watching a search', function () {
  this.timeout(240_000);
  const session = useUiSession('watchSearch');
  let first: Workbench;
  let second: Workbench;

  const searches = () => session().simulator.received('POST', /^\/api\/v0\/bundles\//);
  /** Searches as a watch sends them: cheapest first, with a limit. */
  const checks = () =>
    searches().filter(({ body }) => {
      const { order, dph_total } = body as { order?: unknown; dph_total?: { lte?: number } };
      return JSON.stringify(order) === '[["dph_total","asc"]]' && dph_total?.lte !== undefined;
    });
  const news = (workbench: Workbench) => workbench.toasts.filter({ hasText: /Found for "/ });

  async function manage(workbench: Workbench): Promise<void> {
    await workbench.run('Manage Watched Searches…');
    await workbench.quick.waitForTitle('Watched Searches');
  }

  it('asks for nothing while nothing is watched', async () => {
    first = await session().window('1');
    await signIn(session(), first);
    await first.clearNotifications();
    await manage(first);
    await first.quick.rows.filter({ hasText: 'No search is watched' }).waitFor();
    await first.shot('01-none');
    await first.page.keyboard.press('Escape');
    assert.deepEqual(searches(), []);
  });

  it('takes the search as it stands, a price and a name, by keyboard alone', async () => {
    await first.run('Search Offers…');
    await first.quick.rows.filter({ hasText: '% reliable' }).first().waitFor();
    await first.page.keyboard.type('1x 3090');
    await first.quick.rows.filter({ hasText: '1× RTX 3090' }).first().waitFor();
    await first.page.keyboard.press('Control+A');
    await first.page.keyboard.type('/');
    await first.quick.waitForTitle('Search Offers: Filters');
    await first.page.keyboard.type('watch');
    await first.quick.row('Watch This Search…').waitFor();
    await first.page.keyboard.press('Enter');
    await first.quick.waitForTitle('Watch a Search: Price');
    await first.page.keyboard.type('cheap');
    await until('the reason', async () => (await first.quick.message()).includes('Enter a price'));
    await first.shot('02-price');
    await first.quick.type('0.01');
    await first.quick.waitForTitle('Watch a Search: Name');
    assert.match(await first.quick.input.inputValue(), /^GPU: RTX 3090 · GPUs: 1$/);
    await first.shot('03-name');
    await first.quick.type('cheap 3090');
    await first.toast(/Watching "cheap 3090"/);
    await until('the first check', () => Promise.resolve(checks().length > 0));
    const body = checks()[0]?.body as Record<string, unknown>;
    assert.deepEqual(body['gpu_name'], { eq: 'RTX 3090' });
    assert.deepEqual(body['num_gpus'], { eq: 1 });
    assert.deepEqual(body['dph_total'], { lte: 0.01 });
    await first.clearNotifications();
  });

  it('lists it in every window, with what it found', async () => {
    second = await session().window('2');
    await second.openContainer('GPU Rental');
    await manage(second);
    await second.quick.rows.filter({ hasText: /cheap 3090.*up to \$0\.010\/h · none right now/ }).waitFor();
    await second.shot('04-listed');
    await second.page.keyboard.press('Escape');
    assert.equal(await news(first).count(), 0);
  });

  it('tells once over all windows when something is cheap enough, and leads to the offers', async () => {
    const { market } = session().simulator.world;
    const machine = market.machines.find(
      (one) =>
        one.model.name === 'RTX 3090' &&
        one.verification === 'verified' &&
        !one.external &&
        market.freeGpus(one) > 0,
    );
    assert.ok(machine, 'the market has a free RTX 3090');
    market.setPrice(machine.id, 0.001);
    await second.page.bringToFront();
    await manage(second);
    await second.page.keyboard.press('Enter');
    await second.quick.waitForTitle('Watched Search: cheap 3090');
    await second.shot('05-actions');
    await second.page.keyboard.type('check');
    await second.quick.row('Check Now').waitFor();
    await second.page.keyboard.press('Enter');
    await second.quick.waitForTitle(/^\s*Watched Searches/);
    await second.page.keyboard.press('Escape');
    await until('the news', async () => (await news(first).count()) + (await news(second).count()) > 0, {
      timeoutMs: 60_000,
    });
    const teller = (await news(first).count()) > 0 ? first : second;
    await teller.page.bringToFront();
    assert.match(await news(teller).innerText(), /1× RTX 3090 24 GB at \$0\.\d+\/h/);
    await teller.shot('06-news');
    const [own, other] = teller === first ? [first, second] : [second, first];
    await own.toastButton(/Found for/, 'Show Offers');
    await own.quick.waitForTitle('Search Offers: cheap 3090');
    await own.quick.rows.filter({ hasText: /1× RTX 3090.*\$0\.00/ }).waitFor();
    await own.shot('07-offers');
    await own.page.keyboard.press('Escape');
    // A further check finds the same and says nothing, in neither window.
    const before = checks().length;
    await manage(own);
    await own.page.keyboard.press('Enter');
    await own.quick.waitForTitle('Watched Search: cheap 3090');
    await own.page.keyboard.type('check');
    await own.quick.row('Check Now').waitFor();
    await own.page.keyboard.press('Enter');
    await until('another check', () => checks()[before]?.status === 200, { timeoutMs: 60_000 });
    // Opened anew, it says "checking…" until the answer was taken in.
    await own.page.keyboard.press('Escape');
    await manage(own);
    await own.quick.rows.filter({ hasText: /1 offer.*checked \d+ s ago/ }).waitFor();
    await own.page.keyboard.press('Escape');
    assert.equal(await news(own).count(), 0);
    assert.equal(await news(other).count(), 0);
  });

  it('shows an error as such, with what matched before', async () => {
    session().simulator.fail({
      kind: 'error',
      path: '/api/v0/bundles/',
      status: 403,
      error: 'not_authorized',
      msg: 'No.',
      times: 0,
    });
    const before = searches().length;
    await manage(first);
    await first.page.keyboard.press('Enter');
    await first.quick.waitForTitle('Watched Search: cheap 3090');
    await first.page.keyboard.type('check');
    await first.quick.row('Check Now').waitFor();
    await first.page.keyboard.press('Enter');
    await until('the check', () => Promise.resolve(searches().length > before), { timeoutMs: 60_000 });
    await first.quick.rows.filter({ hasText: /1 offer.*The check \d+ s ago failed: / }).waitFor();
    await first.shot('08-error');
    assert.equal(await news(first).count(), 0);
    session().simulator.faults.clear();
    await first.page.keyboard.press('Escape');
  });

  it('changes its price and its name', async () => {
    await manage(first);
    await first.page.keyboard.press('Enter');
    await first.quick.waitForTitle('Watched Search: cheap 3090');
    await first.quick.pick('Change the Price…');
    await first.quick.waitForTitle('Watched Search: Price');
    assert.equal(await first.quick.input.inputValue(), '0.01');
    await first.quick.type('0.02');
    await first.quick.pickMatching(/up to \$0\.020\/h/);
    await first.quick.pick('Rename…');
    await first.quick.waitForTitle('Watched Search: Name');
    await first.quick.type('bargain');
    await first.quick.rows.filter({ hasText: 'bargain' }).waitFor();
    await first.page.keyboard.press('Escape');
  });

  it('watches a saved or the last search from the palette', async () => {
    await first.run('Watch a Search…');
    await first.quick.waitForTitle('Watch a Search');
    await first.quick.row('The Last Search').waitFor();
    await first.shot('09-which');
    await first.page.keyboard.press('Escape');
  });

  it('is stopped in the list, and then asks for nothing', async () => {
    await manage(first);
    const row = first.quick.rows.filter({ hasText: 'bargain' });
    await row.hover();
    await row.locator('.action-label[aria-label="Stop Watching"]').click();
    await first.quick.rows.filter({ hasText: 'No search is watched' }).waitFor();
    await first.page.keyboard.press('Escape');
    assert.deepEqual(first.errors, []);
  });
});
