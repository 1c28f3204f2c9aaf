import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance, registerKey, remoteSshExtension } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';
import { SshMachine } from '../support/sshMachine';

describe('the first contact with an instance', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;
  let stranger: SshMachine;
  let own: Readonly<Record<string, number>> | undefined;
  let ownProxy: number | null | undefined;
  const instances = () => window.view('instances');
  const knownHosts = () => {
    const file = path.join(path.dirname(computer().sshConfig), 'gpu-rental.d', 'known_hosts');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };

  /** The list shows the instance at a port; until it is told otherwise, at its own. */
  async function at(port?: number): Promise<void> {
    const instance = computer().simulator.world.instance(id);
    assert.ok(instance);
    own ??= instance.directPorts;
    const { proxyPort } = instance;
    instance.directPorts = port === undefined ? own : { ...own, '22/tcp': port };
    instance.proxyPort = port ?? ownProxy ?? proxyPort;
    ownProxy ??= proxyPort;
    const answered = computer().simulator.received('GET', '/api/v1/instances/').length;
    window.run('Refresh');
    await computer().until(
      'the list',
      () => computer().simulator.received('GET', '/api/v1/instances/').length > answered,
    );
    await computer().rest();
  }

  before(async () => {
    stranger = await new SshMachine().start();
    await registerKey(computer());
    id = await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    window = await computer().openWindow({ extensions: [remoteSshExtension()] });
    await window.signIn();
    await instances().row('trainer');
    window.clearToasts();
    await at(stranger.port);
  });
  after(() => stranger.dispose());

  const uses: Readonly<Record<string, () => Promise<unknown>>> = {
    'Upload…': () => instances().menu('trainer', 'Upload…'),
    'Forward Port…': async () => {
      await instances().menu('trainer', 'Forward Port…');
      await window.quick.pick('8888');
    },
    'Run File…': async () => {
      const file = path.join(computer().workspace, 'train.py');
      writeFileSync(file, 'print(1)\n');
      await window.screen.documents.show(await window.screen.documents.open(file));
      window.start('gpuRental.runActiveFile');
      await window.quick.pick('In a Terminal');
    },
  };
  for (const [name, use] of Object.entries(uses)) {
    it(`is reported as by Connect if a stranger is at its address: ${name}`, async () => {
      await use();
      const refused = await window.toast(/did not accept the key \S+id_ed25519\. /);
      assert.deepEqual(refused.buttons, ['Attach SSH Key…', 'Retry']);
      refused.close();
      await computer().rest();
      assert.equal(knownHosts(), '');
      assert.equal(window.quick.isOpen, false);
      assert.equal(window.screen.terminals.all.length, 0);
    });
  }

  it('leaves it to the user who pastes a copied command', async () => {
    await instances().menu('trainer', 'Copy SSH Command');
    await computer().until('the command', () => computer().clipboard.text.startsWith('ssh'));
    assert.equal(knownHosts(), '');
    const [program = '', ...args] = computer().clipboard.text.split(' ');
    const options = execFileSync(program, ['-G', ...args], { encoding: 'utf8' });
    assert.match(options, /^stricthostkeychecking ask$/m);
  });

  it('continues by itself once its own address is back', async () => {
    await instances().menu('trainer', 'Upload…');
    const refused = await window.toast(/did not accept the key/);
    await at();
    window.screen.fileDialogs.push(undefined);
    refused.press('Retry');
    await window.quick.pick('Files…');
    await computer().rest();
    assert.match(knownHosts(), /^gpu-\S+ ssh-ed25519 /);
  });

  it('shows that the last known address is used while the service is down', async () => {
    for (const pathOf of ['/api/{version}/instances/{id}/ssh/', '/api/{version}/ssh/']) {
      const fault = { kind: 'error', status: 503, error: 'down', times: 0 } as const;
      computer().simulator.fail({ ...fault, method: 'GET', path: pathOf });
    }
    const old = 'The service does not answer, so GPU Rental uses the last known address of the instance.';
    await instances().inline('trainer', 'Connect');
    (await window.toast(old)).close();
    await window.quick.title('Open trainer');
    window.quick.escape();
    await uses['Upload…']?.();
    await window.toast(old);
    await window.quick.title('Upload: trainer');
    window.quick.escape();
    computer().simulator.faults.clear();
    await computer().rest();
    window.clearToasts();
  });

  it('has its host key explained alike wherever it changed, the safe button first', async () => {
    const before = knownHosts();
    const [, , key = ''] = before.split(' ');
    const other = readFileSync(path.join(path.dirname(computer().sshConfig), 'id_ed25519.pub'), 'utf8');
    const file = path.join(path.dirname(computer().sshConfig), 'gpu-rental.d', 'known_hosts');
    writeFileSync(file, before.replace(key.trim(), other.split(' ')[1] ?? ''));
    const shown = async () => {
      const message = await window.toast(/^The host key of the instance has changed\./);
      const { buttons, text } = message;
      message.close();
      await computer().rest();
      return { text, first: buttons[0] };
    };
    // What runs first meets the change itself; whatever comes after it logs in before.
    await uses['Forward Port…']?.();
    const { text, first } = await shown();
    assert.equal(first, 'Retry');
    await instances().inline('trainer', 'Connect');
    assert.deepEqual(await shown(), { text, first });
    void window.terminalProfile().catch(() => undefined);
    assert.deepEqual(await shown(), { text, first });
    await instances().inline('trainer', 'Open Terminal');
    assert.deepEqual(await shown(), { text, first });
    for (const use of Object.values(uses)) {
      await use();
      assert.deepEqual(await shown(), { text, first });
    }
    await instances().menu('trainer', 'Destroy…');
    assert.ok((await window.dialog()).detail?.includes(text));
    await window.dialogButton('Cancel');
    assert.equal(window.screen.terminals.all.length, 0);
    writeFileSync(file, before);
  });
});

