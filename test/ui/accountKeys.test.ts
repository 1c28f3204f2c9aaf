import assert from 'node:assert/strict';
import { DocumentEditor } from '../support/documentEditor';
import { signIn } from '../support/journey';
import { press } from '../support/press';
import { rentRunning } from '../support/rentRunning';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('keys of an account', function () {
  this.timeout(150_000);
  const session = useUiSession('account-keys', { simulator: { speed: 40 } });
  let workbench: Workbench;
  const planted: string[] = [];

  const instances = () => workbench.view('Instances');

  async function newKey(): Promise<{ key: string; key_id: number }> {
    const { json } = await session().simulator.call('POST', '/__sim/keys/', {});
    planted.push(String(json.key));
    return { key: String(json.key), key_id: Number(json.key_id) };
  }

  /** Every page believes that it has the focus by default; one that never had it does not learn that it has none. */
  async function putBehind(window: Workbench): Promise<void> {
    const devTools = await window.page.context().newCDPSession(window.page);
    await devTools.send('Emulation.setFocusEmulationEnabled', { enabled: false });
    const isInactive = async () => (await window.page.locator('.part.titlebar.inactive').count()) > 0;
    await until('the window to be behind', async () => {
      await window.page.bringToFront();
      await until('the focus', () => window.page.evaluate<boolean>('document.hasFocus()'));
      await workbench.page.bringToFront();
      return until('its title bar', isInactive, { timeoutMs: 3000 }).catch(() => false);
    });
  }

  async function giveKey(key: string): Promise<void> {
    await workbench.quick.waitForTitle('Replace Key');
    await workbench.quick.type(key);
  }

  before(async () => {
    await rentRunning(session().simulator, { label: 'trainer' });
    workbench = await session().window();
    await signIn(session(), workbench);
    await instances().row('trainer').waitFor();
  });

  it('reports a refused key once, with its causes, and keeps the last list in sight', async () => {
    const { simulator } = session();
    const spare = await newKey();
    const second = await session().window('second');
    await second.openContainer('GPU Rental');
    await second.view('Instances').row('trainer').waitFor();
    await putBehind(second);
    await workbench.clearNotifications();
    await workbench.run('Replace Key…');
    await giveKey(spare.key);
    await workbench.toast(/Replaced the key of .* in all windows/);
    await workbench.clearNotifications();
    simulator.world.keys.remove(spare.key_id);
    await workbench.run('Refresh');
    const toast = workbench.toasts.filter({ hasText: 'did not accept the API key' });
    await workbench.toast('did not accept the API key');
    await instances().row('Could not refresh').waitFor();
    await workbench.shot('05-refused');
    // The editor takes an equal message away before it shows the next one.
    await until('one message', async () => (await toast.count()) === 1);
    assert.match(
      await toast.innerText(),
      /wrong, expired or revoked, lacks a permission, or its list of IP addresses/,
    );
    assert.ok(await instances().row('trainer').isVisible());
    await instances().pane.getByText('Your instances still cost money').waitFor();
    await second.view('Instances').row('Could not refresh').waitFor();
    await second.shot('05-second-window');
    assert.equal(await second.toasts.count(), 0, 'one window asks');
    await workbench.toastButton('did not accept the API key', 'Replace Key…');
    await giveKey(simulator.apiKey);
    for (const window of [workbench, second]) {
      await window.view('Instances').row('Could not refresh').waitFor({ state: 'detached' });
      await window.view('Instances').row('trainer').waitFor();
    }
    assert.equal(await second.toasts.count(), 0);
    await second.page.close();
  });

  it('accepts the permissions of an API key as JSON, and shows what is wrong with them', async () => {
    const { quick } = workbench;
    const editor = new DocumentEditor(workbench);
    await workbench.clearNotifications();
    await workbench.run('Create API Key');
    await quick.waitForTitle('Create API Key');
    await quick.type('log reader');
    await quick.pick('Write Them as JSON…');
    await workbench.page.locator('.tab.active', { hasText: 'api-key.gpu-key.json' }).waitFor();
    await editor.line('"instance_read"').waitFor();
    await editor.replaceAll('{"name": "log reader", "permissions": {"api": {"instance_reed": {}}}}');
    await workbench.page.locator('.squiggly-warning, .squiggly-error').first().waitFor();
    await press(
      workbench.page.locator('.codelens-decoration a', { hasText: 'Create API Key from This Document' }),
    );
    await workbench.toast('instance_reed is not allowed here');
    await workbench.shot('09-json-problem');
    await workbench.clearNotifications();
    const permissions = {
      api: { instance_read: { 'api.instance.request_logs': { constraints: { id: { eq: 5 } } } } },
    };
    await editor.replaceAll(
      JSON.stringify({ name: 'log reader', permissions, ip_whitelist: ['127.0.0.1'] }, null, 2),
    );
    await workbench.shot('10-json');
    await press(
      workbench.page.locator('.codelens-decoration a', { hasText: 'Create API Key from This Document' }),
    );
    await quick.waitForTitle('API Key: Shown Only Once');
    await quick.pick('I Have Stored It');
    await workbench.page.locator('.tab', { hasText: 'api-key.gpu-key.json' }).waitFor({ state: 'detached' });
    assert.deepEqual(session().simulator.received('POST', '/api/v0/auth/apikeys/').at(-1)?.body, {
      name: 'log reader',
      permissions,
      key_params: { ip_whitelist: ['127.0.0.1'] },
    });
  });

  it('leaves no secret in a file or in the log, and causes no error', () => {
    planted.push(session().simulator.apiKey);
    assert.deepEqual(session().filesWithSecrets(planted), []);
    for (const secret of planted) {
      assert.equal(session().log().includes(secret), false);
    }
    assert.deepEqual(workbench.errors, []);
  });
});
