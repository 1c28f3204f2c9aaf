import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createMachineChecks, type MachineChecksDeps } from '../../../src/machineChecks';
import { HostKeyError } from '../../../src/ssh/hostKey';
import { explainFailure } from '../../../src/ssh/problemText';
import { parsePublicKey } from '../../../src/ssh/publicKey';
import { runProgram } from '../../../src/ssh/run';
import type { SshService } from '../../../src/ssh/service';
import { systemClock } from '../../../src/util/clock';
import { silentLog } from '../../../src/util/log';
import { formatText } from '../../../src/util/text';
import { useRealSsh, type RealSshScene } from '../../support/realSsh';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import type { SshMachine } from '../../support/sshMachine';

describe('SSH with the real client and a real server', () => {
  const scene = useRealSsh();
  const request: RealSshScene['request'] = (...parts) => scene().request(...parts);
  const listen: RealSshScene['listen'] = (server) => scene().listen(server);
  let home: SshHome;
  let machine: SshMachine;

  beforeEach(() => {
    ({ home, machine } = scene());
  });

  /** Checks of the machine with this key registered. */
  const checks = (ssh: SshService, key: string) =>
    createMachineChecks({
      accounts: { active: { ...sshAccount, user: {}, client: {} } },
      fleet: { find: () => sshInstance(machine.port) },
      ssh,
      sshConsent: { isAnswered: () => true },
      sshKeys: { state: { kind: 'ready', value: [{ publicKey: key }] } },
      clock: systemClock,
      log: silentLog,
    } as unknown as MachineChecksDeps);

  it('logs in by the alias, through the config file that it wrote', async () => {
    const key = home.key();
    machine.authorize(key);
    const ssh = home.service();
    const { host, preflight } = await ssh.connect(request({}, [key]));
    assert.equal(preflight.ok, true, JSON.stringify(preflight));
    assert.deepEqual(host.verification, { kind: 'equal' });
    assert.equal(host.endpoint.kind, 'direct');
    const [program, ...args] = ssh.command('gpu-7', 'echo', 'hello');
    assert.equal((await home.run(program, args)).stdout.trim(), 'hello');
    assert.match(home.read(join(home.ownDir, 'known_hosts')), /^gpu-7 ssh-ed25519 /);
    assert.equal(home.mode(home.ownDir), '700');
    assert.equal(home.mode(join(home.ownDir, 'gpu-7.conf')), '600');
  });

  it('logs in by the name of a workspace, which leads to one proved instance alone', async () => {
    const key = home.key();
    machine.authorize(key);
    const ssh = home.service();
    await ssh.writeEntry(request({}, [key]));
    await assert.rejects(ssh.nameWorkspace('gpu-ws-llm', 'gpu-7'), /No login has proved gpu-7/);
    await ssh.connect(request({}, [key]));
    await ssh.connect({ ...request({ id: 8 }, [key]), instanceId: 8 });
    const says = async (host: string) => {
      const [program, ...args] = ssh.command('gpu-7', 'echo', 'hello');
      const { code, stdout } = await home.run(
        program,
        args.map((one) => (one === 'gpu-7' ? host : one)),
      );
      return code === 0 ? stdout.trim() : undefined;
    };
    assert.equal(await says('gpu-ws-llm'), undefined);
    await ssh.nameWorkspace('gpu-ws-llm', 'gpu-7');
    assert.equal(await says('gpu-ws-llm'), 'hello');
    assert.equal(await says('gpu-7'), 'hello');
    // A later login keeps the name, with the host key of the instance.
    const { host } = await ssh.connect(request({}, [key]));
    assert.deepEqual(host.verification, { kind: 'equal' });
    assert.equal((await ssh.entry('gpu-7'))?.workspace, 'gpu-ws-llm');
    await ssh.nameWorkspace('gpu-ws-llm', 'gpu-8');
    assert.deepEqual(
      [(await ssh.entry('gpu-7'))?.workspace, (await ssh.entry('gpu-8'))?.workspace],
      [undefined, 'gpu-ws-llm'],
    );
    assert.equal(await says('gpu-ws-llm'), 'hello');
    await ssh.nameWorkspace('gpu-ws-llm', undefined);
    assert.equal(await says('gpu-ws-llm'), undefined);
    await assert.rejects(ssh.nameWorkspace('gpu-ws-llm gpu-*', 'gpu-8'));
  });

  it('logs in from a home folder whose name is not ASCII, and leaves foreign bytes as they are', async () => {
    const other = new SshHome('Jos\u00e9 \u5bb6');
    scene().atEnd(() => {
      other.dispose();
    });
    const foreign = Buffer.from('# caf\xe9 in Latin-1\nHost other\n  Port 1\n', 'latin1');
    other.write(foreign);
    const key = other.key();
    machine.authorize(key);
    const ssh = other.service();
    const { host, preflight } = await ssh.connect(request({}, [key]));
    assert.equal(preflight.ok, true, JSON.stringify(preflight));
    assert.deepEqual(host.verification, { kind: 'equal' });
    assert.match(
      readFileSync(join(other.ownDir, 'gpu-7.conf'), 'utf8'),
      /UserKnownHostsFile .*Jos\u00e9 \u5bb6/,
    );
    assert.match(readFileSync(join(other.ownDir, 'known_hosts'), 'utf8'), /^gpu-7 ssh-ed25519 /);
    assert.ok(readFileSync(other.configFile).subarray(-foreign.length).equals(foreign));
    assert.equal((await ssh.inspect()).config.include, 'first');
    await ssh.removeAll();
    assert.ok(readFileSync(other.configFile).equals(foreign));
  });

  it('reports that no key was accepted and which ones were tried', async () => {
    const registered = home.key();
    const { preflight } = await home.service().connect(request({}, [registered]));
    assert.equal(preflight.ok, false);
    assert.ok(!preflight.ok);
    assert.equal(preflight.problem, 'authentication');
    assert.equal(preflight.keysTried.length, 1);
    assert.match(preflight.keysTried[0] ?? '', /^SHA256:/);
  });

  it('reports that ssh uses no key which other users can read, until only this user can', async () => {
    const key = home.key();
    machine.authorize(key);
    const ssh = home.service();
    const file = join(home.sshDir, 'id_ed25519');
    chmodSync(file, 0o644);
    const { preflight } = await ssh.connect(request({}, [key]));
    assert.ok(!preflight.ok);
    assert.deepEqual([preflight.problem, preflight.detail], ['unprotectedKey', file]);
    const { text, fixes } = explainFailure(preflight);
    assert.match(formatText(text), /because other users of this computer can read it/);
    assert.deepEqual(fixes, ['protectKey', 'retry']);
    // A check of the machine blames this computer, so that no machine is replaced for it.
    assert.deepEqual(await checks(ssh, key).check(7, () => undefined, new AbortController().signal), {
      kind: 'notChecked',
      reason: 'unprotectedKey',
      detail: file,
    });
    await ssh.tighten();
    assert.equal((await ssh.connect(request({}, [key]))).preflight.ok, true);
  });

  it('checks host keys in the background by its own file, with any lines before a pasted Include', async () => {
    const key = home.key();
    machine.authorize(key);
    const lines = [
      'Host *',
      '  UserKnownHostsFile /dev/null',
      '  HashKnownHosts yes',
      '  StrictHostKeyChecking',
    ];
    const include = `  Include ${home.ownDir}/*.conf\n`;
    const { port } = machine;
    for (const checking of ['yes', 'no']) {
      // Managed by another program, so that the line stays where it is.
      home.write(`${lines.join('\n')} ${checking}\n${include}`);
      chmodSync(home.configFile, 0o400);
      const ssh = home.service();
      const { verification } = await ssh.prepare(request({}, [key]));
      assert.equal(verification.kind, 'overridden');
      assert.equal((await ssh.exec('gpu-7', 'echo $((40+2))')).stdout, '42\n');
      (await ssh.forward('gpu-7', { remotePort: port })).close();
      assert.equal((await ssh.connect(request({}, [key]))).preflight.ok, true);
      await machine.stop();
      machine.newHostKey();
      await machine.start({ port });
      await assert.rejects(ssh.exec('gpu-7', 'true'), HostKeyError);
      await assert.rejects(ssh.forward('gpu-7', { remotePort: port }), HostKeyError);
      const { preflight } = await ssh.connect(request({}, [key]));
      assert.ok(!preflight.ok);
      assert.equal(preflight.problem, 'hostKeyChanged');
      await ssh.removeAll().catch(() => undefined);
      rmSync(home.configFile);
    }
  });

  it('refuses a host key that changed until it is forgotten', async () => {
    const key = home.key();
    machine.authorize(key);
    const ssh = home.service();
    assert.equal((await ssh.connect(request({}, [key]))).preflight.ok, true);
    const { port } = machine;
    await machine.stop();
    machine.newHostKey();
    await machine.start({ port });
    const changed = (await ssh.connect(request({}, [key]))).preflight;
    assert.ok(!changed.ok);
    assert.equal(changed.problem, 'hostKeyChanged');
    await ssh.forgetHostKey('gpu-7');
    assert.equal((await ssh.connect(request({}, [key]))).preflight.ok, true);
  });

  it('moves its block in front of a Host * that would override it', async () => {
    const key = home.key();
    machine.authorize(key);
    const user = 'Host *\n  User nobody\n  Port 1\n  IdentityFile /nowhere\n';
    home.write(`${user}# >>> GPU Rental >>>\nInclude ${home.ownDir}/*.conf\n# <<< GPU Rental <<<\n`);
    const { host, preflight } = await home.service().connect(request({}, [key]));
    assert.equal(preflight.ok, true, JSON.stringify(preflight));
    assert.ok(home.read().endsWith(user));
    // The second IdentityFile adds to ours and is tried after it.
    assert.deepEqual(host.verification, { kind: 'equal' });
  });

  it('gets in with a full agent, because only the chosen key is offered', async () => {
    const key = home.key();
    machine.authorize(key);
    const socket = await startAgent();
    const others = Array.from({ length: 8 }, (_, number) => `other${number}`);
    others.forEach((name) => home.key(name));
    const files = others.map((name) => join(home.sshDir, name));
    const env = { ...process.env, SSH_AUTH_SOCK: socket };
    execFileSync('ssh-add', ['-q', ...files], { env, stdio: 'ignore' });
    const run: typeof home.run = (program, args, options = {}) =>
      runProgram(program, args, { ...options, env: { SSH_AUTH_SOCK: socket } });
    const crowded = await run('ssh', [
      '-F',
      'none',
      '-v',
      '-o',
      'BatchMode=yes',
      '-p',
      String(machine.port),
      '-o',
      'StrictHostKeyChecking=no',
      '-o',
      `UserKnownHostsFile=${home.root}/kh`,
      'root@127.0.0.1',
      'true',
    ]);
    assert.match(crowded.stderr, /Too many authentication failures/);
    const { preflight } = await home.service({ run, agentSocket: socket }).connect(request({}, [key]));
    assert.equal(preflight.ok, true, JSON.stringify(preflight));
  });

  it('uses a key that only an agent holds', async () => {
    const key = home.key();
    machine.authorize(key);
    const socket = await startAgent();
    const env = { ...process.env, SSH_AUTH_SOCK: socket };
    execFileSync('ssh-add', ['-q', join(home.sshDir, 'id_ed25519')], { env, stdio: 'ignore' });
    execFileSync('rm', [join(home.sshDir, 'id_ed25519'), join(home.sshDir, 'id_ed25519.pub')]);
    const run: typeof home.run = (program, args, options = {}) =>
      runProgram(program, args, { ...options, env: { SSH_AUTH_SOCK: socket } });
    const { host, preflight } = await home.service({ run, agentSocket: socket }).connect(request({}, [key]));
    assert.equal(host.identity.key?.inAgent, true);
    assert.equal(preflight.ok, true, JSON.stringify(preflight));
  });

  it('shows the machine only the chosen key where only a full agent holds it', async () => {
    const socket = await startAgent();
    const env = { ...process.env, SSH_AUTH_SOCK: socket };
    const names = Array.from({ length: 8 }, (_, number) => `kept${number}`);
    const lines = names.map((name) => home.key(name));
    for (const file of names.map((name) => join(home.sshDir, name))) {
      execFileSync('ssh-add', ['-q', file], { env, stdio: 'ignore' });
      execFileSync('rm', [file, `${file}.pub`]);
    }
    const key = lines.at(-1) ?? '';
    machine.authorize(key);
    const run: typeof home.run = (program, args, options = {}) =>
      home.run(program, args, { ...options, env: { SSH_AUTH_SOCK: socket } });
    const ssh = home.service({ run, agentSocket: socket });
    const { host, preflight } = await ssh.connect(request({}, [key]));
    assert.equal(preflight.ok, true, JSON.stringify(preflight));
    assert.deepEqual(host.verification, { kind: 'equal' });
    machine.authorize(lines[0] ?? '');
    const refused = (await ssh.connect(request({}, [key]))).preflight;
    assert.ok(!refused.ok);
    assert.deepEqual(refused.keysTried, [host.identity.key?.publicKey.fingerprint]);
  });

  it('blames no machine for a key that its agent does not show or does not sign with', async () => {
    const key = home.key();
    machine.authorize(key);
    const socket = await startAgent();
    const env = { ...process.env, SSH_AUTH_SOCK: socket };
    const kept = join(home.root, 'kept');
    renameSync(join(home.sshDir, 'id_ed25519'), kept);
    rmSync(join(home.sshDir, 'id_ed25519.pub'));
    const add = (...options: readonly string[]) =>
      execFileSync('ssh-add', ['-q', ...options], { env, stdio: 'ignore' });
    add(kept);
    const run: typeof home.run = (program, args, options = {}) =>
      home.run(program, args, { ...options, env: { SSH_AUTH_SOCK: socket } });
    const ssh = home.service({ run, agentSocket: socket });
    assert.equal((await ssh.connect(request({}, [key]))).preflight.ok, true);
    for (const refuse of [() => add('-D'), () => add('-c', kept)]) {
      refuse();
      const { host, preflight } = await ssh.connect(request({}, [key]));
      assert.ok(!preflight.ok);
      assert.equal(preflight.problem, 'notSigned');
      const { text, fixes } = explainFailure(preflight, host.identity);
      assert.match(formatText(text), /^The instance knows the key SHA256:/);
      assert.ok(!fixes.includes('attachKey'));
    }
    // The agent shows the key, and nobody confirms its use.
    assert.deepEqual(await checks(ssh, key).check(7, () => undefined, new AbortController().signal), {
      kind: 'notChecked',
      reason: 'unsignedKey',
      detail: parsePublicKey(key)?.fingerprint,
    });
  });

  it('passes text that the machine prints at login, and names a shell that ends too early', async () => {
    const key = home.key();
    machine.authorize(`command="echo 'Welcome to tmux!'; eval \\"$SSH_ORIGINAL_COMMAND\\"" ${key}`);
    const ssh = home.service();
    const noisy = (await ssh.connect(request({}, [key]))).preflight;
    assert.ok(noisy.ok);
    assert.equal(noisy.noisy, true);
    machine.authorize(`command="echo 'open terminal failed: not a terminal' >&2; exit 1" ${key}`);
    const broken = (await ssh.connect(request({}, [key]))).preflight;
    assert.ok(!broken.ok);
    assert.equal(broken.problem, 'startupScript');
  });

  it('reports that the disk is full before an editor fails to install itself there', async () => {
    const key = home.key();
    const bin = join(machine.dir, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'df'), "#!/bin/sh\necho '/dev/vda1 1000000 999000 1000 100% /'\n", {
      mode: 0o755,
    });
    machine.authorize(`command="export PATH=${bin}:$PATH; eval \\"$SSH_ORIGINAL_COMMAND\\"" ${key}`);
    const { preflight } = await home.service().connect(request({}, [key]));
    assert.ok(!preflight.ok);
    assert.equal(preflight.problem, 'diskFull');
  });

  it('names the line of the user that overrides ours', async () => {
    const key = home.key();
    machine.authorize(key);
    const include = `Include ${home.ownDir}/*.conf\n`;
    // Managed files are read-only; here somebody put our line below lines of their own.
    home.write(`Host gpu-*\n  Port 2222\n\nHost *\n${include}`, home.configFile, 0o400);
    const { host, preflight } = await home.service().connect(request({}, [key]));
    assert.equal(preflight.ok, false);
    assert.ok(host.verification.kind === 'overridden');
    assert.deepEqual(host.verification.overrides, [
      {
        option: 'port',
        wanted: String(machine.port),
        found: '2222',
        place: { file: home.configFile, line: 2, text: 'Port 2222' },
      },
    ]);
  });

  it('stops a login that lasts too long as soon as its signal is aborted', async () => {
    const silent = await listen(createServer((socket) => socket.on('error', () => undefined)));
    const stop = new AbortController();
    const ssh = home.service({
      probe: () => Promise.resolve('ssh'),
      run: (program, args, options) => {
        if (!args.includes('-G') && program === 'ssh') {
          setImmediate(() => stop.abort());
        }
        return home.run(program, args, options);
      },
    });
    await assert.rejects(
      ssh.connect(request({ ports: [{ containerPort: 22, protocol: 'tcp', hostPort: silent }] }, []), {
        signal: stop.signal,
      }),
      { name: 'CancelledError' },
    );
  });

  /** Returns the agent's socket once it is there. */
  async function startAgent(): Promise<string> {
    const socket = join(home.root, 'agent');
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
    scene().atEnd(() => agent.kill());
    // It prints how to reach it after it has begun to listen.
    await once(agent.stdout, 'data');
    return socket;
  }
});