describe('a key that asks for a passphrase', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let agent: ChildProcess | undefined;
  const key = () => path.join(path.dirname(computer().sshConfig), 'id_ed25519');

  before(async () => {
    await registerKey(computer());
    execFileSync('ssh-keygen', ['-q', '-p', '-P', '', '-N', 'secret', '-f', key()]);
    await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    window = await computer().openWindow({ extensions: [remoteSshExtension()] });
    await window.signIn();
    await window.view('instances').row('trainer');
    window.clearToasts();
  });
  after(() => agent?.kill());

  it('shows what is missing if no agent runs, and how to start one', async () => {
    await window.view('instances').inline('trainer', 'Connect');
    await window.toastButton(/id_ed25519 asks for a passphrase/, 'Add to Agent');
    const missing = await window.toast(/No SSH agent is running .*ssh-agent -s/);
    assert.deepEqual(missing.buttons, ['Copy Command', 'Open Terminal', 'Retry']);
    missing.press('Copy Command');
    await computer().until('the command', () => computer().clipboard.text.includes('ssh-agent -s'));
    assert.equal(window.screen.terminals.all.length, 0);
  });

  it('offers no command for an agent that the SSH config forbids', async () => {
    const config = readFileSync(computer().sshConfig, 'utf8');
    writeFileSync(computer().sshConfig, `${config}Host *\n  IdentityAgent none\n`);
    await window.view('instances').inline('trainer', 'Connect');
    await window.toastButton(/id_ed25519 asks for a passphrase/, 'Add to Agent');
    const forbidden = await window.toast(/no SSH agent because of IdentityAgent/);
    assert.deepEqual(forbidden.buttons, ['Open Terminal', 'Retry']);
    window.clearToasts();
    writeFileSync(computer().sshConfig, config);
  });

  it('continues by itself once the agent has it, and not before', async () => {
    const socket = path.join(computer().root, 'agent');
    agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
    await computer().until('the agent', () => existsSync(socket));
    process.env['SSH_AUTH_SOCK'] = socket;
    const add = async () => {
      await window.view('instances').inline('trainer', 'Connect');
      await window.toastButton(/id_ed25519 asks for a passphrase/, 'Add to Agent');
      return computer().until('a terminal', () => window.screen.terminals.all[0]);
    };
    const given = await add();
    assert.deepEqual(
      [given.creationOptions.shellPath, given.creationOptions.shellArgs],
      ['ssh-add', [key()]],
    );
    window.screen.terminals.close(given, 1);
    await computer().rest();
    assert.deepEqual([window.quick.isOpen, window.toasts()], [false, []]);

    const terminal = await add();
    const ask = path.join(computer().root, 'ask');
    writeFileSync(ask, '#!/bin/sh\necho secret\n', { mode: 0o755 });
    const env = { ...process.env, SSH_ASKPASS: ask, SSH_ASKPASS_REQUIRE: 'force' };
    execFileSync('ssh-add', ['-q', key()], { env, stdio: 'ignore' });
    window.screen.terminals.close(terminal, 0);
    await window.quick.title('Open trainer');
    window.quick.escape();
  });
});

