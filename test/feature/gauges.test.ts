import assert from 'node:assert/strict';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('the gauges of an instance', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let id: number;

  before(async () => {
    id = await computer().rentRunning({ label: 'trainer' });
    window = await computer().openSignedIn();
    window.clearToasts();
  });

  it('are in its row while it runs, without a request of their own', async () => {
    const row = await window.view('instances').row('trainer');
    assert.match(row.text, /Running · GPU \d+0 % RAM \d+0 % disk \d+ %/);
    const lists = () => computer().simulator.received('GET').length;
    const before = lists();
    await window.view('instances').tooltip('trainer');
    assert.equal(lists(), before);
  });

  it('show the last hour in the tooltip and the details', async () => {
    const instance = computer().simulator.world.instance(id);
    assert.ok(instance);
    instance.gpuUse = 0;
    await computer().pass(20 * 60_000);
    instance.gpuUse = 100;
    await computer().pass(20 * 60_000);
    const tooltip = await window.view('instances').tooltip('trainer');
    assert.match(tooltip, /GPU\\?, last hour\*\*: 100 \\?% ·*\S*▁{3,}.?█{3,}/);
    assert.match(tooltip, /Memory\\?, last hour/);
    window.start('gpuRental.instance.showDetails', { instanceId: id });
    const document = await window.document('"lastHour"');
    assert.match(document.getText(), /"gpu": "\S*▁+.?█+ 100 %"/);
  });

  it('are known to a window that opens later', async () => {
    const second = await computer().openWindow();
    await second.view('instances').row('trainer');
    assert.match(await second.view('instances').tooltip('trainer'), /▁{3,}.?█{3,}/);
  });

  it('are gone from the row of one that is stopped, which keeps old figures', async () => {
    await window.view('instances').menu('trainer', 'Stop…');
    await window.dialogButton('Stop');
    await window.toast(/^Stopping “trainer”/);
    const row = await window.view('instances').row('Stopped');
    assert.doesNotMatch(row.text, /GPU \d+ %/);
  });
});
