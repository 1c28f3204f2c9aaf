import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { userInfo } from 'node:os';
import { runProgram } from '../../src/ssh/run';
import { DocumentEditor } from '../support/documentEditor';
import { signIn } from '../support/journey';
import { reachableInstance, runningInstance } from '../support/reachableInstance';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('connecting to an instance', function () {
  this.bail(true);
  this.timeout(120_000);
  const session = useUiSession('connect', { extensions: ['ui/remoteSsh'] });
  let workbench: Workbench;
  let instanceId: number;
  let alias: string;

  const home = () => path.join(session().root, 'home', '.ssh');
  const own = () => path.join(home(), 'gpu-rental.d');
  const realConfig = path.join(userInfo().homedir, '.ssh', 'config');
  const stamp = () => (existsSync(realConfig) ? statSync(realConfig).mtimeMs : 'missing');
  const before = stamp();
  const user = 'Host mine\n  HostName 192.0.2.9\n';

  const platforms = () =>
    readFileSync(path.join(session().host.dataDir, 'data', 'User', 'settings.json'), 'utf8');

  function makeKey(name: string): string {
    const file = path.join(home(), name);
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file]);
    return readFileSync(`${file}.pub`, 'utf8').trim();
  }

  /** Ends the login; the panel that closes with it takes the focus from whatever is open. */
  async function leaveTerminal(): Promise<void> {
    await workbench.page.keyboard.type('exit');
    await workbench.page.keyboard.press('Enter');
    await workbench.page.locator('.terminal-wrapper').waitFor({ state: 'hidden' });
  }

  it('shows an instance that runs, with Connect on its row', async () => {
    const { simulator } = session();
    writeFileSync(session().sshConfig, user, { mode: 0o640 });
    instanceId = await runningInstance(simulator, 'trainer');
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.view('Instances').row('trainer').waitFor();
    await workbench.shot('01-running');
  });

  it('offers to attach a key where none of this computer is on the instance, and goes on with it', async () => {
    makeKey('id_ed25519');
    const instances = workbench.view('Instances');
    await instances.inlineAction(instances.row('trainer'), 'Connect');
    await workbench.toastButton('No SSH key of this computer is on the instance', 'Attach a Key');
    await workbench.quick.waitForTitle('Attach an SSH Key');
    await workbench.shot('02-attach');
    await workbench.quick.pick('Use id_ed25519');
    await workbench.quick.waitForTitle('Open trainer');
    const attached = session().simulator.received('POST', `/api/v0/instances/${instanceId}/ssh/`);
    assert.equal(attached.length, 1);
  });

  it('asks for a folder of the machine and opens it in a window of its own', async () => {
    const rows = await workbench.quick.rowTexts();
    assert.ok(
      rows.some((row) => row.includes('home folder')),
      rows.join('\n'),
    );
    await workbench.shot('03-folder');
    await workbench.quick.type('/tmp', { enter: false });
    const page = await session().opensWindow(() => workbench.quick.pick('/tmp'));
    const aliases = execFileSync('ls', [own()], { encoding: 'utf8' })
      .split('\n')
      .filter((name) => name.endsWith('.conf'));
    assert.equal(aliases.length, 1);
    alias = (aliases[0] ?? '').replace(/\.conf$/, '');
    assert.match(alias, new RegExp(`^gpu-[0-9a-f]{6}-${instanceId}$`));
    const folder = new URL(page.url()).searchParams.get('folder');
    assert.equal(folder, `vscode-remote://ssh-remote+${alias}/tmp`);
    await page.close();
  });

  it('shows the keys that the instance lets in below it, attaches one there and detaches it', async () => {
    makeKey('second');
    const instances = workbench.view('Instances');
    await instances.expand(instances.row('trainer'));
    await instances.expand(instances.row('SSH keys'));
    await instances.row('id_ed25519').waitFor();
    await instances.inlineAction(instances.row('SSH keys'), 'Attach');
    await workbench.quick.waitForTitle('Attach an SSH Key');
    await workbench.quick.pick('Use second');
    await instances.row('second').waitFor();
    await workbench.shot('03-keys');
    await instances.contextMenu(instances.row('second'), 'Detach SSH Key');
    await workbench.dialogButton('Detach');
    await instances.row('second').waitFor({ state: 'detached' });
    await instances.row('id_ed25519').waitFor();
    const route = new RegExp(`^/api/v0/instances/${instanceId}/ssh/\\d+/$`);
    assert.equal(
      session()
        .simulator.received('DELETE')
        .filter(({ path: at }) => route.test(at)).length,
      1,
    );
    rmSync(path.join(home(), 'second'));
    rmSync(path.join(home(), 'second.pub'));
    await instances.row('trainer').locator('.monaco-tl-twistie').click();
    await instances.row('SSH keys').waitFor({ state: 'detached' });
  });

  it("changed the user's SSH config by its own three lines only", () => {
    const config = readFileSync(session().sshConfig, 'utf8');
    assert.equal(config, `# >>> GPU Rental >>>\nInclude ${own()}/*.conf\n# <<< GPU Rental <<<\n${user}`);
    assert.equal(statSync(session().sshConfig).mode & 0o777, 0o640);
    assert.equal(stamp(), before, 'the real SSH config was touched');
  });

  it('spares the question which system the machine runs', async () => {
    await until('the platform in the settings', () => platforms().includes(`"${alias}": "linux"`));
  });

  it('remembers the folder: the second time one click is enough', async () => {
    const instances = workbench.view('Instances');
    const page = await session().opensWindow(() =>
      instances.inlineAction(instances.row('trainer'), 'Connect'),
    );
    const folder = new URL(page.url()).searchParams.get('folder');
    assert.equal(folder, `vscode-remote://ssh-remote+${alias}/tmp`);
    await page.close();
  });

  it('opens a terminal with a real login', async () => {
    const instances = workbench.view('Instances');
    await instances.inlineAction(instances.row('trainer'), 'Open Terminal');
    await workbench.terminalShows(/simulat/i);
    await workbench.inTerminal('echo it-is-$((40+2))', /it-is-42/);
    await workbench.shot('04-terminal');
    await leaveTerminal();
  });

  it('offers a terminal on an instance in the terminal menu', async () => {
    await workbench.quick.run('Create New Terminal (With Profile)');
    await workbench.quick.pick('GPU instance');
    await workbench.terminalShows(/simulat/i);
    await workbench.inTerminal('echo profile-$((20+1))', /profile-21/);
    await workbench.shot('05-profile');
    await leaveTerminal();
  });

  it('copies a command that the real ssh takes', async () => {
    await session().profile.grantPermissions(['clipboard-read', 'clipboard-write']);
    const instances = workbench.view('Instances');
    await instances.contextMenu(instances.row('trainer'), 'Copy SSH Command');
    const command = await until('the copied command', async () => {
      const text = await workbench.page.evaluate('navigator.clipboard.readText()');
      return typeof text === 'string' && text.startsWith('ssh ') ? text : undefined;
    });
    assert.equal(command, `ssh -F ${session().sshConfig} ${alias}`);
    const [program = '', ...args] = command.split(' ');
    // The marketplace runs in this process, which must not stand still meanwhile.
    const { stdout } = await runProgram(program, [...args, 'echo', 'hello']);
    assert.match(stdout, /hello/);
  });

  it('says which key was refused, and mends it', async () => {
    const { simulator } = session();
    const { json } = await simulator.call('GET', `/api/v0/instances/${instanceId}/ssh/`);
    const keys: { id: number }[] = JSON.parse(String(json.ssh_keys));
    // A stranger's key stays on the instance, so that there is a list, and ours goes.
    const other = makeKey('other');
    rmSync(path.join(home(), 'other'));
    await simulator.call('POST', `/api/v0/instances/${instanceId}/ssh/`, { ssh_key: other });
    for (const { id } of keys)
      await simulator.call('DELETE', `/api/v0/instances/${instanceId}/ssh/${id}/`, {});
    const instances = workbench.view('Instances');
    await instances.inlineAction(instances.row('trainer'), 'Connect');
    await workbench.toastButton('No SSH key of this computer is on the instance', 'Try Anyway');
    await workbench.toast('did not accept the key');
    await workbench.shot('06-refused');
    await workbench.toastButton('did not accept the key', 'Attach a Key');
    const page = await session().opensWindow(() => workbench.quick.pick('Use id_ed25519'));
    await page.close();
  });

  it('removes the entry once the instance is gone', async () => {
    await session().simulator.call('DELETE', `/api/v0/instances/${instanceId}/`, {});
    await until('the entry to be removed', async () => {
      await workbench.run('Refresh');
      return !existsSync(path.join(own(), `${alias}.conf`));
    });
    const knownHosts = () => readFileSync(path.join(own(), 'known_hosts'), 'utf8');
    await until('its host key to be removed', () => !knownHosts().includes(alias));
    await until('the platform to be removed', () => !platforms().includes(alias));
  });

  it('takes everything out again on request', async () => {
    await workbench.run('Remove Everything We Wrote for SSH…');
    await workbench.dialogButton('Remove');
    await until('the folder to be removed', () => !existsSync(own()));
    assert.equal(readFileSync(session().sshConfig, 'utf8'), user);
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
  });
});

