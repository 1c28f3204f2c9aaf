import assert from 'node:assert/strict';
import { PageDriver } from '../support/feature/pageDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const path = '/api/v0/instances/balance/{id}/';

describe('the reserved discount on the page of an instance', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let page: PageDriver;
  const reads = () => computer().simulator.received('GET', /\/instances\/balance\//).length;
  const hasDeposit = () => page.view.sections.some(({ id }) => id === 'deposit');

  before(async () => {
    await computer().rentRunning({ label: 'trainer' });
    await computer().rentRunning({ label: 'spot', price: 0.2 });
    window = await computer().openSignedIn();
    page = new PageDriver(window, 'instance');
    // As the service lists a machine with the usual discount.
    const list = '/api/v1/instances/';
    const { json } = await computer().simulator.call('GET', list);
    const instances = (json.instances as readonly object[]).map((row) => ({
      ...row,
      credit_discount_max: 0.4,
    }));
    computer().simulator.fail({ kind: 'answer', path: list, body: { ...json, instances }, times: 0 });
    window.run('Refresh');
    await computer().rest();
    await window.view('instances').menu('trainer', 'Open');
    await page.shows('the discount', hasDeposit);
  });

  it('names the days from which a deposit pays, and asks the service for nothing', () => {
    assert.deepEqual(page.rows('deposit'), [
      ['Deposit for 1 month', 'about 20 % less: pays if you keep it for at least 24 days'],
      ['Deposit for 3 months', 'about 30 % less: pays if you keep it for at least 63 days'],
      ['If it ends earlier', 'The service takes back the discount, and 5 % of it'],
    ]);
    assert.equal(reads(), 0);
  });

  it('shows what was paid in advance once the user asks, or why that can’t be read', async () => {
    const denied = { status: 403, error: 'not_authorized', msg: 'This key lacks instance_read.' } as const;
    computer().simulator.fail({ kind: 'error', method: 'GET', path, ...denied });
    await page.press('Read Deposit');
    await page.shows('why not', () => /not allowed/.test(page.rows('deposit').at(-1)?.[1] ?? ''));
    const body = { success: true, refundable_deposit: 118.4, total_discount: 9.1, discount_months: 1.79 };
    computer().simulator.fail({ kind: 'answer', path, body });
    await page.press('Read Deposit');
    await page.shows('the deposit', () => page.rows('deposit').length === 6);
    assert.deepEqual(page.rows('deposit').slice(3), [
      ['Paid back if it ends now', '$118.40'],
      ['Discount so far', '$9.10'],
      ['Discount lasts', '1.7 months'],
    ]);
    assert.equal(reads(), 2);
  });

  it('leads to the web console, and nothing here pays anything', async () => {
    await page.press('Open Web Console');
    await window.toast(/has no web console/);
    window.clearToasts();
    assert.deepEqual(computer().simulator.received('PUT', /prepay/), []);
  });

  it('does not exist for a bid', async () => {
    await window.view('instances').menu('spot', 'Open');
    await page.shows('the other instance', ({ title }) => title.includes('spot'));
    assert.equal(hasDeposit(), false);
  });
});
