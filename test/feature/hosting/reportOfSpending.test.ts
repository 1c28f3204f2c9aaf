import assert from 'node:assert/strict';
import { PageDriver } from '../../support/feature/pageDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('the report of spending', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let spending: PageDriver;
  const denied = { status: 403, error: 'not_authorized', msg: 'No.' } as const;

  before(async () => {
    window = await computer().openWindow();
    spending = new PageDriver(window, 'spending');
    await window.signIn();
    window.clearToasts();
    window.run('Show My Spending');
    await spending.shows('its figures', ({ sections }) => sections.length > 0);
  });

  it('shows that charges are left out if there are more than it reads', async () => {
    const start = computer().clock.now() / 1000;
    const results = [{ start, end: start, type: 'instance', source: 'instance-5', amount: 1, items: [] }];
    const body = { success: true, count: 1, total: 9000, next_token: 'more', results };
    computer().simulator.fail({ kind: 'answer', path: '/api/v0/charges/', status: 200, body, times: 2 });
    await spending.press('Refresh');
    const { severity } = await spending.notice(/more charges than could be read, so the oldest are left out/);
    assert.equal(severity, 'warning');
    await spending.press('Refresh');
    await spending.shows('all', ({ notices }) => notices.every((one) => one.severity === 'info'));
  });

  it('shows what was paid in beside what was spent, and by how much they differ', async () => {
    const { tiles } = spending.view;
    const tile = (label: string) => tiles.find((one) => one.label === label)?.value ?? '';
    // The payment that is open does not count.
    assert.equal(tile('Paid in, less refunds'), '$47.00');
    const spent = Number(tile('Spent in this period').replace('$', ''));
    const { text } = await spending.notice(/more than you (?:spent|paid in)/);
    const difference = Number(/\$(\d+\.\d\d)/.exec(text)?.[1]);
    assert.equal(Math.abs(47 - spent).toFixed(2), difference.toFixed(2), `${spent} and ${text}`);
    assert.deepEqual(
      spending.rows('invoices').map((cells) => cells.slice(1)),
      [
        ['Credit', 'coinbase', 'Top-up', '#3304', 'not paid yet', '$20.00'],
        ['Refund', 'stripe_payments', 'Refund of a top-up', '#3303', 'paid', '-$8.00'],
        ['Credit', 'transfer', 'Promotional credit', '#3302', 'paid', '$5.00'],
        ['Credit', 'stripe_payments', 'Top-up', '#3301', 'paid', '$50.00'],
      ],
    );
  });

  it('adds up what instances with the same label cost, without the mark of a rental', async () => {
    const at = computer().clock.now() / 1000 - 86_400;
    const row = (id: number, amount: number, label?: string | null) => ({
      ...{ start: at, end: at + 60, type: 'instance', source: `instance-${id}`, amount, items: [] },
      metadata: { label },
    });
    const results = [
      row(5, 1, 'ben-train [gr-0123abcd]'),
      row(6, 2, 'ben-train [gr-4567abcd]'),
      row(7, 4, '\u202e'),
      row(8, 8, null),
      row(9, 16, 'ana'),
    ];
    const body = { success: true, count: 5, total: 5, next_token: null, results };
    computer().simulator.fail({ kind: 'answer', path: '/api/v0/charges/', status: 200, body });
    await spending.press('Refresh');
    await spending.shows('the labels', () => spending.rows('labels').length === 3);
    assert.deepEqual(spending.rows('labels'), [
      ['ana', '$16.00'],
      ['no label', '$12.00'],
      ['ben-train', '$3.00'],
    ]);
    assert.match(spending.section('labels').table.caption, /does not record which person of a team spent it/);
    await spending.press('Refresh');
    await spending.shows('all', () => spending.rows('labels').every(([label]) => label !== 'ana'));
  });

  it('shows the charges where invoices can not be read, and names no difference then', async () => {
    const path = '/api/v1/invoices/';
    computer().simulator.fail({ kind: 'error', method: 'GET', path, times: 0, ...denied });
    await spending.press('Refresh');
    await spending.notice(/^Could not read invoices, payments and credits\. \S/);
    assert.ok(spending.rows('sources').length > 0);
    assert.ok(!spending.view.sections.some(({ id }) => id === 'invoices'));
    assert.ok(!spending.view.notices.some(({ text }) => /more than you/.test(text)));
    computer().simulator.faults.clear();
    const body = { success: true, count: 1, total: 1, results: [{ type: 'credit' }, { amount: -1 }] };
    computer().simulator.fail({ kind: 'answer', path, status: 200, body });
    await spending.press('Refresh');
    await spending.notice(/Some invoices, payments or credits could not be read/);
    assert.equal(
      spending.view.tiles.find(({ label }) => label === 'Paid in, less refunds')?.value,
      'unknown',
    );
    assert.ok(!spending.view.notices.some(({ text }) => /more than you/.test(text)));
  });

  it('leads to the invoices in the web console, which this marketplace has not', async () => {
    await spending.press('Open Web Console');
    await window.toast(/has no web console/);
    window.clearToasts();
    await spending.press('Refresh');
    await spending.shows('all', () => spending.rows('invoices').length === 4);
  });

  it('estimates nothing from a list of instances that could not be read', async () => {
    const { json } = await computer().simulator.call('POST', '/__sim/accounts/', { credit: 10 });
    computer().simulator.fail({ kind: 'html500', path: '/api/v1/instances/', times: 0 });
    computer().simulator.fail({
      kind: 'error',
      method: 'GET',
      path: '/api/v0/charges/',
      times: 0,
      ...denied,
    });
    await window.signIn((json as { key: string }).key);
    window.run('Show My Spending');
    const { notices, tiles } = await spending.shows('why', (view) => view.notices.length > 0);
    assert.deepEqual([notices.map(({ severity }) => severity), tiles], [['error'], []]);
    computer().simulator.faults.clear();
    computer().simulator.fail({
      kind: 'error',
      method: 'GET',
      path: '/api/v0/charges/',
      times: 0,
      ...denied,
    });
    const body = { success: true, instances_found: 2, instances: [] };
    computer().simulator.fail({ kind: 'answer', path: '/api/v1/instances/', status: 200, body, times: 0 });
    await spending.press('Retry');
    await spending.notice('Instances that could not be read, or whose price is unknown, are left out.');
    window.clearToasts();
  });
});
