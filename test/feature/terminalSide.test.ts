import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sideOf } from '../support/fakeEditor/terminals';
import { registerKey } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('a terminal that is opened in the window of a rented machine', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let agent: ChildProcess | undefined;
  const key = () => path.join(path.dirname(computer().sshConfig), 'id_ed25519');

  before(async () => {
    await registerKey(computer());
    await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    window = await computer().openWindow({ remoteName: 'ssh-remote' });
    await window.signIn();
    await window.view('instances').row('trainer');
    window.clearToasts();
  });
  after(() => agent?.kill());

  /** The program of the next terminal and where it runs. */
  async function opened(): Promise<readonly [string | undefined, string]> {
    const terminal = await computer().until('a terminal', () => window.screen.terminals.all[0]);
    window.screen.terminals.close(terminal, 1);
    return [terminal.creationOptions.shellPath, terminal.side];
  }

  it('logs in from this computer', async () => {
    await window.view('instances').inline('trainer', 'Open Terminal');
    assert.deepEqual(await opened(), ['ssh', 'local']);
  });

  it('logs in from this computer from the terminal menu as well', async () => {
    const { options } = await window.terminalProfile();
    assert.equal(sideOf(options, 'ssh-remote'), 'local');
  });

  it('runs the active file by the ssh of this computer', async () => {
    const file = path.join(computer().workspace, 'train.py');
    writeFileSync(file, 'print(1)\n');
    await window.screen.documents.show(await window.screen.documents.open(file));
    window.start('gpuRental.runActiveFile');
    await window.quick.pick('In a Terminal');
    assert.deepEqual(await opened(), ['ssh', 'local']);
  });

  it('asks for the passphrase of a key on this computer', async () => {
    const socket = path.join(computer().root, 'agent');
    agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
    await computer().until('the agent', () => existsSync(socket));
    process.env['SSH_AUTH_SOCK'] = socket;
    execFileSync('ssh-keygen', ['-q', '-p', '-P', '', '-N', 'secret', '-f', key()]);
    await window.view('instances').inline('trainer', 'Connect');
    await window.toastButton(/id_ed25519 asks for a passphrase/, 'Add to Agent');
    assert.deepEqual(await opened(), ['ssh-add', 'local']);
  });
});
