import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DocumentEditor } from '../support/documentEditor';
import { takeFile } from '../support/fileDialog';
import { rentRunning } from '../support/rentRunning';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

const passphrase = 'planted-pass-phrase-17';

describe('keys of an account', function () {
  this.timeout(150_000);
  const session = useUiSession('account-keys', { simulator: { speed: 40 } });
  let workbench: Workbench;
  let limitedKey: string;
  let limitedKeyId: number;
  let otherKey: string;
  const planted: string[] = [passphrase];

  const instances = () => workbench.view('Instances');
  const account = () => workbench.view('Account');
  const sshKeys = () => workbench.view('SSH Keys');
  const icon = (label: string) =>
    instances().row('trainer').locator(`.actions .action-label[aria-label^="${label}"]`);

  async function newKey(accountId?: number, permissions?: object): Promise<{ key: string; key_id: number }> {
    const { json } = await session().simulator.call('POST', '/__sim/keys/', {
      account_id: accountId,
      permissions,
    });
    planted.push(String(json.key));
    return { key: String(json.key), key_id: Number(json.key_id) };
  }

  /** Every page believes that it has the focus, unless told otherwise; one that never had it is not told that it has none. */
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
    const { simulator, root } = session();
    await rentRunning(simulator, { label: 'trainer' });
    const limited = await newKey(undefined, { api: { misc: {}, instance_read: {}, user_read: {} } });
    limitedKey = limited.key;
    limitedKeyId = limited.key_id;
    const other = await simulator.call('POST', '/__sim/accounts/', { email: 'other@example.com' });
    otherKey = String(other.json.key);
    planted.push(otherKey);
    const file = path.join(root, 'home', '.ssh', 'id_ed25519');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'laptop', '-f', file]);
    const [own] = simulator.world.accounts;
    assert.ok(own);
    own.sshKey = readFileSync(`${file}.pub`, 'utf8').trim();
    workbench = await session().window();
    await workbench.openContainer('GPU Rental');
  });

  it('shows no icon for what a restricted key may not do', async () => {
    const { quick } = workbench;
    await instances().welcomeButton('Sign In');
    await quick.waitForTitle('Sign In: Service');
    await quick.pick(session().simulator.url);
    await quick.waitForTitle('Sign In: API Key');
    await quick.type(limitedKey);
    await instances().row('trainer').hover();
    await icon('Connect').waitFor();
    await until('the icons to follow the key', async () => (await icon('Stop').count()) === 0);
    await workbench.shot('01-restricted');
    // The record of the key is read before: what it may not read is not asked for.
    assert.deepEqual(session().simulator.received('GET', '/api/v0/machines/'), []);
  });

  it('explains what the key lacks when it is chosen by name, and asks the service nothing', async () => {
    await workbench.clearNotifications();
    const before = session().simulator.received('PUT', /\/instances\//).length;
    await instances().contextMenu(instances().row('trainer'), /^Stop…/);
    await workbench.toast('lacks the permission instance_write');
    await workbench.shot('02-explained');
    assert.equal(session().simulator.received('PUT', /\/instances\//).length, before);
  });

  it('does not take the key of somebody else, and offers to add the account', async () => {
    await workbench.toastButton('lacks the permission instance_write', 'Replace Key');
    await giveKey(otherKey);
    await workbench.dialog.filter({ hasText: 'This key belongs to other@example.com' }).waitFor();
    await workbench.shot('03-somebody-else');
    await workbench.dialogButton('Cancel');
  });

  it('replaces the key and keeps everything else', async () => {
    await workbench.run('Replace Key…');
    await giveKey(session().simulator.apiKey);
    await workbench.toast('is replaced, in all windows');
    await instances().row('trainer').hover();
    await icon('Stop').waitFor();
    await workbench.shot('04-replaced');
  });

  it('tells a refused key once, with its causes, and keeps the last list in sight', async () => {
    const { simulator } = session();
    const spare = await newKey();
    const second = await session().window('second');
    await second.openContainer('GPU Rental');
    await second.view('Instances').row('trainer').waitFor();
    await putBehind(second);
    await workbench.clearNotifications();
    await workbench.run('Replace Key…');
    await giveKey(spare.key);
    await workbench.toast('is replaced, in all windows');
    await workbench.clearNotifications();
    simulator.world.keys.remove(spare.key_id);
    await workbench.run('Refresh');
    const toast = workbench.toasts.filter({ hasText: 'did not accept the API key' });
    await workbench.toast('did not accept the API key');
    await instances().row('Could not refresh').waitFor();
    await workbench.shot('05-refused');
    // The editor takes an equal message away before it shows the next one.
    await until('one message', async () => (await toast.count()) === 1);
    assert.match(await toast.innerText(), /wrong or was revoked, or its list of IP addresses/);
    assert.ok(await instances().row('trainer').isVisible());
    await instances().pane.getByText('What is rented goes on costing money').waitFor();
    await second.view('Instances').row('Could not refresh').waitFor();
    await second.shot('05-second-window');
    assert.equal(await second.toasts.count(), 0, 'one window asks');
    await workbench.toastButton('did not accept the API key', 'Replace Key');
    await giveKey(simulator.apiKey);
    for (const window of [workbench, second]) {
      await window.view('Instances').row('Could not refresh').waitFor({ state: 'detached' });
      await window.view('Instances').row('trainer').waitFor();
    }
    assert.equal(await second.toasts.count(), 0);
    await second.page.close();
  });

  it("counts the user's own SSH key among the SSH keys", async () => {
    await workbench.clearNotifications();
    await instances().header.click();
    await sshKeys().open();
    await sshKeys()
      .row(/laptop.*of your account, on this computer/s)
      .waitFor();
    await workbench.shot('06-own-key');
  });

  it('registers a public key from a file that is picked, and never a private one', async () => {
    const { quick } = workbench;
    const file = path.join(session().root, 'workspace', 'box');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'box', '-f', file]);
    const open = async (picked: string) => {
      await workbench.run('Add SSH Key…');
      await quick.waitForTitle('Add an SSH Key');
      await quick.pick('From a File…');
      await takeFile(workbench, picked);
    };
    await open(file);
    await workbench.dialog.filter({ hasText: 'This is a private key' }).waitFor();
    await workbench.shot('06-private-key');
    await workbench.dialogButton('OK');
    assert.equal(session().simulator.received('POST', '/api/v0/ssh/').length, 0);
    await open(`${file}.pub`);
    await workbench.toast('The SSH key box is registered');
    await sshKeys().row('box').waitFor();
    await workbench.clearNotifications();
  });

  it('makes an SSH key with a passphrase', async () => {
    const { quick } = workbench;
    await workbench.run('Generate SSH Key…');
    await quick.waitForTitle('Generate an SSH Key');
    await quick.type('with_phrase');
    await quick.waitForTitle('Generate an SSH Key: Passphrase');
    await quick.type('abc', { enter: false });
    await until('the reason', async () => (await quick.message()).includes('At least 5'));
    await workbench.shot('07-pass-phrase');
    await quick.type(passphrase);
    await until('the second box', async () => (await quick.message()).includes('once more'));
    await quick.type(passphrase);
    const file = path.join(session().root, 'home', '.ssh', 'with_phrase');
    await workbench.toast('is registered');
    const opened = execFileSync('ssh-keygen', ['-y', '-P', passphrase, '-f', file], { encoding: 'utf8' });
    assert.match(opened, /^ssh-ed25519 /);
    await sshKeys()
      .row(/with_phrase.*asks for a passphrase/s)
      .waitFor();
  });

  it('says which instances a key still opens before it is deleted', async () => {
    const { simulator } = session();
    const [instance] = simulator.world.instances;
    assert.ok(instance);
    const key = readFileSync(path.join(session().root, 'home', '.ssh', 'with_phrase.pub'), 'utf8').trim();
    await simulator.call('POST', `/api/v0/instances/${instance.id}/ssh/`, { ssh_key: key });
    await sshKeys().contextMenu(sshKeys().row('with_phrase'), /^Delete/);
    await workbench.dialog.filter({ hasText: 'It still opens: trainer' }).waitFor();
    await workbench.shot('08-still-opens');
    await workbench.dialogButton('Delete');
    await sshKeys().row('with_phrase').waitFor({ state: 'detached' });
  });

  it('takes the permissions of an API key as JSON, and says what is wrong with them', async () => {
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
    await workbench.page.locator('.codelens-decoration a', { hasText: 'Create This API Key' }).click();
    await workbench.toast('instance_reed is not known here');
    await workbench.shot('09-json-problem');
    await workbench.clearNotifications();
    const permissions = {
      api: { instance_read: { 'api.instance.request_logs': { constraints: { id: { eq: 5 } } } } },
    };
    await editor.replaceAll(
      JSON.stringify({ name: 'log reader', permissions, ip_whitelist: ['127.0.0.1'] }, null, 2),
    );
    await workbench.shot('10-json');
    await workbench.page.locator('.codelens-decoration a', { hasText: 'Create This API Key' }).click();
    await quick.waitForTitle('API Key: Shown This Once');
    await quick.pick('I Have Stored It');
    await workbench.page.locator('.tab', { hasText: 'api-key.gpu-key.json' }).waitFor({ state: 'detached' });
    assert.deepEqual(session().simulator.received('POST', '/api/v0/auth/apikeys/').at(-1)?.body, {
      name: 'log reader',
      permissions,
      key_params: { ip_whitelist: ['127.0.0.1'] },
    });
  });

  it('shows the account with its key, its permissions and its SSH key', async () => {
    await sshKeys().header.click();
    await account().open();
    await account()
      .row(/ada@example\.com.*e-mail verified/s)
      .waitFor();
    await account()
      .row(/API key in use: Full access.*full/s)
      .waitFor();
    await account()
      .row(/SSH key: laptop.*on this computer/s)
      .waitFor();
    await workbench.shot('11-account');
  });

  it('names an account, and shows which of several is active', async () => {
    const { quick } = workbench;
    await workbench.run('Name Account…');
    await quick.waitForTitle('Name This Account');
    await quick.type('Lab');
    await account().row('Lab').waitFor();
    await workbench.run('Sign In…');
    await quick.waitForTitle('Sign In: Service');
    await quick.pick(session().simulator.url);
    await quick.waitForTitle('Sign In: API Key');
    await quick.type(otherKey);
    await account().row('other@example.com').waitFor();
    await workbench.run('Switch Account…');
    await quick.waitForTitle('Switch Account');
    const rows = await quick.rowTexts();
    await workbench.shot('12-accounts');
    assert.ok(
      rows.some((row) => /^other@example\.com ?active/.test(row)),
      rows.join('\n'),
    );
    await quick.pick('Lab');
    await account().row('Lab').waitFor();
    await until('the name above the account', async () => /Lab/.test(await account().header.innerText()));
    await instances().open();
    await until('the name in the title', async () => /Lab/.test(await instances().header.innerText()));
  });

  it('removes all that is the account’s when it signs out, and says so', async () => {
    await workbench.clearNotifications();
    const storage = path.join(session().host.dataDir, 'data/User/globalStorage/gpu-rental.gpu-rental');
    const files = () =>
      ['accounts', 'fleet', 'keyAccess', 'readiness', 'rentals', 'watches']
        .map((folder) => path.join(storage, folder))
        .filter((folder) => existsSync(folder))
        .flatMap((folder) => readdirSync(folder));
    const accounts = () => new Set(files().map((name) => name.slice(0, 16))).size;
    // They are written behind what is shown.
    await until('files of two accounts', () => accounts() === 2);
    await workbench.run('Sign Out…');
    await workbench.dialog.filter({ hasText: 'Your instance goes on costing money' }).waitFor();
    await workbench.shot('13-sign-out');
    await workbench.dialogButton('Sign Out');
    await workbench.toast(/Signed out of Lab\..*other@example\.com is active now\./);
    await workbench.shot('14-signed-out');
    await until('one account to be left', () => accounts() === 1);
  });

  it('leaves no secret in a file or in the log, and causes no error', () => {
    planted.push(session().simulator.apiKey);
    assert.ok(limitedKeyId > 0);
    assert.deepEqual(session().filesWithSecrets(planted), []);
    for (const secret of planted) assert.equal(session().log().includes(secret), false);
    assert.deepEqual(workbench.errors, []);
  });
});
