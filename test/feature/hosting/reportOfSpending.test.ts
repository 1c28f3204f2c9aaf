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
