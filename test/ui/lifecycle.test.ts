import assert from 'node:assert/strict';
import { signIn } from '../support/journey';
import { rentRunning } from '../support/rentRunning';
import { lastingToasts, useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('living with instances', function () {
  this.timeout(240_000);
  const session = useUiSession('lifecycle', {
    simulator: { speed: 20, sshServer: 'auto' },
    patches: lastingToasts,
  });
  let workbench: Workbench;
  let first: number;
  let second: number;
  const instances = () => workbench.view('Instances');
  const row = (name: string | RegExp) => instances().row(name);
  const puts = (id: number) => session().simulator.received('PUT', `/api/v0/instances/${id}/`);

  before(async () => {
    const { simulator } = session();
    first = await rentRunning(simulator, { label: 'trainer', env: { TOKEN: 'very-secret-value' } });
    second = await rentRunning(simulator, { label: 'helper' });
    workbench = await session().window();
    await signIn(session(), workbench);
    await row('trainer').waitFor();
    await workbench.clearNotifications();
  });

  it('shows in the status bar what runs, what it costs and how long the credit lasts', async () => {
    const text = await until('the status bar', async () => {
      const shown = await workbench.statusText('gpuRental.status').catch(() => '');
      // Until the volumes are read it is at least so much.
      return /left/.test(shown) && !shown.includes('≥') ? shown : undefined;
    });
    assert.match(text, /2 running · \$\d+\.\d+\/h · .* left/);
    await workbench.shot('01-status-bar');
  });

  it('asks before a stop, says what goes on costing, and stops', async () => {
    await instances().contextMenu(row('trainer'), /^Stop…$/);
    await workbench.dialog.waitFor();
    const said = await workbench.dialog.innerText();
    assert.match(said, /goes on costing \$\d+\.\d+\/day/);
    assert.match(said, /rented by somebody else/);
    await workbench.shot('02-stop');
    assert.deepEqual(puts(first), []);
    await workbench.dialogButton('Stop');
    await workbench.toast(/Its disk still bills/);
    await workbench.shot('03-stopping');
    await row('trainer').filter({ hasText: 'Stopped' }).waitFor({ timeout: 60_000 });
    assert.deepEqual(
      puts(first).map(({ body }) => body),
      [{ state: 'stopped' }],
    );
    await workbench.shot('04-stopped');
  });

  it('starts it again and says when it is ready', async () => {
    await workbench.clearNotifications();
    await instances().contextMenu(row('trainer'), /^Start…$/);
    await workbench.dialogButton('Start');
    await workbench.toast(/trainer is ready/, 90_000);
    await row('trainer').filter({ hasText: 'Running' }).waitFor();
    await workbench.shot('05-ready-again');
    await workbench.clearNotifications();
  });

  it('renames and keeps what the rental is found by', async () => {
    await instances().contextMenu(row('trainer'), /^Rename…$/);
    await workbench.quick.waitForTitle(/Rename/);
    await workbench.quick.type('tuned');
    await row('tuned').waitFor();
    assert.equal(session().simulator.world.instance(first)?.label, 'tuned');
  });

  it('shows the details with secrets masked', async () => {
    await instances().contextMenu(row('tuned'), /^Show Details$/);
    const editor = workbench.page.locator('.editor-instance .view-lines');
    await until('the document', async () => (await editor.innerText()).includes('"state"'));
    await workbench.shot('06-details');
    assert.ok(!(await editor.innerText()).includes('very-secret-value'));
  });

  it('runs a command of the service and shows its output', async () => {
    await instances().contextMenu(row('tuned'), /^Run Command on Instance…$/);
    await workbench.quick.waitForTitle(/Run a Command/);
    await workbench.quick.type('ls', { enter: false });
    await until('the characters to be counted', async () =>
      (await workbench.quick.message()).includes('2 of 512'),
    );
    await workbench.page.keyboard.press('Enter');
    // The document in front until then shows prices.
    await workbench.page.locator('.tab.active', { hasText: 'tuned.txt' }).waitFor({ timeout: 60_000 });
    const editor = workbench.page.locator('.editor-instance .view-lines');
    await until('the output', async () => (await editor.innerText()).includes('$'));
    await workbench.shot('07-command');
    assert.equal(session().simulator.received('PUT', `/api/v0/instances/command/${first}/`).length, 1);
  });

  it('shows the log in a read-only document', async () => {
    await instances().contextMenu(row('tuned'), /^Show Log of Instance$/);
    await until(
      'the log',
      () => session().simulator.received('PUT', `/api/v0/instances/request_logs/${first}/`).length > 0,
    );
    await workbench.page.locator('.tab', { hasText: 'tuned.log' }).waitFor({ timeout: 60_000 });
    await workbench.shot('08-log');
  });

  it('stops several at once, and says which of them was not', async () => {
    await workbench.clearNotifications();
    const before = [first, second].map((id) => puts(id).length);
    const path = `/api/v0/instances/${second}/`;
    session().simulator.fail({ kind: 'error', status: 400, error: 'invalid_request', method: 'PUT', path });
    await row('tuned').click();
    await row('helper').click({ modifiers: ['ControlOrMeta'] });
    await instances().contextMenu(row('helper'), /^Stop…$/);
    const question = workbench.dialog.filter({ hasText: 'rented by somebody else' });
    await question.waitFor();
    assert.match(await question.innerText(), /2 instances/);
    await workbench.dialogButton('Stop');
    const result = workbench.dialog.filter({ hasText: 'Some instances could not be stopped' });
    await result.waitFor();
    assert.match(await result.innerText(), /helper was not stopped and goes on costing \$/);
    assert.doesNotMatch(await result.innerText(), /tuned/);
    await workbench.shot('11-one-not-stopped');
    await workbench.dialogButton('OK');
    await workbench.toast(/tuned is being stopped/);
    assert.deepEqual(
      [first, second].map((id, index) => puts(id).length - (before[index] ?? 0)),
      [1, 1],
    );
    await row('tuned').filter({ hasText: 'Stopped' }).waitFor({ timeout: 60_000 });
  });

  it('finds out what became of a start whose answer was lost', async () => {
    const { simulator } = session();
    const path = `/api/v0/instances/${first}/`;
    const before = puts(first).length;
    await workbench.clearNotifications();
    simulator.fail({ kind: 'dropBefore', method: 'PUT', path });
    await row('tuned').click();
    await instances().contextMenu(row('tuned'), /^Start…$/);
    await workbench.dialogButton('Start');
    await workbench.toast(/tuned was not started and costs \$\S+ as before.*answer was lost/, 60_000);
    await workbench.shot('13-not-started');
    simulator.fail({ kind: 'dropAfter', method: 'PUT', path });
    simulator.fail({ kind: 'dropBefore', method: 'GET', path, times: 0 });
    await workbench.toastButton(/was not started/, 'Try Again');
    await workbench.dialogButton('Start');
    await until('the request', () => puts(first).length === before + 2);
    // Whoever does not want to wait for the last look is told what is known.
    await workbench.toastButton(/Starting/, 'Cancel');
    await workbench.toast(/It is not known whether tuned was started.*If it was, it costs \$/);
    await workbench.shot('14-start-not-known');
    simulator.faults.clear();
    await workbench.toastButton(/It is not known/, 'Refresh');
    await workbench.toast(/tuned is ready/, 90_000);
    assert.equal(puts(first).length, before + 2);
  });

  it('finds a stop done whose answer was lost, and says so as if it had come', async () => {
    const before = puts(first).length;
    await workbench.clearNotifications();
    const path = `/api/v0/instances/${first}/`;
    session().simulator.fail({ kind: 'dropAfter', method: 'PUT', path });
    await instances().contextMenu(row('tuned'), /^Stop…$/);
    await workbench.dialogButton('Stop');
    await workbench.toast(/tuned is being stopped. Its disk still bills/, 60_000);
    assert.equal(puts(first).length, before + 1);
    await row('tuned').filter({ hasText: 'Stopped' }).waitFor({ timeout: 60_000 });
  });

  it('says that it is not confirmed where the service still has what it said it destroyed', async () => {
    await workbench.clearNotifications();
    const path = `/api/v0/instances/${second}/`;
    session().simulator.fail({
      kind: 'answer',
      method: 'DELETE',
      path,
      status: 200,
      body: { success: true },
    });
    await row('helper').click();
    await instances().contextMenu(row('helper'), /^Destroy…$/);
    await workbench.dialogButton('Destroy');
    await until('the request', () => session().simulator.received('DELETE', path).length === 1);
    // Whoever does not want to wait for the last look is told what is known.
    await workbench.toastButton(/Destroying/, 'Cancel');
    await workbench.toast(/It is not confirmed that helper is destroyed.*still being checked/);
    await workbench.shot('12-not-confirmed');
    assert.ok(session().simulator.world.instance(second));
    assert.equal(session().simulator.received('DELETE', path).length, 1);
  });

  it('destroys several at once, after one question that names them, and reads back', async () => {
    await workbench.clearNotifications();
    await row('tuned').click();
    await row('helper').click({ modifiers: ['ControlOrMeta'] });
    await instances().contextMenu(row('helper'), /^Destroy…$/);
    await workbench.dialog.waitFor();
    const said = await workbench.dialog.innerText();
    assert.match(said, /tuned/);
    assert.match(said, /helper/);
    assert.match(said, /lost for good/);
    await workbench.shot('09-destroy');
    await workbench.dialogButton('Destroy');
    await workbench.toast(/2 instances are destroyed/, 60_000);
    assert.deepEqual(session().simulator.world.instances, []);
    for (const [id, times] of [
      [first, 1],
      [second, 2],
    ]) {
      assert.equal(session().simulator.received('DELETE', `/api/v0/instances/${id}/`).length, times);
      assert.ok(session().simulator.received('GET', `/api/v0/instances/${id}/`).length >= 1);
    }
    await until('the empty list', async () => (await row('tuned').count()) === 0);
    await workbench.shot('10-gone');
  });
});
