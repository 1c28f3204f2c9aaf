import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const passphrase = 'planted-pass-phrase-17';

describe('keys of an account', () => {
  const secrets = [passphrase];
  const computer = useComputer({ secrets });
  let window: FeatureWindow;
  let limitedKey: string;
  let otherKey: string;

  const instances = () => window.view('instances');
  const account = () => window.view('account');
  const sshKeys = () => window.view('sshKeys');
  const received = (method: string, url: string | RegExp) => computer().simulator.received(method, url);
  const sshFile = (name: string) => path.join(computer().root, 'home', '.ssh', name);

  let sleeper = 0;

  /** What a row offers besides its menu, drawn as icons. */
  const icons = async (label: string) => {
    const { item } = await instances().row(label);
    return window.screen.commands
      .menu('view/item/context', { view: 'gpuRental.instances', viewItem: item.contextValue })
      .filter(({ isInline }) => isInline)
      .map(({ title }) => title);
  };

  async function newKey(permissions?: object): Promise<{ readonly key: string; readonly id: number }> {
    const { json } = await computer().simulator.call('POST', '/__sim/keys/', { permissions });
    secrets.push(String(json.key));
    return { key: String(json.key), id: Number(json.key_id) };
  }

  async function giveKey(key: string): Promise<void> {
    await window.quick.title('Replace Key');
    await window.quick.type(key);
  }

  before(async () => {
    const { simulator } = computer();
    await computer().rentRunning({ label: 'trainer' });
    sleeper = await computer().rentRunning({ label: 'sleeper' });
    await simulator.call('PUT', `/api/v0/instances/${sleeper}/`, { state: 'stopped' });
    limitedKey = (await newKey({ api: { misc: {}, instance_read: {}, user_read: {} } })).key;
    const other = await simulator.call('POST', '/__sim/accounts/', { email: 'other@example.com' });
    otherKey = String(other.json.key);
    secrets.push(otherKey);
    const file = sshFile('id_ed25519');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'laptop', '-f', file]);
    const [own] = simulator.world.accounts;
    assert.ok(own);
    own.sshKey = readFileSync(`${file}.pub`, 'utf8').trim();
    window = await computer().openWindow();
  });

  it('shows no icon for what a restricted key may not do', async () => {
    await window.signIn(limitedKey);
    await instances().row(/sleeper.*Stopped/);
    await computer().until('the icons to follow the key', async () => (await icons('sleeper')).length === 0);
    const shown = await icons('trainer');
    assert.ok(
      shown.some((title) => title.startsWith('Connect')),
      shown.join(', '),
    );
    // The record of the key is read before: what it may not read is not asked for.
    assert.deepEqual(received('GET', '/api/v0/machines/'), []);
  });

  it('explains what the key lacks when it is chosen by name, and asks the service nothing', async () => {
    const before = received('PUT', /\/instances\//).length;
    await instances().menu('trainer', 'Stop…');
    await window.toast('lacks the permission instance_write');
    assert.equal(received('PUT', /\/instances\//).length, before);
  });

  it('does not accept the key of another user, and offers to add the account', async () => {
    await window.toastButton('lacks the permission instance_write', 'Replace Key…');
    await giveKey(otherKey);
    const { buttons } = await window.dialog('This key belongs to other@example.com');
    assert.deepEqual(buttons, ['Not Now', 'Add as Another Account', 'Cancel']);
    await window.dialogButton('Cancel');
    await account().noRow('other@example.com');
    window.clearToasts();
  });

  it('shows what is wrong with a key in the box, and nothing of the key', async () => {
    window.run('Replace Key…');
    await giveKey('not-a-key-9931');
    const said = await window.quick.message(/did not accept|refused|wrong/);
    assert.doesNotMatch(said, /not-a-key/);
    window.quick.escape();
    assert.ok(
      (await icons('trainer')).some((title) => title.startsWith('Connect')),
      'the old key stays',
    );
  });

  it('replaces the key and keeps everything else', async () => {
    window.run('Replace Key…');
    await giveKey(computer().simulator.apiKey);
    await window.toast(/Replaced the key of .* in all windows/);
    await computer().until('the icons to follow the key', async () =>
      (await icons('sleeper')).some((title) => title.startsWith('Start')),
    );
    await computer().simulator.call('DELETE', `/api/v0/instances/${sleeper}/`);
    window.run('Refresh');
    await instances().noRow('sleeper');
    window.clearToasts();
  });

  it('reports a refused key once, with its causes, and keeps the last list in sight', async () => {
    const { simulator } = computer();
    const spare = await newKey();
    const second = await computer().openWindow();
    await second.view('instances').row('trainer');
    window.run('Replace Key…');
    await giveKey(spare.key);
    await window.toast(/Replaced the key of .* in all windows/);
    window.clearToasts();
    simulator.world.keys.remove(spare.id);
    window.run('Refresh');
    const { text } = await window.toast('did not accept the API key');
    assert.match(text, /wrong, expired or revoked, lacks a permission, or its list of IP addresses/);
    await instances().row('Could not refresh');
    await instances().row('trainer');
    await computer().until('the words above the list', () =>
      instances().tree.message?.includes('Your instances still cost money'),
    );
    await second.view('instances').row('Could not refresh');
    await second.view('instances').row('trainer');
    await computer().pass(10 * 60_000);
    assert.equal(window.toasts().filter((one) => one.includes('did not accept the API key')).length, 1);
    assert.deepEqual(second.toasts(), [], 'one window asks');
    const times = () => window.screen.messages.history.filter((one) => one.text === text).length;
    const before = times();
    window.run('Refresh');
    await computer().until('the message to pop up again, as it went to the centre', () => times() > before);
    await window.toastButton('did not accept the API key', 'Replace Key…');
    await giveKey(simulator.apiKey);
    for (const one of [window, second]) {
      await one.view('instances').noRow('Could not refresh');
      await one.view('instances').row('trainer');
    }
    await window.toast(/Replaced the key of .* in all windows/);
    assert.deepEqual(second.toasts(), []);
    second.close();
    window.clearToasts();
  });

  it('deletes the key in use, and leads to another one', async () => {
    const spare = await newKey();
    window.run('Replace Key…');
    await giveKey(spare.key);
    await window.toast(/Replaced the key of .* in all windows/);
    window.clearToasts();
    window.start('gpuRental.apiKey.delete');
    await window.quick.pick(/Made for a test.*in use/);
    await window.dialogButton('Delete', 'Delete the API key');
    await window.toastButton('The API key in use is deleted', 'Replace Key…');
    await giveKey(computer().simulator.apiKey);
    await window.toast(/Replaced the key of .* in all windows/);
    await account().expand('API Keys');
    await account().row('Full access');
    await account().noRow('Could not load');
    window.clearToasts();
  });

  it("counts the user's own SSH key among the SSH keys", async () => {
    await sshKeys().row(/laptop.*of your account, on this computer/);
  });

  it('registers a public key from a file that is picked, and never a private one', async () => {
    const file = path.join(computer().workspace, 'box');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'box', '-f', file]);
    const open = async (picked: string) => {
      window.screen.fileDialogs.push([picked]);
      window.start('gpuRental.sshKey.add');
      await window.quick.title('Add SSH Key');
      await window.quick.pick('From a File…');
    };
    await open(file);
    await window.dialogButton('OK', 'This is a private key');
    assert.deepEqual(received('POST', '/api/v0/ssh/'), []);
    await open(`${file}.pub`);
    const { text, buttons } = await window.toast('The SSH key box is registered');
    const hasInstances = (await window.view('instances').rows()).some(({ node }) => 'instanceId' in node);
    // A message without a button is cut after its first line.
    assert.deepEqual([text.length > 60, buttons], hasInstances ? [true, ['Attach SSH Key…']] : [false, []]);
    await sshKeys().row('box');
    assert.deepEqual(
      received('POST', '/api/v0/ssh/').map(({ body }) => body),
      [{ ssh_key: readFileSync(`${file}.pub`, 'utf8').trim() }],
    );
    window.clearToasts();
  });

  it('makes an SSH key with a passphrase', async () => {
    const { quick } = window;
    window.run('Generate SSH Key…');
    await quick.title('Generate SSH Key');
    await quick.type('with_phrase');
    await quick.title('Generate SSH Key');
    await quick.type('abc', { enter: false });
    await quick.message('At least 5');
    await quick.type(passphrase);
    await quick.message('passphrase again');
    await quick.type(passphrase);
    await window.toast('is registered');
    const file = sshFile('with_phrase');
    const opened = execFileSync('ssh-keygen', ['-y', '-P', passphrase, '-f', file], { encoding: 'utf8' });
    assert.match(opened, /^ssh-ed25519 /);
    await sshKeys().row(/with_phrase.*asks for a passphrase/);
    window.clearToasts();
  });

  it('shows which instances a key still opens before it is deleted', async () => {
    const { simulator } = computer();
    const [instance] = simulator.world.instances;
    assert.ok(instance);
    const key = readFileSync(sshFile('with_phrase.pub'), 'utf8').trim();
    await simulator.call('POST', `/api/v0/instances/${instance.id}/ssh/`, { ssh_key: key });
    const deletes = () => received('DELETE', /^\/api\/v0\/ssh\//).length;
    // An instance that cannot be asked is not one that accepts no login.
    simulator.fail({
      kind: 'html500',
      method: 'GET',
      path: `/api/v0/instances/${instance.id}/ssh/`,
      times: 9,
    });
    await sshKeys().menu('with_phrase', 'Delete SSH Key…');
    const { detail = '' } = await window.dialog('Could not check: trainer');
    assert.doesNotMatch(detail, /None of your instances/);
    await window.dialogButton('Cancel');
    simulator.faults.clear();
    await sshKeys().menu('with_phrase', 'Delete SSH Key…');
    await window.dialog('It still gives access to trainer');
    assert.equal(deletes(), 0);
    const { json } = await simulator.call('GET', '/api/v0/ssh/');
    const registered = json as unknown as readonly Readonly<Record<string, unknown>>[];
    const { id } = registered.find((one) => Object.values(one).includes(key)) ?? {};
    // The list shows what became of a change whose answer was lost.
    simulator.fail({ kind: 'dropAfter', method: 'DELETE', path: `/api/v0/ssh/${String(id)}/` });
    await window.dialogButton('Delete');
    await window.toast(/may have taken effect\. Check before you try again/);
    await sshKeys().noRow('with_phrase');
    assert.equal(deletes(), 1);
    window.clearToasts();
  });

  it('gives screen readers all text of a row, and nothing twice or empty', async () => {
    await instances().expand('trainer');
    await instances().expand('SSH keys');
    await instances().row(/with_phrase|SHA256/);
    const rows = (await instances().rows()).filter(({ depth }) => depth > 0);
    for (const { item } of rows) {
      const parts = [item.label, item.description, item.tooltip].flatMap((part) =>
        typeof part === 'string' && part !== '' ? [part] : [],
      );
      assert.equal(item.accessibilityInformation?.label, [...new Set(parts)].join(', '));
    }
  });

  it('shows the account with its key, its permissions and its SSH key', async () => {
    await account().row(/ada@example\.com.*e-mail verified/);
    await account().row(/API key in use: Full access.*full/);
    await account().row(/SSH key: laptop.*on this computer/);
  });

  it('names an account, and shows which of several is active', async () => {
    const { quick } = window;
    window.start('gpuRental.renameAccount');
    await quick.title('Name Account');
    await quick.type('Lab');
    await account().row('Lab');
    await window.signIn(otherKey);
    await account().row('other@example.com');
    window.run('Switch Account…');
    await quick.title('Switch Account');
    await quick.row(/^other@example\.com active/);
    await quick.pick('Lab');
    await account().row('Lab');
    for (const view of [account(), instances()]) {
      await computer().until('the name above the view', () =>
        `${view.tree.title ?? ''} ${view.tree.description ?? ''}`.includes('Lab'),
      );
    }
    window.clearToasts();
  });

  it('shows nothing of a list that could not be read of an account that is not active any more', async () => {
    const path = '/api/v0/deployments/';
    computer().simulator.fail({ kind: 'dropBefore', method: 'GET', path, times: 0 });
    const before = received('GET', path).length;
    window.run('Refresh');
    await computer().until('the read that fails', () => received('GET', path).length > before);
    window.run('Switch Account…');
    await window.quick.pick('other@example.com');
    await account().row('other@example.com');
    await window.toast(/^Instances of Lab still cost money: 1\./);
    window.clearToasts();
    await computer().pass(5 * 60_000);
    assert.deepEqual(window.toasts(), []);
    computer().simulator.faults.clear();
    window.run('Switch Account…');
    await window.quick.pick('Lab');
    await account().row('Lab');
  });

  it('shows what is no longer watched if the key of another user leads to its account', async () => {
    window.run('Replace Key…');
    await giveKey(otherKey);
    await window.dialogButton('Add as Another Account', 'This key belongs to other@example.com');
    await account().row('other@example.com');
    await window.toast(/^Signed in as other@example\.com\./);
    await window.toastButton(/^Instances of Lab still cost money: 1\./, 'Switch Back');
    await account().row('Lab');
    window.clearToasts();
  });

  it('removes all that is the account’s when it signs out, and shows that', async () => {
    // In whichever folder: what a subject keeps elsewhere than below `accounts` is found as well.
    const accounts = () =>
      new Set(
        readdirSync(computer().storage, { recursive: true, encoding: 'utf8' }).flatMap(
          (name) => /\b[0-9a-f]{16}\b/.exec(name) ?? [],
        ),
      ).size;
    // They are written behind what is shown.
    await computer().until('files of two accounts', () => accounts() === 2);
    window.run('Sign Out…');
    await window.dialogButton('Sign Out', 'Your instance still costs money');
    await window.toast(/Signed out of Lab\..*other@example\.com is active now\./);
    await computer().until('one account to be left', () => accounts() === 1);
  });
});
