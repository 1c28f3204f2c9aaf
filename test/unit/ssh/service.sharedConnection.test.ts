import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { SshMachine } from '../../support/sshMachine';

describe('A connection that the config of the user shares', () => {
  let home: SshHome;
  let machine: SshMachine;
  let socket: string;

  beforeEach(async () => {
    home = new SshHome();
    machine = new SshMachine();
    await machine.start();
    socket = join(home.root, 'shared');
    home.write(`Host *\n  ControlMaster auto\n  ControlPath ${socket}\n  ControlPersist 60\n`);
  });

  afterEach(async () => {
    await home.run('ssh', ['-o', `ControlPath=${socket}`, '-O', 'exit', 'gpu-7']);
    await machine.dispose();
    home.dispose();
  });

  it('is none of the background, which neither opens it nor uses that of the user', async () => {
    const key = home.key();
    machine.authorize(key);
    const ssh = home.service();
    const instance = sshInstance(machine.port);
    const request = { account: sshAccount, instanceId: 7, instance, registeredKeys: [key] };
    assert.equal((await ssh.connect(request)).preflight.ok, true);
    const inBackground: Readonly<Record<string, () => Promise<unknown>>> = {
      connect: () => ssh.connect(request),
      exec: () => ssh.exec('gpu-7', 'true', { timeoutMs: 10_000 }),
      forward: async () => {
        (await ssh.forward('gpu-7', { remotePort: machine.port })).close();
      },
    };
    for (const [name, login] of Object.entries(inBackground)) {
      await login();
      assert.equal(existsSync(socket), false, `${name} opened it`);
    }

    // What the user runs in a terminal is shared as the config says.
    const [program, ...args] = ssh.command('gpu-7', 'true');
    await home.run(program, args);
    assert.equal(existsSync(socket), true);
    // Over the connection of the user, which is still there, this would work.
    machine.authorize();
    assert.equal((await ssh.exec('gpu-7', 'true')).code, 255);
    const host = { host: '127.0.0.1', port: machine.port };
    assert.equal((await ssh.execOnHost('gpu-7', host, {})).code, 255);
    assert.equal((await ssh.connect(request)).preflight.ok, false);
  });

  it('is not waited for where it is the one to a jump host, which outlives the login', async () => {
    const key = home.key();
    machine.authorize(key);
    const jump = [
      'Host jump',
      '  HostName 127.0.0.1',
      `  Port ${machine.port}`,
      `  User ${userInfo().username}`,
      `  IdentityFile ${join(home.sshDir, 'id_ed25519')}`,
      '  StrictHostKeyChecking no',
      '  UserKnownHostsFile /dev/null',
      'Host gpu-*',
      '  ProxyJump jump',
    ];
    home.write(`${jump.join('\n')}\n${home.read()}`);
    const instance = sshInstance(machine.port);
    const request = { account: sshAccount, instanceId: 7, instance, registeredKeys: [key] };
    const { preflight } = await home.service().connect(request);
    assert.equal(existsSync(socket), true);
    assert.ok(preflight.ok);
    assert.ok(preflight.elapsedMs < 20_000, `${preflight.elapsedMs} ms`);
  });
});
