import assert from 'node:assert/strict';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const path = '/api/v0/machines/maintenances';
const hourMs = 3_600_000;

describe('maintenance that a host plans', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const instances = () => window.view('instances');

  it('is a warning to its renters once, and a note in the row until it is over', async () => {
    const { simulator, clock } = computer();
    const id = await computer().rentRunning({ label: 'trainer' });
    const machineId = simulator.world.instance(id)?.machineId ?? 0;
    const start = Math.floor(clock.now() / 1000) + 8 * 3600;
    const planned = { id: 412, start_time: start, duration_hours: 3, maintenance_category: 'power\u202e' };
    const body = [
      { ...planned, machine_id: machineId },
      { ...planned, id: 413, machine_id: machineId + 1 },
      { id: 'odd' },
    ];
    simulator.fail({ kind: 'answer', method: 'POST', path, status: 200, body, times: 0 });
    window = await computer().openSignedIn();
    const warning = await window.toast(/^The host of trainer plans maintenance: .* to .* · power\. /);
    assert.deepEqual(warning.buttons.slice(-1), ['Copy Data…']);
    await instances().row(/^trainer .*maintenance: /);
    assert.match(await instances().tooltip('trainer'), /power/);
    window.clearToasts();
    // One request for all machines, and no other for hours.
    const before = simulator.received('POST', path).length;
    await computer().pass(5 * hourMs);
    assert.equal(simulator.received('POST', path).length, before);
    await computer().pass(7 * hourMs);
    await instances().noRow(/maintenance: /);
    assert.ok(!window.toasts().some((text) => text.includes('plans maintenance')));
  });

  it('is not shown where the service refuses, and nothing else fails', async () => {
    const { simulator } = computer();
    simulator.faults.clear();
    simulator.fail({ kind: 'error', status: 404, error: 'not_found', method: 'POST', path, times: 0 });
    await computer().pass(13 * hourMs);
    assert.ok(simulator.received('POST', path).length > 1);
    await instances().row('trainer');
    assert.deepEqual(window.toasts(), []);
  });
});
