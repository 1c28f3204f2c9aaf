import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../../src/ssh/run';
import { NoAddressError } from '../../../src/ssh/prepareHost';
import { systemClock, type Clock } from '../../../src/util/clock';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { freePort, SshMachine } from '../../support/sshMachine';

/** Names, sizes, times and contents of a folder, to prove that nobody touched it. */
function snapshot(dir: string): string {
  if (!existsSync(dir)) {
    return 'missing';
  }
  const hash = createHash('sha256');
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()) {
    const facts = lstatSync(join(dir, name));
    hash.update(`${name} ${facts.mode} ${facts.mtimeMs} `);
    if (facts.isFile()) {
      hash.update(readFileSync(join(dir, name)));
    }
  }
  return hash.digest('hex');
}

describe('SSH with the real client and a real server', () => {
  let home: SshHome;
  let machine: SshMachine;
  const closers: (() => unknown)[] = [];
  const realSsh = join(userInfo().homedir, '.ssh');
  let before: string;

  beforeEach(async () => {
    before = snapshot(realSsh);
    home = new SshHome();
    machine = new SshMachine();
    await machine.start();
  });

  afterEach(async () => {
    for (const close of closers.splice(0)) {
      await close();
    }
    await machine.dispose();
    home.dispose();
    assert.equal(snapshot(realSsh), before, 'the real ~/.ssh was touched');
  });

  function request(more: Parameters<typeof sshInstance>[1] = {}, keys: readonly string[] = []) {
    return {
      account: sshAccount,
      instanceId: 7,
      instance: sshInstance(machine.port, more),
      registeredKeys: keys,
    };
  }

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

  it('logs in from a home folder whose name is not ASCII, and leaves foreign bytes as they are', async () => {
    const other = new SshHome('Jos\u00e9 \u5bb6');
    closers.push(() => {
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

  it('says that no key was accepted and which ones were tried', async () => {
    const registered = home.key();
    const { preflight } = await home.service().connect(request({}, [registered]));
    assert.equal(preflight.ok, false);
    assert.ok(!preflight.ok);
    assert.equal(preflight.problem, 'authentication');
    assert.equal(preflight.keysTried.length, 1);
    assert.match(preflight.keysTried[0] ?? '', /^SHA256:/);
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
    assert.equal((await ssh.preflight('gpu-7')).ok, true);
  });

  it('follows a machine whose port moved, under the same alias and host key', async () => {
    const key = home.key();
    machine.authorize(key);
    const ssh = home.service();
    await ssh.connect(request({}, [key]));
    await machine.stop();
    await machine.start();
    const { host, preflight } = await ssh.connect(request({}, [key]));
    assert.equal(host.endpoint.port, machine.port);
    assert.equal(preflight.ok, true);
  });

  it('takes the proxy where the direct address does not answer, one port up for Jupyter', async () => {
    const key = home.key();
    machine.authorize(key);
    const closed = await freePort();
    const { host, preflight } = await home.service().connect(
      request(
        {
          ports: [{ containerPort: 22, protocol: 'tcp', hostPort: closed }],
          sshHost: '127.0.0.1',
          sshPort: machine.port - 1,
          runtype: 'jupyter_proxy ssh_proxy',
        },
        [key],
      ),
    );
    assert.deepEqual(host.endpoint, { kind: 'proxy', host: '127.0.0.1', port: machine.port });
    assert.equal(preflight.ok, true);
  });

  it('takes the proxy where the direct address greets and then breaks off', async () => {
    const key = home.key();
    machine.authorize(key);
    const broken = await listen(createServer((socket) => socket.end('SSH-2.0-broken\r\n')));
    const { host, preflight } = await home.service().connect(
      request(
        {
          ports: [{ containerPort: 22, protocol: 'tcp', hostPort: broken }],
          sshHost: '127.0.0.1',
          sshPort: machine.port,
        },
        [key],
      ),
    );
    assert.equal(host.endpoint.kind, 'proxy');
    assert.equal(preflight.ok, true);
  });

  it("keeps no host key of a stranger's server, and goes on to the next address", async () => {
    const stranger = await new SshMachine().start();
    closers.push(() => stranger.dispose());
    const key = home.key();
    machine.authorize(key);
    const ssh = home.service();
    const known = () => {
      const file = join(home.ownDir, 'known_hosts');
      return existsSync(file)
        ? home
            .read(file)
            .split('\n')
            .filter((line) => line !== '')
        : [];
    };
    const alone = { ...request({}, [key]), instance: sshInstance(stranger.port) };
    const refused = await ssh.connect(alone);
    assert.ok(!refused.preflight.ok && refused.preflight.problem === 'authentication');
    assert.deepEqual(known(), []);

    const proxy = { sshHost: '127.0.0.1', sshPort: machine.port };
    const both = { ...alone, instance: sshInstance(stranger.port, proxy) };
    const { host, preflight } = await ssh.connect(both);
    assert.deepEqual([preflight.ok, host.endpoint.kind, host.endpoint.port], [true, 'proxy', machine.port]);
    assert.equal(known().length, 1);

    // Its own direct address is no attack later, and a stranger at it is passed over.
    const back = await ssh.connect(request({}, [key]));
    assert.deepEqual([back.preflight.ok, back.host.endpoint.kind], [true, 'direct']);
    const again = await ssh.connect(both);
    assert.deepEqual([again.preflight.ok, again.host.endpoint.kind], [true, 'proxy']);
    const attacked = await ssh.connect(alone);
    assert.ok(!attacked.preflight.ok && attacked.preflight.problem === 'hostKeyChanged');
    assert.deepEqual(
      readdirSync(home.ownDir).filter((name) => name.includes('proof')),
      [],
    );
  });

  it('tells refused, silent and foreign servers apart', async () => {
    const key = home.key();
    const problems: Record<string, string> = {};
    const silent = await listen(createServer((socket) => socket.on('error', () => undefined)));
    const closing = await listen(createServer((socket) => socket.end()));
    const ports = { refused: await freePort(), silent, closing };
    for (const [name, port] of Object.entries(ports)) {
      const run: typeof home.run = (program, args, options) =>
        home.run(program, ['-o', 'ConnectTimeout=1', ...args], options);
      const { preflight } = await home
        .service({ run, probe: () => Promise.resolve('timedOut') })
        .connect(request({ ports: [{ containerPort: 22, protocol: 'tcp', hostPort: port }] }, [key]));
      problems[name] = preflight.ok ? 'ok' : preflight.problem;
    }
    assert.deepEqual(problems, { refused: 'refused', silent: 'noGreeting', closing: 'noGreeting' });
  });

  it('says that an address cannot be reached or looked up, with the real probe as with the real ssh', async () => {
    const key = home.key();
    const run: typeof home.run = (program, args, options) =>
      home.run(
        program,
        args[0] === '-F' ? [...args.slice(0, 2), '-o', 'ConnectTimeout=2', ...args.slice(2)] : args,
        options,
      );
    // A hundred times as fast, so that the probe does not wait for an answer that never comes.
    const clock: Clock = {
      now: () => systemClock.now(),
      elapsed: () => systemClock.elapsed(),
      schedule: (task, delayMs) => systemClock.schedule(task, delayMs / 100),
    };
    const ssh = home.service({ run, clock });
    // Both are kept free of machines for ever (RFC 5737, RFC 6761).
    const nowhere = await ssh.connect(request({ publicIp: '192.0.2.1' }, [key]));
    assert.ok(!nowhere.preflight.ok);
    // Which of these it is depends on the network in which the tests run.
    const { problem, detail } = nowhere.preflight;
    assert.ok(['timedOut', 'unreachable', 'refused'].includes(problem), `${problem}: ${detail}`);
    assert.notEqual(nowhere.host.probes[0]?.outcome, 'ssh');
    const unknown = await ssh.connect(request({ publicIp: 'gpu.invalid' }, [key]));
    assert.ok(!unknown.preflight.ok);
    assert.equal(unknown.preflight.problem, 'unresolved', unknown.preflight.detail);
  });

  it("goes through a jump host that the user's own Host * names", async () => {
    const key = home.key();
    machine.authorize(key);
    const marker = join(home.root, 'jumped');
    const jump = home.write(
      `#!/bin/bash\ntouch ${marker}\nexec 3<>/dev/tcp/127.0.0.1/${machine.port}\ncat <&3 & cat >&3\n`,
      join(home.root, 'jump'),
      0o755,
    );
    home.write(`Host *\n  ProxyCommand ${jump}\n`);
    const { host, preflight } = await home
      .service({ probe: () => Promise.resolve('unreachable') })
      .connect(request({ publicIp: '192.0.2.1' }, [key]));
    assert.equal(preflight.ok, true, JSON.stringify(preflight));
    assert.deepEqual(host.verification, { kind: 'equal' });
    assert.ok(existsSync(marker), 'the jump host was not used');
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
    const { preflight } = await home.service({ run }).connect(request({}, [key]));
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
    const { host, preflight } = await home.service({ run }).connect(request({}, [key]));
    assert.equal(host.identity.key?.inAgent, true);
    assert.equal(preflight.ok, true, JSON.stringify(preflight));
  });

  it('connects to the last known address while the service cannot be reached', async () => {
    const key = home.key();
    machine.authorize(key);
    const ssh = home.service();
    await ssh.connect(request({}, [key]));
    const { host, preflight } = await ssh.connect({
      account: sshAccount,
      instanceId: 7,
      instance: undefined,
      registeredKeys: undefined,
    });
    assert.equal(host.fromMemory, true);
    assert.equal(preflight.ok, true);
    await assert.rejects(
      ssh.prepare({ account: sshAccount, instanceId: 8, instance: undefined, registeredKeys: undefined }),
      NoAddressError,
    );
  });

  it('passes text that the machine prints at login, and names a shell that ends too early', async () => {
    const key = home.key();
    machine.authorize(`command="echo 'Welcome to tmux!'; eval \\"$SSH_ORIGINAL_COMMAND\\"" ${key}`);
    const ssh = home.service();
    const noisy = (await ssh.connect(request({}, [key]))).preflight;
    assert.ok(noisy.ok);
    assert.equal(noisy.noisy, true);
    machine.authorize(`command="echo 'open terminal failed: not a terminal' >&2; exit 1" ${key}`);
    const broken = await ssh.preflight('gpu-7');
    assert.ok(!broken.ok);
    assert.equal(broken.problem, 'startupScript');
  });

  it('says that the disk is full before an editor fails to install itself there', async () => {
    const key = home.key();
    machine.authorize(
      `command="eval \\"\${SSH_ORIGINAL_COMMAND%%;*}\\"; echo '/dev/vda1 1000000 999000 1000 100% /'" ${key}`,
    );
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

  it('stops a login that is taking too long as soon as it is told to', async () => {
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
    closers.push(() => agent.kill());
    // It prints how to reach it after it has begun to listen.
    await once(agent.stdout, 'data');
    return socket;
  }

  async function listen(server: Server): Promise<number> {
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    closers.push(() => server.close());
    const address = server.address();
    return address !== null && typeof address === 'object' ? address.port : 0;
  }
});
