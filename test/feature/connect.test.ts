import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { runProgram } from '../../src/ssh/run';
import { makeKey, remoteSshExtension, textsIn } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('connecting to an instance', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;
  let alias: string;
  let firstKey: string;

  const home = () => path.dirname(computer().sshConfig);
  const own = () => path.join(home(), 'gpu-rental.d');
  const entries = () => (existsSync(own()) ? readdirSync(own()).filter((one) => one.endsWith('.conf')) : []);
  const realConfig = path.join(userInfo().homedir, '.ssh', 'config');
  const stamp = () => (existsSync(realConfig) ? statSync(realConfig).mtimeMs : 'missing');
  const untouched = stamp();
  const user = 'Host mine\n  HostName 192.0.2.9\n';
  const instances = () => window.view('instances');
  const platforms = () => computer().settings.values['remote.SSH.remotePlatform'];
  const attached = () => computer().simulator.received('POST', `/api/v0/instances/${id}/ssh/`);
  const detached = () =>
    computer()
      .simulator.received('DELETE')
      .filter(({ path: at }) => new RegExp(`^/api/v0/instances/${id}/ssh/\\d+/$`).test(at));

  before(async () => {
    writeFileSync(computer().sshConfig, user, { mode: 0o640 });
    id = await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    firstKey = makeKey(computer(), 'id_ed25519');
    window = await computer().openWindow({ extensions: [remoteSshExtension()] });
    await window.signIn();
    await instances().row('trainer');
    window.clearToasts();
  });

  it('stops if no key is attached, and writes nothing', async () => {
    await instances().inline('trainer', 'Connect');
    (await window.toast('The instance has no SSH key of this computer')).close();
    await computer().rest();
    assert.equal(window.quick.isOpen, false);
    assert.deepEqual([attached().length, entries()], [0, []]);
    assert.equal(readFileSync(computer().sshConfig, 'utf8'), user);
  });

  it('offers to attach a key if none of this computer is on the instance, and continues with it', async () => {
    await instances().inline('trainer', 'Connect');
    await window.toastButton('The instance has no SSH key of this computer', 'Attach SSH Key…');
    await window.quick.title('Attach SSH Key');
    await window.quick.pick('Use id_ed25519');
    await window.quick.title('Open trainer');
    assert.deepEqual(
      attached().map(({ body }) => body),
      [{ ssh_key: firstKey }],
    );
  });

  it('asks for a folder of the machine and opens it in a window of its own', async () => {
    const rows = window.quick.rows();
    assert.ok(
      rows.some((row) => row.includes('home folder')),
      rows.join('\n'),
    );
    await window.quick.type('/tmp', { enter: false });
    await window.quick.pick('/tmp');
    const opened = await window.opens();
    assert.equal(entries().length, 1);
    alias = (entries()[0] ?? '').replace(/\.conf$/, '');
    assert.match(alias, new RegExp(`^gpu-[0-9a-f]{6}-${id}$`));
    assert.deepEqual(opened, {
      address: `vscode-remote://ssh-remote+${alias}/tmp`,
      options: { forceNewWindow: true, forceReuseWindow: false },
    });
  });

  it('shows the keys that the instance lets in below it, attaches one there and detaches it', async () => {
    const second = makeKey(computer(), 'second');
    await instances().expand('trainer');
    await instances().expand('SSH keys');
    await instances().row('id_ed25519');
    await instances().inline('SSH keys', 'Attach SSH Key…');
    await window.quick.title('Attach SSH Key');
    await window.quick.pick('Use second');
    await instances().row('second');
    assert.deepEqual(attached().at(-1)?.body, { ssh_key: second });
    await instances().menu('second', 'Detach SSH Key…');
    assert.match(
      (await window.dialog(/Detach the SSH key “second”/)).detail ?? '',
      /The instance will refuse logins with this key/,
    );
    assert.equal(detached().length, 0);
    await window.dialogButton('Detach SSH Key');
    await instances().noRow('second');
    await instances().row('id_ed25519');
    assert.equal(detached().length, 1);
    rmSync(path.join(home(), 'second'));
    rmSync(path.join(home(), 'second.pub'));
  });

  it("changed the user's SSH config by its own three lines only", () => {
    const config = readFileSync(computer().sshConfig, 'utf8');
    assert.equal(
      config,
      `# >>> GPU Rental >>>\nInclude ~/.ssh/gpu-rental.d/*.conf\n# <<< GPU Rental <<<\n${user}`,
    );
    assert.equal(statSync(computer().sshConfig).mode & 0o777, 0o640);
    assert.equal(stamp(), untouched, 'the real SSH config was touched');
  });

  it('spares the question which system the machine runs', () => {
    assert.deepEqual(platforms(), { [alias]: 'linux' });
  });

  it('remembers the folder: the second time one click is enough', async () => {
    await instances().inline('trainer', 'Connect');
    assert.equal((await window.opens()).address, `vscode-remote://ssh-remote+${alias}/tmp`);
    assert.equal(window.quick.isOpen, false);
  });

  it('opens it in this window where that is chosen', async () => {
    window.run('Connect in Current Window');
    assert.deepEqual(await window.opens(), {
      address: `vscode-remote://ssh-remote+${alias}/tmp`,
      options: { forceNewWindow: false, forceReuseWindow: true },
    });
  });

  it('opens one window however often Connect is pressed while it connects', async () => {
    const connect = { instanceId: id };
    window.start('gpuRental.instance.connect', connect);
    window.start('gpuRental.instance.connect', connect);
    await window.opens();
    await computer().rest();
    assert.equal(
      window.screen.commands.executed.filter(({ id: one }) => one === 'vscode.openFolder').length,
      0,
    );
  });

  it('opens a terminal whose command logs in', async () => {
    await instances().inline('trainer', 'Open Terminal');
    const terminal = await computer().until('a terminal', () => window.screen.terminals.all[0]);
    assert.equal(terminal.isShown, true);
    assert.equal(terminal.name, 'trainer');
    assert.match(await textsIn(terminal.creationOptions, 'echo it-is-$((40+2))'), /it-is-42/);
    terminal.dispose();
  });

  it('offers a terminal on an instance in the terminal menu', async () => {
    const profile = await window.terminalProfile();
    assert.match(await textsIn(profile.options, 'echo profile-$((20+1))'), /profile-21/);
  });

  it('copies a command that the real ssh accepts', async () => {
    await instances().menu('trainer', 'Copy SSH Command');
    assert.equal(computer().clipboard.text, `ssh -F ${computer().sshConfig} ${alias}`);
    const [program = '', ...args] = computer().clipboard.text.split(' ');
    const { stdout } = await runProgram(program, [...args, 'echo', 'hello']);
    assert.equal(stdout, 'hello\n');
  });

  /** Puts this public key on the instance, and takes all others from it. */
  async function keepOnly(key: string): Promise<void> {
    const { simulator } = computer();
    const { json } = await simulator.call('GET', `/api/v0/instances/${id}/ssh/`);
    const before: { id: number }[] = JSON.parse(String(json.ssh_keys));
    await simulator.call('POST', `/api/v0/instances/${id}/ssh/`, { ssh_key: key });
    for (const one of before) {
      await simulator.call('DELETE', `/api/v0/instances/${id}/ssh/${one.id}/`, {});
    }
  }

  it('shows which key was refused, and mends it', async () => {
    // A stranger's key stays on the instance, so that there is a list, and ours goes.
    const other = makeKey(computer(), 'other');
    rmSync(path.join(home(), 'other'));
    await keepOnly(other);
    await instances().inline('trainer', 'Connect');
    await window.toastButton('The instance has no SSH key of this computer', 'Try Anyway');
    await window.toastButton('did not accept the key', 'Attach SSH Key…');
    await window.quick.pick('Use id_ed25519');
    assert.equal((await window.opens()).address, `vscode-remote://ssh-remote+${alias}/tmp`);
  });

  it('waits for a key that was attached in the rows a moment ago', async () => {
    const instance = computer().simulator.world.instance(id);
    assert.ok(instance);
    await keepOnly(makeKey(computer(), 'third'));
    rmSync(path.join(home(), 'third'));
    instance.manner = 'refusedKey';
    await instances().inline('SSH keys', 'Attach SSH Key…');
    await window.quick.pick('Use id_ed25519');
    await instances().row('id_ed25519');
    window.start('gpuRental.instance.connect', { instanceId: id });
    await computer().until('the wait for the key', () =>
      window.toasts().some((text) => text.includes('Waiting for it to accept the key…')),
    );
    // The machine has it with the next change.
    instance.manner = 'usual';
    await computer().simulator.call('POST', `/api/v0/instances/${id}/ssh/`, {
      ssh_key: makeKey(computer(), 'fourth'),
    });
    assert.equal((await window.opens()).address, `vscode-remote://ssh-remote+${alias}/tmp`);
  });

  it('keeps the entry while the list of instances can’t be read', async () => {
    const list = { method: 'GET', path: '/api/{version}/instances/' } as const;
    computer().simulator.fail({ kind: 'error', status: 500, error: 'oops', ...list, times: 0 });
    window.run('Refresh');
    await computer().pass(60_000);
    assert.deepEqual(entries(), [`${alias}.conf`]);
    computer().simulator.faults.clear();
    window.run('Refresh');
    await computer().rest();
    window.clearToasts();
  });

  it('leads the entry to the port that the list shows', async () => {
    const conf = () => readFileSync(path.join(own(), `${alias}.conf`), 'utf8');
    const instance = computer().simulator.world.instance(id);
    assert.ok(instance);
    const before = instance.directPorts;
    for (const port of [45_678, ...Object.values(before)]) {
      instance.directPorts = { ...before, '22/tcp': port };
      window.run('Refresh');
      await computer().until(`port ${port}`, () => conf().includes(`  Port ${port}\n`));
    }
  });

  it('removes the entry a day after the instance is gone', async () => {
    // Files carry the time of the disk; an entry younger than the list is kept.
    const written = computer().clock.now() / 1000;
    utimesSync(path.join(own(), `${alias}.conf`), written, written);
    await computer().simulator.call('DELETE', `/api/v0/instances/${id}/`, {});
    window.run('Refresh');
    await computer().clock.advance(10_000);
    assert.deepEqual(entries(), [`${alias}.conf`], 'in case the service was wrong');
    await window.toast(/trainer no longer exists/);
    computer().clock.jump(25 * 3_600_000);
    window.run('Refresh');
    await computer().until('the entry to be removed', () => entries().length === 0);
    await computer().until(
      'its host key to be removed',
      () => !readFileSync(path.join(own(), 'known_hosts'), 'utf8').includes(alias),
    );
    await computer().until('the platform to be removed', () => platforms() === undefined);
  });

  it('removes everything again on request', async () => {
    window.run('Remove Everything We Wrote for SSH…');
    await window.dialogButton('Remove', 'Your own lines, your keys and the instances stay');
    await window.toast('The SSH entries are removed.');
    assert.equal(existsSync(own()), false);
    assert.equal(readFileSync(computer().sshConfig, 'utf8'), user);
    assert.equal(statSync(computer().sshConfig).mode & 0o777, 0o640);
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(window.log(), /^\[error\]/m);
    assert.equal(stamp(), untouched);
  });
});