describe('connecting where no Remote-SSH is installed', function () {
  this.bail(true);
  this.timeout(120_000);
  const session = useUiSession('connect-without');
  let workbench: Workbench;

  it('says so after the login worked, and opens a terminal instead', async () => {
    await reachableInstance(session(), 'trainer');
    workbench = await session().window();
    await signIn(session(), workbench);
    const instances = workbench.view('Instances');
    await instances.inlineAction(instances.row('trainer'), 'Connect');
    const toast = await workbench.toast('needs a Remote-SSH extension');
    const buttons = await toast
      .locator('.notification-list-item-buttons-container .monaco-button')
      .allInnerTexts();
    assert.deepEqual(buttons.map((text) => text.trim()).sort(), [
      'Copy SSH Command',
      'Install Remote-SSH',
      'Open Terminal',
    ]);
    await workbench.shot('01-three-ways');
    await workbench.toastButton('needs a Remote-SSH extension', 'Open Terminal');
    await workbench.terminalShows(/simulat/i);
    await workbench.inTerminal('echo it-is-$((40+2))', /it-is-42/);
  });

  it('shows which registered key is on this computer', async () => {
    const keys = workbench.view('SSH Keys');
    await keys.open();
    // The files of this computer are read after the list of the account is shown.
    await keys.row('mine').filter({ hasText: 'on this computer' }).waitFor();
    const [text] = await keys.rowTexts();
    assert.match(text ?? '', /^mine ?on this computer.* SHA256:/);
    await workbench.shot('02-keys');
  });

  it('generates a key and registers its public part alone', async () => {
    await workbench.run('Generate SSH Key…');
    await workbench.quick.waitForTitle('Generate an SSH Key');
    await workbench.quick.type('fresh');
    await workbench.quick.waitForTitle('Generate an SSH Key: Passphrase');
    await workbench.quick.enter();
    await workbench.view('SSH Keys').row('fresh').waitFor();
    const file = path.join(session().root, 'home', '.ssh', 'fresh');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const { json } = await session().simulator.call('GET', '/api/v0/ssh/');
    assert.match(JSON.stringify(json), /fresh/);
    assert.doesNotMatch(JSON.stringify(session().simulator.requests()), /PRIVATE KEY/);
  });

  it('asks before it deletes a key', async () => {
    const keys = workbench.view('SSH Keys');
    await keys.contextMenu(keys.row('fresh'), 'Delete SSH Key');
    await workbench.dialogButton('Delete');
    await keys.row('fresh').waitFor({ state: 'detached' });
    assert.ok(existsSync(path.join(session().root, 'home', '.ssh', 'fresh')), 'the file stays');
  });

  it('lets the doctor look at everything, the machine included, and shows its report as text', async () => {
    await workbench.run('Run Doctor');
    await workbench.quick.waitForTitle('Doctor:');
    const rows = await workbench.quick.rowTexts();
    await workbench.shot('04-doctor');
    assert.ok(
      rows.some((row) => row.includes('Remote-SSH')),
      rows.join('\n'),
    );
    await workbench.quick.input.fill('Show as Text');
    await workbench.quick.pick('Show as Text', '…');
    await new DocumentEditor(workbench).line('[ok] SSH client').waitFor();
    const report = await new DocumentEditor(workbench).text();
    assert.match(report, /\[ok\] SSH client/);
    assert.match(report, /\[ok\] .*[Ll]ogin/);
    assert.ok(!report.includes(session().simulator.apiKey));
  });

  it('forwards a port and shows it below the instance', async () => {
    await workbench.page.keyboard.press('Escape');
    const instances = workbench.view('Instances');
    await instances.contextMenu(instances.row('trainer'), 'Forward Port');
    await workbench.quick.pick('8888');
    await workbench.toast('Port 8888 of trainer is at localhost:', 30_000);
    await instances.expand(instances.row('trainer'));
    await instances.row('this computer only').waitFor();
    await workbench.shot('03-forwarded');
    await instances.inlineAction(instances.row('this computer only'), 'Stop Forwarding');
    await instances.row('this computer only').waitFor({ state: 'detached' });
  });
});