describe('a key of which nothing can be read', () => {
  const computer = useComputer({ simulator: { sshServer: true } });

  it('is tried before any message about it', async () => {
    const file = path.join(path.dirname(computer().sshConfig), 'old');
    execFileSync('ssh-keygen', ['-q', '-t', 'rsa', '-b', '2048', '-m', 'PEM', '-N', 'secret', '-f', file]);
    const ssh_key = readFileSync(`${file}.pub`, 'utf8').trim();
    rmSync(`${file}.pub`);
    await computer().simulator.call('POST', '/api/v0/ssh/', { ssh_key });
    await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    const window = await computer().openWindow({ extensions: [remoteSshExtension()] });
    await window.signIn();
    await window.view('instances').row('trainer');
    window.clearToasts();
    await window.view('instances').inline('trainer', 'Connect');
    const { buttons } = await window.toast(/old asks for a passphrase/);
    assert.equal(buttons[0], 'Add to Agent');
    assert.ok(!window.toasts().join().includes('has no SSH key of this computer'));
    window.clearToasts();
  });
});

describe('a key that only an agent held, and shows no more', () => {
  const computer = useComputer({ simulator: { sshServer: true } });

  it('is not taken for one that the instance lacks', async () => {
    const { sshConfig } = computer();
    await reachableInstance(computer(), 'trainer');
    const window = await computer().openWindow({ extensions: [remoteSshExtension()] });
    await window.signIn();
    await window.view('instances').row('trainer');
    window.clearToasts();
    await window.view('instances').inline('trainer', 'Connect');
    await window.quick.title('Open trainer');
    window.quick.escape();
    // As it is with 1Password or a locked agent: nothing but the public part next to the entry.
    const file = path.join(path.dirname(sshConfig), 'id_ed25519');
    const own = path.join(path.dirname(sshConfig), 'gpu-rental.d');
    const name = readdirSync(own).find((one) => one.endsWith('.conf')) ?? '';
    const conf = path.join(own, name);
    const agentKey = conf.replace(/\.conf$/, '.pub');
    renameSync(`${file}.pub`, agentKey);
    chmodSync(agentKey, 0o600);
    rmSync(file);
    writeFileSync(
      conf,
      readFileSync(conf, 'utf8').replace(`IdentityFile ${file}`, `IdentityFile ${agentKey}`),
    );
    await window.view('instances').inline('trainer', 'Connect');
    const { buttons } = await window.toast(/^The instance knows the key SHA256:/);
    assert.deepEqual(buttons, ['Retry', 'Open Terminal']);
    window.clearToasts();
  });
});
