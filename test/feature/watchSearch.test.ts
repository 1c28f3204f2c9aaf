import assert from 'node:assert/strict';
import { forgetMatchMs } from '../../src/model/offers/searchWatch';
import { useComputer } from '../support/feature/useComputer';
import type { Wanted } from '../support/feature/wanted';
import type { FeatureWindow } from '../support/feature/window';

describe('watching a search', () => {
  const computer = useComputer();
  let first: FeatureWindow;
  let second: FeatureWindow;
  let machineId: number;

  const searches = () => computer().simulator.received('POST', '/api/v0/bundles/');
  /** Searches as a watch sends them: cheapest first, with a limit. */
  const checks = () =>
    searches().filter(({ body }) => {
      const { order, dph_total } = body as { order?: unknown; dph_total?: { lte?: number } };
      return JSON.stringify(order) === '[["dph_total","asc"]]' && dph_total?.lte !== undefined;
    });
  const news = (window: FeatureWindow) => window.toasts().filter((text) => text.startsWith('Found for “'));
  const market = () => computer().simulator.world.market;

  async function manage(window: FeatureWindow): Promise<void> {
    window.run('Manage Watched Searches…');
    await window.quick.title(/^Manage Watched Searches$/);
  }

  /** Checks now, by the list of watched searches, which stays open. */
  async function check(window: FeatureWindow, watch: Wanted): Promise<void> {
    const before = searches().length;
    await manage(window);
    await window.quick.pick(watch);
    await window.quick.title(/^Watched Search: /);
    await window.quick.type('check');
    await window.quick.title(/^Manage Watched Searches$/);
    await computer().until('the answer', () => (searches()[before]?.status ?? 0) !== 0);
    await window.quick.row(/checked \d+ s ago|check \d+ s ago failed/);
  }

  before(async () => {
    first = await computer().openSignedIn();
    first.clearToasts();
  });

  it('asks for nothing while nothing is watched', async () => {
    await manage(first);
    await first.quick.row('No watched searches');
    first.quick.escape();
    await computer().pass(20 * 60_000);
    assert.deepEqual(searches(), []);
  });

  it('reads the current search, a price and a name, by keyboard alone', async () => {
    const { quick } = first;
    first.run('Search Offers…');
    await quick.type('1x 3090', { enter: false });
    await quick.row('1× RTX 3090');
    await quick.type('/', { enter: false });
    await quick.title('Search Offers: Filters');
    await quick.type('watch');
    await quick.title('Watch a Search: Price');
    await quick.type('cheap');
    await quick.message('Enter a price per hour in dollars, such as 0.25.');
    await quick.type('0.01');
    await quick.title('Watch a Search: Name');
    assert.equal(quick.open.value, 'GPU: RTX 3090 · GPUs: 1');
    await quick.type('cheap 3090');
    await first.toast(
      'Watching “cheap 3090”. A message appears when an offer costs $0.010/h or less, as long as an editor is open.',
    );
    await computer().until('the first check', () => checks()[0]?.status === 200);
    assert.deepEqual(checks()[0]?.body, {
      verified: { eq: true },
      rentable: { eq: true },
      external: { eq: false },
      gpu_name: { eq: 'RTX 3090' },
      num_gpus: { eq: 1 },
      dph_total: { lte: 0.01 },
      type: 'on-demand',
      order: [['dph_total', 'asc']],
      limit: 64,
      allocated_storage: 20,
    });
    first.clearToasts();
  });

  it('lists it in every window, with what it found', async () => {
    second = await computer().openWindow();
    second.view('instances').show();
    await manage(second);
    await second.quick.row(/^cheap 3090 up to \$0\.010\/h · none right now/);
    second.quick.escape();
    assert.deepEqual([...news(first), ...news(second)], []);
  });

  it('reports once over all windows when something is cheap enough, and leads to the offers', async () => {
    const machine = market().machines.find(
      (one) =>
        one.model.name === 'RTX 3090' &&
        one.verification === 'verified' &&
        !one.external &&
        market().freeGpus(one) > 0,
    );
    assert.ok(machine, 'the market has a free RTX 3090');
    machineId = machine.id;
    market().setPrice(machineId, 0.001);
    second.focus();
    await check(second, 'cheap 3090');
    second.quick.escape();
    const { text } = await second.toast(/^Found for “/);
    assert.match(text, /^Found for “cheap 3090”: 1× RTX 3090 24 GB at \$0\.\d+\/h\.$/);
    await computer().pass(60_000);
    assert.deepEqual(news(first), []);
    await second.toastButton(/^Found for “/, 'Show Offers');
    await second.quick.title('Search Offers: cheap 3090');
    await second.quick.row(/^1× RTX 3090.*\$0\.00/);
    second.quick.escape();
  });

  it('reports nothing when a further check finds the same, in no window', async () => {
    for (const window of [second, first]) {
      window.focus();
      await check(window, 'cheap 3090');
      await window.quick.row(/1 offer checked \d+ s ago/);
      window.quick.escape();
    }
    await computer().pass(20 * 60_000);
    assert.deepEqual([...news(first), ...news(second)], []);
  });

  it('reports again when the offer was gone for long and returned', async () => {
    market().setPrice(machineId, 1);
    await check(first, 'cheap 3090');
    await first.quick.row('none right now');
    first.quick.escape();
    await computer().pass(forgetMatchMs + 60_000);
    market().setPrice(machineId, 0.001);
    await check(first, 'cheap 3090');
    first.quick.escape();
    await first.toast(/^Found for “cheap 3090”/);
    await computer().pass(60_000);
    assert.deepEqual(news(second), []);
    first.clearToasts();
  });

  it('shows an error as such, with what matched before', async () => {
    computer().simulator.fail({
      kind: 'error',
      path: '/api/v0/bundles/',
      status: 403,
      error: 'not_authorized',
      msg: 'No.',
      times: 0,
    });
    await check(first, 'cheap 3090');
    await first.quick.row(/1 offer The check \d+ s ago failed: .+ · checked .+ ago$/);
    assert.deepEqual(news(first), []);
    computer().simulator.faults.clear();
    first.quick.escape();
  });

  it('changes its price and its name', async () => {
    const { quick } = first;
    await manage(first);
    await quick.pick('cheap 3090');
    await quick.title('Watched Search: cheap 3090');
    await quick.pick('Change the Price…');
    await quick.title('Watch a Search: Price');
    assert.equal(quick.open.value, '0.01');
    await quick.type('0.02');
    await quick.pick(/up to \$0\.020\/h/);
    await quick.pick('Rename…');
    await quick.title('Watch a Search: Name');
    await quick.type('bargain');
    await quick.row(/^bargain up to \$0\.020\/h/);
    quick.escape();
  });

  it('continues after a restart of the editor, and reports nothing twice', async () => {
    first.close();
    second.close();
    first = await computer().openWindow();
    first.focus();
    first.view('instances').show();
    const before = checks().length;
    await computer().until('a check by itself', () => checks().length > before);
    assert.deepEqual((checks().at(-1)?.body as Record<string, unknown>)['dph_total'], { lte: 0.02 });
    await computer().pass(60_000);
    assert.deepEqual(news(first), []);
  });

  it('watches the last search from the palette, and nothing where the question is left', async () => {
    const { quick } = first;
    first.run('Watch a Search…');
    await quick.title(/^Watch a Search$/);
    await quick.pick(/^The Last Search GPU: RTX 3090 · GPUs: 1/);
    await quick.title('Watch a Search: Price');
    await quick.type('0.5');
    await quick.title('Watch a Search: Name');
    await quick.back();
    await quick.title('Watch a Search: Price');
    assert.equal(quick.open.value, '0.5');
    quick.escape();
    await manage(first);
    assert.deepEqual(
      quick.rows().map((row) => row.split(' ')[0]),
      ['bargain', 'Watch'],
    );
    quick.escape();
  });

  it('is stopped in the list, and then asks for nothing', async () => {
    await manage(first);
    await first.quick.rowButton('bargain', 'Stop Watching');
    await first.quick.row('No watched searches');
    first.quick.escape();
    const before = searches().length;
    await computer().pass(20 * 60_000);
    assert.equal(searches().length, before);
  });
});
