import assert from 'node:assert/strict';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('living with instances', () => {
  const computer = useComputer({ secrets: ['very-secret-value'] });
  let window: FeatureWindow;
  let first: number;
  let second: number;
  const instances = () => window.view('instances');
  const puts = (id: number) => computer().simulator.received('PUT', `/api/v0/instances/${id}/`);
  const bodies = (id: number) => puts(id).map(({ body }) => body);

  before(async () => {
    first = await computer().rentRunning({
      label: 'trainer',
      env: { TOKEN: 'very-secret-value' },
      disk: 30,
    });
    second = await computer().rentRunning({ label: 'helper' });
    window = await computer().openSignedIn();
    await instances().row('trainer');
    window.clearToasts();
  });

  it('shows in the status bar what is running, what it costs and how long the credit lasts', async () => {
    await window.statusShows(/2 running · \$\d+\.\d+\/h · credit for ./);
  });

  it('asks before a stop, shows what still costs money, and stops', async () => {
    await instances().menu('trainer', 'Stop…');
    const { text, detail } = await window.dialog();
    assert.match(`${text} ${detail}`, /still costs \$\d+\.\d+\/day/);
    assert.match(`${text} ${detail}`, /If another user then rents the GPU/);
    assert.deepEqual(bodies(first), []);
    await window.dialogButton('Stop');
    const [price = ''] = /\$\d+\.\d+\/day/.exec(`${text} ${detail}`) ?? [];
    assert.ok((await window.toast(/Storage still costs/)).text.includes(price), price);
    const row = await instances().row(/trainer.*Stopped|Stopped.*trainer/);
    assert.ok(row.text.includes(price), `${price} in ${row.text}`);
    assert.deepEqual(bodies(first), [{ state: 'stopped' }]);
  });

  it('shows a stop from the moment it is sent, and its end within seconds', async () => {
    computer().simulator.fail({
      kind: 'delay',
      method: 'PUT',
      path: `/api/v0/instances/${second}/`,
      delayMs: 4000,
    });
    await instances().menu('helper', 'Stop…');
    const since = computer().clock.elapsed();
    await window.dialogButton('Stop');
    await instances().row(/helper.*Stopping|Stopping.*helper/);
    assert.ok(computer().clock.elapsed() - since < 1000, 'the row follows the request');
    await instances().row(/helper.*Stopped|Stopped.*helper/);
    assert.ok(computer().clock.elapsed() - since < 12_000);
    window.clearToasts();
    await instances().menu('helper', 'Start…');
    await window.dialogButton('Start');
    await window.toast(/helper is ready/);
  });

  it('starts it again and shows when it is ready', async () => {
    window.clearToasts();
    await instances().menu('trainer', 'Start…');
    await window.dialogButton('Start');
    await window.toast(/trainer is ready/);
    await instances().row(/trainer.*Running|Running.*trainer/);
    window.clearToasts();
  });

  it('renames and keeps what the rental is found by', async () => {
    await instances().menu('trainer', 'Rename…');
    await window.quick.title(/Rename/);
    await window.quick.type('tuned');
    await instances().row('tuned');
    assert.equal(computer().simulator.world.instance(first)?.label, 'tuned');
  });

  it('shows the details with secrets masked', async () => {
    window.start('gpuRental.instance.showDetails', { instanceId: first });
    await window.document('"state"');
  });

  it('runs a command of the service and shows its output', async () => {
    window.start('gpuRental.instance.runCommand', { instanceId: first });
    await window.quick.title(/Run Command/);
    await window.quick.type('ls', { enter: false });
    await window.quick.message('2 of 512');
    await window.quick.enter();
    await window.document('$ ls');
    assert.equal(computer().simulator.received('PUT', `/api/v0/instances/command/${first}/`).length, 1);
  });

  it('shows the log in a read-only document', async () => {
    window.start('gpuRental.instance.showLogs', { instanceId: first });
    const log = await computer().until('the log', () =>
      window.screen.documents.shown.find(({ fileName }) => fileName.endsWith('tuned.log')),
    );
    await computer().until('its lines', () => log.getText().includes('run type: ssh'));
    const asked = () =>
      computer().simulator.received('PUT', `/api/v0/instances/request_logs/${first}/`).length;
    assert.ok(asked() > 0);
    const askedIn = async (ms: number) => {
      const before = asked();
      await computer().pass(ms);
      return asked() - before;
    };
    // Each look is two requests, so the log is read every 15 seconds, in the window in use alone.
    assert.deepEqual([await askedIn(14_000), await askedIn(2000)], [0, 1]);
    assert.ok((await askedIn(30_000)) > 0);
    window.screen.focus(false);
    assert.equal(await askedIn(60_000), 0);
    window.screen.focus(true);
    assert.ok((await askedIn(16_000)) > 0);
  });

  it('stops several at once, and shows which of them was not', async () => {
    window.clearToasts();
    const before = [first, second].map((id) => puts(id).length);
    const path = `/api/v0/instances/${second}/`;
    computer().simulator.fail({ kind: 'error', status: 400, error: 'invalid_request', method: 'PUT', path });
    await instances().menu('helper', 'Stop…', ['tuned']);
    assert.match((await window.dialog('If another user then rents the GPU')).text, /2 instances/);
    await window.dialogButton('Stop');
    const { text, detail } = await window.dialog('Some instances are unchanged and still cost money');
    assert.match(`${text} ${detail}`, /helper is unchanged and still costs \$/);
    assert.doesNotMatch(`${text} ${detail}`, /tuned/);
    await window.dialogButton('OK');
    await window.toast(/Stopping “tuned”/);
    assert.deepEqual(
      [first, second].map((id, index) => puts(id).length - (before[index] ?? 0)),
      [1, 1],
    );
    await instances().row(/tuned.*Stopped|Stopped.*tuned/);
  });

  it('finds out what became of a start whose answer was lost', async () => {
    const { simulator } = computer();
    const path = `/api/v0/instances/${first}/`;
    const before = puts(first).length;
    window.clearToasts();
    simulator.fail({ kind: 'dropBefore', method: 'PUT', path });
    await instances().menu('tuned', 'Start…');
    await window.dialogButton('Start');
    await window.toast(/^tuned is unchanged and still costs \$\S+\. .*nothing has changed/s);
    simulator.fail({ kind: 'dropAfter', method: 'PUT', path });
    simulator.fail({ kind: 'dropBefore', method: 'GET', path, times: 0 });
    await window.toastButton(/is unchanged/, 'Retry');
    await window.dialogButton('Start');
    await computer().until('the request', () => puts(first).length === before + 2);
    // A user who does not wait for the last look is told what is known.
    await window.toastButton(/^Starting/, 'Cancel');
    await window.toast(/so tuned may be running.*If it is, it costs \$/s);
    simulator.faults.clear();
    await window.toastButton(/may be running/, 'Refresh');
    await window.toast(/tuned is ready/);
    assert.equal(puts(first).length, before + 2);
  });

  it('finds a stop done whose answer was lost, and reports it as if the answer had arrived', async () => {
    const before = puts(first).length;
    window.clearToasts();
    computer().simulator.fail({ kind: 'dropAfter', method: 'PUT', path: `/api/v0/instances/${first}/` });
    await instances().menu('tuned', 'Stop…');
    await window.dialogButton('Stop');
    await window.toast(/Stopping “tuned”. Storage still costs/);
    assert.equal(puts(first).length, before + 1);
    await instances().row(/tuned.*Stopped|Stopped.*tuned/);
  });

  it('reports a destroy as not confirmed if the service still lists the instance', async () => {
    window.clearToasts();
    const { simulator } = computer();
    const path = `/api/v0/instances/${second}/`;
    simulator.fail({ kind: 'answer', method: 'DELETE', path, status: 200, body: { success: true } });
    await instances().menu('helper', 'Destroy…');
    await window.dialogButton('Destroy');
    await computer().until('the request', () => simulator.received('DELETE', path).length === 1);
    await window.toastButton(/^Destroying “helper”…/, 'Cancel');
    await window.toast(/not confirmed that helper is destroyed.*if it remains/s);
    assert.ok(simulator.world.instance(second));
    assert.equal(simulator.received('DELETE', path).length, 1);
  });

  it('names those of several that could not be destroyed, with the reasons', async () => {
    window.clearToasts();
    const { simulator } = computer();
    for (const id of [first, second]) {
      const path = `/api/v0/instances/${id}/`;
      const body = { success: false, error: 'invalid_args', msg: 'Not now' };
      simulator.fail({ kind: 'answer', method: 'DELETE', path, status: 400, body });
    }
    await instances().menu('helper', 'Destroy…', ['tuned']);
    await window.dialogButton('Destroy');
    const dialog = await window.dialog(/Some instances are unchanged and still cost money/);
    const { text, detail } = dialog;
    assert.match(`${text} ${detail}`, /helper: The service did not accept/);
    assert.match(`${text} ${detail}`, /^tuned: The service did not accept/m);
    dialog.close();
    assert.equal(simulator.world.instances.length, 2);
  });

  it('destroys several at once, after one question that names them, and reads back', async () => {
    window.clearToasts();
    const { simulator } = computer();
    await instances().menu('helper', 'Destroy…', ['tuned']);
    const { text, detail } = await window.dialog(/lost for good/);
    assert.match(`${text} ${detail}`, /tuned/);
    assert.match(`${text} ${detail}`, /helper/);
    await window.dialogButton('Destroy');
    await window.toast(/Destroyed, and no longer listed by the service: /);
    assert.deepEqual(simulator.world.instances, []);
    for (const [id, times] of [
      [first, 2],
      [second, 3],
    ]) {
      assert.equal(simulator.received('DELETE', `/api/v0/instances/${id}/`).length, times);
      assert.ok(simulator.received('GET', `/api/v0/instances/${id}/`).length >= 1);
    }
    await instances().noRow('tuned');
  });
});
