import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { harmlessVariables } from '../../../src/ssh/inherited';
import type { Run } from '../../../src/ssh/run';
import { runTimed } from '../../../src/ssh/timedCommand';
import { systemClock } from '../../../src/util/clock';
import { only } from '../../support/only';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { freePort, SshMachine } from '../../support/sshMachine';
import { until } from '../../support/until';

const secrets = { GPU_TEST_TOKEN: 'from-the-environment', GPU_TEST_KEY: 'also-from-there' };

describe('What lines for all hosts give to every machine', () => {
  let home: SshHome;
  let machine: SshMachine;

  beforeEach(async () => {
    Object.assign(process.env, secrets);
    home = new SshHome();
    machine = new SshMachine();
    await machine.start({ extra: ['AcceptEnv *'] });
    home.write(
      'Host *\n  SendEnv LANG GPU_TEST_T*\n  SendEnv GPU_TEST_KE?\n  SetEnv GPU_TEST_SET=from-the-config\n',
    );
  });

  afterEach(async () => {
    for (const name of Object.keys(secrets)) {
      Reflect.deleteProperty(process.env, name);
    }
    await machine.dispose();
    home.dispose();
  });

  it('reaches no machine by what is run without a question', async () => {
    const key = home.key();
    const said = join(machine.dir, 'environment');
    // The machine keeps what each login brought.
    machine.authorize(`command="env >> ${said}; eval \\"$SSH_ORIGINAL_COMMAND\\"" ${key}`);
    const ssh = home.service();
    const instance = sshInstance(machine.port);
    const request = { account: sshAccount, instanceId: 7, instance, registeredKeys: [key] };
    const { preflight } = await ssh.connect(request);
    assert.equal(preflight.ok, true, JSON.stringify(preflight));
    await ssh.connect(request);
    assert.equal((await ssh.exec('gpu-7', 'echo done')).stdout.trim(), 'done');
    const environment = readFileSync(said, 'utf8');
    assert.equal(environment.match(/^SSH_CONNECTION=/gm)?.length, 3, 'the machine saw each login');
    assert.doesNotMatch(environment, /GPU_TEST/);

    // A login that the user asks for and sees is theirs: what is given there was named before.
    const [program, ...args] = ssh.command('gpu-7', 'true');
    await home.run(program, args);
    assert.match(readFileSync(said, 'utf8'), /GPU_TEST_TOKEN=from-the-environment/);
  });

  it('is no language, no terminal and nothing of our own, with any variables for all hosts', async () => {
    const names = harmlessVariables.map((name) => name.replace('*', 'ALL'));
    const before = names.map((name) => [name, process.env[name]] as const);
    home.write(
      `${home.read()}Host *\n${names.map((name) => `  SendEnv ${name.replace('ALL', '*')}\n`).join('')}`,
    );
    try {
      for (const name of names) {
        process.env[name] = 'C';
      }
      const key = home.key();
      machine.authorize(key);
      const ssh = home.service();
      const instance = sshInstance(machine.port);
      await ssh.prepare({ account: sshAccount, instanceId: 7, instance, registeredKeys: [key] });
      const scripts = [
        (await ssh.exec('gpu-7', 'env')).stdout,
        (await ssh.exec('gpu-7', 'env', { usesLoginShell: true })).stdout,
        (await runTimed({ ssh, clock: systemClock }, 'gpu-7', 'env', { timeoutMs: 20_000 })).stdout,
      ];
      for (const environment of scripts) {
        assert.match(environment, /^SSH_CONNECTION=/m);
        const sent = environment.split('\n').map((line) => line.split('=')[0] ?? '');
        assert.deepEqual(
          sent.filter((name) => names.includes(only(name)) || /^(?:LC_|GPU_RENTAL|TMUX)/.test(name)),
          [],
        );
      }
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) {
          Reflect.deleteProperty(process.env, name);
        } else {
          process.env[name] = value;
        }
      }
    }
  });

  it('is no agent where the user runs nothing, though the instance may use it', async () => {
    const key = home.key();
    const said = join(machine.dir, 'environment');
    machine.authorize(`command="env >> ${said}; eval \\"$SSH_ORIGINAL_COMMAND\\"" ${key}`);
    const socket = join(machine.dir, 'agent');
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
    const run: Run = (program, args, options) =>
      home.run(program, args, { ...options, env: { ...options?.env, SSH_AUTH_SOCK: socket } });
    try {
      await until('the agent', () => existsSync(socket));
      const ssh = home.service({ run });
      const instance = sshInstance(machine.port);
      const forwardAgent = true;
      await ssh.connect({
        account: sshAccount,
        instanceId: 7,
        instance,
        registeredKeys: [key],
        forwardAgent,
      });
      await ssh.exec('gpu-7', 'true');
      const agents = () => readFileSync(said, 'utf8').match(/^SSH_AUTH_SOCK=/gm)?.length ?? 0;
      assert.equal(agents(), 0);
      await ssh.exec('gpu-7', 'true', { usesAgent: true });
      assert.equal(agents(), 1);
    } finally {
      agent.kill();
    }
  });

  it('is no port of this computer, and none that another session holds, where a port of the machine is forwarded', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const held = (holder.address() as AddressInfo).port;
    const given = await freePort();
    home.write(
      `Host *\n  RemoteForward ${given} localhost:22\n  LocalForward ${held} localhost:22\n  ExitOnForwardFailure yes\n`,
    );
    const key = home.key();
    machine.authorize(key);
    const ssh = home.service();
    const instance = sshInstance(machine.port);
    await ssh.connect({ account: sshAccount, instanceId: 7, instance, registeredKeys: [key] });
    const forward = await ssh.forward('gpu-7', { remotePort: machine.port });
    try {
      // The machine is this computer, so that a port that it got would be taken.
      const probe = createServer().listen(given, '127.0.0.1');
      await once(probe, 'listening');
      probe.close();
    } finally {
      forward.close();
      await forward.ended;
      holder.close();
    }
  });
});
