import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance, textsIn } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';
import { processesWith } from '../support/processes';

describe('connecting where no Remote-SSH is installed', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  const home = () => path.join(computer().root, 'home', '.ssh');
  const instances = () => window.view('instances');
  const keys = () => window.view('sshKeys');
  const text = 'needs a Remote-SSH extension';

  before(async () => {
    await reachableInstance(computer(), 'trainer');
    window = await computer().openSignedIn();
    await instances().row('trainer');
    window.clearToasts();
  });

  it('shows that after the login worked, and opens a terminal instead', async () => {
    await instances().inline('trainer', 'Connect');
    const { buttons } = await window.toast(text);
    assert.deepEqual([...buttons].sort(), ['Copy SSH Command', 'Install Remote-SSH', 'Open Terminal']);
    await window.toastButton(text, 'Open Terminal');
    const terminal = await computer().until('a terminal', () => window.screen.terminals.all[0]);
    assert.equal(terminal.isShown, true);
    assert.match(await textsIn(terminal.creationOptions, 'echo it-is-$((40+2))'), /it-is-42/);
    terminal.dispose();
  });

  it('copies the command or looks for the extension where that is chosen', async () => {
    await instances().inline('trainer', 'Connect');
    await window.toastButton(text, 'Copy SSH Command');
    await computer().until('the command', () => computer().clipboard.text.startsWith('ssh -F '));
    await instances().inline('trainer', 'Connect');
    await window.toastButton(text, 'Install Remote-SSH');
    await computer().rest();
    assert.deepEqual(
      window.screen.commands.executed.filter(({ id }) => id === 'workbench.extensions.search'),
      [{ id: 'workbench.extensions.search', args: ['@id:ms-vscode-remote.remote-ssh'] }],
    );
  });

  it('shows which registered key is on this computer', async () => {
    keys().show();
    const row = await keys().row('on this computer');
    assert.match(row.text, /^id_ed25519 on this computer.* SHA256:/);
  });

  it('generates a key and registers its public part alone', async () => {
    window.run('Generate SSH Key…');
    await window.quick.title('Generate SSH Key');
    await window.quick.type('fresh');
    await window.quick.title('Generate SSH Key');
    await window.quick.enter();
    await keys().row('fresh');
    assert.equal(statSync(path.join(home(), 'fresh')).mode & 0o777, 0o600);
    const line = readFileSync(path.join(home(), 'fresh.pub'), 'utf8').trim();
    assert.deepEqual(computer().simulator.received('POST', '/api/v0/ssh/').at(-1)?.body, { ssh_key: line });
    assert.doesNotMatch(JSON.stringify(computer().simulator.requests()), /PRIVATE KEY/);
  });

  it('accepts no name that is in use and no passphrase that is too short or mistyped', async () => {
    const made = computer().simulator.received('POST', '/api/v0/ssh/').length;
    window.run('Generate SSH Key…');
    await window.quick.title('Generate SSH Key');
    await window.quick.type('fresh');
    await window.quick.message('A key with this name exists already.');
    await window.quick.type('../escaped');
    await window.quick.message('Use letters, digits, dots, hyphens and underscores.');
    await window.quick.type('locked');
    await window.quick.title('Generate SSH Key');
    await window.quick.type('abc');
    await window.quick.message(/At least \d+ characters, or none/);
    await window.quick.type('long enough');
    await window.quick.message(/passphrase again/);
    await window.quick.type('something else');
    await window.quick.message('The passphrases do not match.');
    window.quick.escape();
    await computer().rest();
    assert.equal(existsSync(path.join(home(), 'locked')), false);
    assert.equal(computer().simulator.received('POST', '/api/v0/ssh/').length, made);
  });

  it('asks before it deletes a key', async () => {
    const deleted = () => computer().simulator.received('DELETE', /^\/api\/v0\/ssh\/\d+\/$/).length;
    await keys().menu('fresh', 'Delete SSH Key…');
    await window.dialogButton('Cancel', 'Delete the SSH key “fresh” from your account?');
    await computer().rest();
    assert.equal(deleted(), 0);
    await keys().menu('fresh', 'Delete SSH Key…');
    await window.dialogButton('Delete', 'None of your instances accepts it now.');
    await keys().noRow('fresh');
    assert.equal(deleted(), 1);
    assert.ok(existsSync(path.join(home(), 'fresh')), 'the file stays');
  });

  it('lets the doctor look at everything, the machine included, and shows its report as text', async () => {
    window.run('Run Doctor');
    await window.quick.title('Doctor:');
    await window.quick.row('Remote-SSH');
    await window.quick.pick('Show as Text');
    const report = (await window.document('[ok] SSH client')).getText();
    assert.match(report, /\[ok\] .*[Ll]ogin/);
    window.quick.escape();
  });

  it('forwards a port and shows it below the instance', async () => {
    await instances().menu('trainer', 'Forward Port…');
    await window.quick.pick('8888');
    await window.toast(/^Port 8888 of trainer is at localhost:\d+ on this computer/);
    await instances().expand('trainer');
    await instances().row('this computer only');
    await instances().inline('this computer only', 'Stop Forwarding');
    await instances().noRow('this computer only');
    assert.deepEqual(
      window.toasts().filter((one) => one.includes('no longer forwarded')),
      [],
    );
  });

  it('forwards a port again where its connection ended, at the same address', async () => {
    window.clearToasts();
    await instances().menu('trainer', 'Forward Port…');
    await window.quick.pick('6006');
    const first = await window.toast(/^Port 6006 of trainer is at localhost:\d+ on this computer/);
    window.clearToasts();
    const port = /localhost:(\d+)/.exec(first.text)?.[1] ?? '';
    processesWith(`127.0.0.1:${port}:localhost:6006`).forEach((pid) => process.kill(pid));
    await window.toastButton(/^Port 6006 of trainer is no longer forwarded/, 'Forward Again');
    await window.toast(first.text);
    await instances().inline('this computer only', 'Stop Forwarding');
    await instances().noRow('this computer only');
  });
});
