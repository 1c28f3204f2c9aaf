import assert from 'node:assert/strict';
import { OfferList } from '../support/feature/offerList';
import { PageDriver } from '../support/feature/pageDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('a search for offers in trouble', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let list: OfferList;
  const quick = () => window.quick;
  const waits = () =>
    quick()
      .rows()
      .find((row) => row.startsWith('Searching in about'));

  before(async () => {
    window = await computer().openWindow();
    list = new OfferList(window);
    await window.signIn();
    window.clearToasts();
  });
  afterEach(() => {
    computer().simulator.faults.clear();
    quick().escape();
  });

  it('asks no more than the service accepts in a minute, and shows how long it waits', async () => {
    await list.open();
    await computer().pass(60_000);
    const before = list.searches().length;
    for (let presses = 0; presses < 12; presses += 1) {
      await quick().button('Search Again');
      await computer().until('its turn', () => !quick().open.busy || waits() !== undefined);
    }
    const { description, detail } = await quick().row(/^Searching in about \d+ s/);
    assert.equal(description, undefined);
    assert.equal(detail, 'The service allows only a few searches per minute.');
    assert.equal(list.searches().length, before + 8);
    await list.settled();
    assert.equal(waits(), undefined);
    assert.equal(list.searches().length, before + 9);
  });

  it('counts what the market report searched', async () => {
    await computer().pass(60_000);
    const body = { success: true, gpus: [], needs_machine: true };
    const path = '/api/v0/metrics/gpu/current/';
    computer().simulator.fail({ kind: 'answer', path, status: 200, body, times: 0 });
    const before = list.searches().length;
    const market = new PageDriver(window, 'market');
    window.run('Show GPU Market');
    for (let reads = 1; reads <= 8; reads += 1) {
      await market.shows('its figures', ({ sections }) => sections.length > 0);
      assert.equal(list.searches().length, before + reads);
      if (reads < 8) {
        await market.press('Refresh');
      }
    }
    market.panel.close();
    window.run('Search Offers…');
    await quick().row(/^Searching in about \d+ s/);
    assert.equal(list.searches().length, before + 8);
    await list.settled();
  });

  for (const { name, order, reason } of [
    {
      name: 'an error',
      order: { kind: 'error', status: 400, error: 'invalid_request', msg: 'No such field.' },
      reason: /No such field\./,
    },
    { name: 'an answer that cannot be read', order: { kind: 'html500' }, reason: /./ },
  ] as const) {
    it(`distinguishes ${name} from an empty list, keeps the offers of before, and searches again`, async () => {
      await list.open();
      const before = list.offers();
      assert.ok(before.length > 0);
      computer().simulator.fail({ ...order, path: '/api/v0/bundles/', times: 0 });
      await quick().button('Search Again');
      const { detail } = await quick().row('The search failed. Choose this row to try again.');
      assert.match(detail ?? '', reason);
      assert.match(detail ?? '', /The offers below are from less than a minute ago\.$/);
      assert.deepEqual(list.offers(), before);
      computer().simulator.faults.clear();
      await quick().pick('The search failed.');
      await list.settled();
      assert.ok(
        !quick()
          .rows()
          .some((row) => row.includes('failed')),
      );
    });
  }

  it('shows that it still searches when the list returns from the filters', async () => {
    await list.open();
    const before = list.searches().length;
    computer().simulator.fail({ kind: 'stall', path: '/api/v0/bundles/' });
    await list.sortBy('Reliability');
    await computer().until('the request', () => list.searches().length > before);
    await list.pick('Show Offers');
    await quick().title(/^Search Offers$/);
    assert.ok(quick().open.busy);
    await list.sortBy('Best Match');
    await list.back();
    assert.ok(!quick().open.busy);
  });

  it('shows that no offer matches, and leads to the filters', async () => {
    await list.open();
    await quick().type('<0.0001', { enter: false });
    await list.settled();
    assert.deepEqual(quick().rows(), [
      'Filters Price per hour: ≤ $0.0001',
      'No offers match Remove a filter or raise a limit. Press Enter to see the filters.',
    ]);
    await quick().pick('No offers match');
    await quick().title('Search Offers: Filters');
    await list.pick('Reset All Filters');
    await list.back();
    assert.ok(list.offers().length > 0);
  });

  it('cancels a search that is not needed any more', async () => {
    const { simulator } = computer();
    simulator.fail({ kind: 'stall', path: '/api/v0/bundles/' });
    const before = list.searches().length;
    window.run('Search Offers…');
    await computer().until('the request', () => list.searches().length > before);
    await quick().row('Searching…');
    quick().escape();
    await computer().until('its end', () => simulator.heldBack() === 0);
    await computer().pass(120_000);
    assert.equal(list.searches().length, before + 1);
    assert.deepEqual(window.toasts(), []);
  });
});
