import assert from 'node:assert/strict';
import { confirmRental, haveKey, reviewFirst, searchFor } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('an instance whose record states neither its machine nor its price', () => {
  const computer = useComputer({ simulator: { minimalRecords: true } });
  const price = /1 running · (≥ )?\$(\d+\.\d+)\/h/;

  async function shows(window: FeatureWindow): Promise<void> {
    await window.view('instances').row(/Running/);
    const [, , perHour] = price.exec(await window.statusShows(price)) ?? [];
    assert.ok(Number(perHour) > 0.05, perHour);
    await window.view('instances').row(/RTX 4090.*\$\d/);
  }

  it('has the price and the machine that were rented, also in a later window', async () => {
    await haveKey(computer());
    const window = await computer().openSignedIn();
    await searchFor(window, '1x 4090', /1× RTX 4090/);
    await reviewFirst(window, /1× RTX 4090/);
    await confirmRental(window);
    await shows(window);
    window.close();
    const later = await computer().openWindow({ isFocused: true });
    await computer().pass(5 * 60_000);
    await shows(later);
    for (const one of [window, later]) {
      one.clearToasts();
    }
  });
});

describe('a stopped instance whose record does not state the price of its disk', () => {
  const computer = useComputer();

  it('costs at most what it costs while it runs', async () => {
    const id = await computer().rentRunning({ label: 'trainer' });
    const { simulator } = computer();
    await simulator.call('PUT', `/api/v0/instances/${id}/`, { state: 'stopped' });
    await computer().pass(60_000);
    const { json } = await simulator.call('GET', '/api/v1/instances/');
    const instances = (json.instances as readonly Record<string, unknown>[]).map((record) => ({
      ...record,
      storage_cost: null,
      storage_total_cost: null,
    }));
    simulator.fail({
      ...{ kind: 'answer', method: 'GET', path: '/api/v1/instances/', times: 0, status: 200 },
      body: { ...json, instances },
    });
    const window = await computer().openSignedIn();
    await window.view('instances').row(/trainer.*≤ \$\d+\.\d+\/day.*Stopped/);
    await window.statusShows(/0 running · ≤ \$\d+\.\d+\/h · credit for ≥ \d+/);
    assert.match(window.view('instances').tree.description ?? '', /^≤ \$\d+\.\d+\/h$/);
    await window
      .view('account')
      .show()
      .row(/^Credit: .*lasts at least \d+.* with your running instances/);
  });
});

describe('a list without the instances that the service counts', () => {
  const computer = useComputer();

  it('hides no cost: status bar, view and age treat it as incomplete', async () => {
    const body = { success: true, instances_found: 2, instances: [] };
    const path = '/api/v1/instances/';
    computer().simulator.fail({ kind: 'answer', method: 'GET', path, status: 200, body, times: 0 });
    const window = await computer().openWindow();
    const instances = window.view('instances');
    await window.signIn();
    await instances.row('Instances that were not sent: 2');
    await window.statusShows(/0 running · ≥ \$0\.00\/h/);
    assert.match(instances.tree.description ?? '', /^≥ \$0\.00\/h$/);
    window.screen.focus(false);
    await computer().pass(8 * 3_600_000);
    assert.match(instances.tree.message ?? '', /^Shown as of 8 h ago\.$/);
  });
});
