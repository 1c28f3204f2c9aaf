import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { signIn } from '../support/journey';
import { reachableInstance } from '../support/reachableInstance';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('the doctor', function () {
  this.bail(true);
  this.timeout(120_000);
  const session = useUiSession('doctor');
  let workbench: Workbench;

  const key = () => path.join(session().root, 'home', '.ssh', 'id_ed25519');
  const knownHosts = () => path.join(session().root, 'home', '.ssh', 'gpu-rental.d', 'known_hosts');
  const progress = () => workbench.toasts.filter({ hasText: 'Looking at your set-up' });

  async function examine(): Promise<void> {
    await workbench.run('Run Doctor');
    await workbench.quick.waitForTitle('Doctor:');
  }

  /** Opens a finding in full and takes its fix. */
  async function mend(title: string, button: string, shot: string): Promise<void> {
    await workbench.quick.input.fill(title);
    await workbench.quick.pick(title);
    await workbench.dialog.waitFor();
    await workbench.shot(shot);
    await workbench.dialogButton(button);
  }

  it('finds a key that others can read, says so in full, and takes their rights away', async () => {
    await reachableInstance(session(), 'trainer');
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.view('Instances').row('trainer').waitFor();
    chmodSync(key(), 0o644);
    await examine();
    await workbench.quick.row('Login').waitFor();
    await workbench.shot('01-problems');
    await mend('Who can read and write', 'Make Private', '02-in-full');
    await workbench.toast('yours alone now');
    assert.equal(statSync(key()).mode & 0o777, 0o600);
  });

  it('finds nothing to mend afterwards, and names what does not apply', async () => {
    await workbench.clearNotifications();
    await examine();
    await workbench.quick.waitForTitle('no problem found');
    await workbench.quick.input.fill('Proxy');
    await workbench.quick.row('Proxy').filter({ hasText: 'on this computer' }).waitFor();
    await workbench.shot('03-healthy');
    await workbench.page.keyboard.press('Escape');
  });

  it('forgets a host key that changed only after it was asked to twice', async () => {
    const pinned = readFileSync(knownHosts(), 'utf8');
    const other = readFileSync(`${key()}.pub`, 'utf8').split(' ').slice(0, 2).join(' ');
    writeFileSync(knownHosts(), pinned.replace(/ssh-ed25519 \S+/, other));
    await examine();
    await mend('Host key of the instance', 'Forget the Old Key', '04-host-key');
    await workbench.dialog.filter({ hasText: 'Forget the host key of this instance?' }).waitFor();
    assert.notEqual(readFileSync(knownHosts(), 'utf8'), '');
    await workbench.dialogButton('Forget');
    await until('the old key to be gone', () => !readFileSync(knownHosts(), 'utf8').includes(other));
    await examine();
    await workbench.quick.waitForTitle('no problem found');
  });

  it('shows its report as text before anybody saves it, without the key and the name of the account', async () => {
    await workbench.quick.input.fill('Show as Text');
    await workbench.quick.pick('Show as Text', '…');
    const editor = workbench.page.locator('.monaco-editor .view-lines').first();
    const text = await until('the report', async () => {
      const shown = (await editor.innerText()).replaceAll('\u00a0', ' ');
      return /\[ok\] Login/.test(shown) ? shown : undefined;
    });
    assert.doesNotMatch(text, new RegExp(session().simulator.apiKey));
    assert.doesNotMatch(text, /BEGIN|\/home\/\w/);
    await workbench.page.locator('.tab.dirty', { hasText: 'GPU Rental' }).waitFor();
    await workbench.shot('05-report');
  });

  it('stops at once when it is told to, and shows nothing half-looked at', async () => {
    session().simulator.fail({ kind: 'stall', method: 'GET', path: '/api/v0/users/current/', times: 5 });
    await workbench.run('Run Doctor');
    await progress().waitFor();
    await workbench.shot('06-progress');
    await progress().hover();
    await progress().locator('.monaco-button', { hasText: 'Cancel' }).click();
    await progress().waitFor({ state: 'detached' });
    assert.equal(await workbench.quick.widget.count(), 0);
    assert.deepEqual(await workbench.toasts.allInnerTexts(), []);
    assert.doesNotMatch(session().log(), /\[error\]/);
  });
});
