import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { NoAddressError } from '../../../src/ssh/prepareHost';
import { systemClock, type Clock } from '../../../src/util/clock';
import { useRealSsh, type RealSshScene } from '../../support/realSsh';
import type { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { freePort, SshMachine } from '../../support/sshMachine';

describe('Addresses of a machine with the real client and a real server', () => {
  const scene = useRealSsh();
  const request: RealSshScene['request'] = (...parts) => scene().request(...parts);
  const listen: RealSshScene['listen'] = (server) => scene().listen(server);
  let home: SshHome;
  let machine: SshMachine;

  beforeEach(() => {
    ({ home, machine } = scene());
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

  it('uses the proxy if the direct address does not answer, one port up for Jupyter', async () => {
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

  it('uses the proxy if the direct address greets and then breaks off', async () => {
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

  it('keeps no host key of a stranger’s server, and continues with the next address', async () => {
    const stranger = await new SshMachine().start();
    scene().atEnd(() => stranger.dispose());
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

  it('distinguishes refused, silent and foreign servers', async () => {
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

  it('reports that an address can’t be reached or looked up, with the real probe as with the real ssh', async () => {
    const key = home.key();
    const run: typeof home.run = (program, args, options) =>
      home.run(program, args.includes('-F') ? ['-o', 'ConnectTimeout=2', ...args] : args, options);
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

  it('connects through a jump host that the user’s own Host * names', async () => {
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

  it('connects to the last known address while the service can’t be reached', async () => {
    const key = home.key();
    machine.authorize(key);
    const ssh = home.service();
    await ssh.connect(request({}, [key]));
    const { host, preflight } = await ssh.connect({
      account: sshAccount,
      instanceId: 7,
      instance: undefined,
      registeredKeys: undefined,
      isOld: true,
    });
    assert.equal(host.fromMemory, 'noAnswer');
    assert.equal(preflight.ok, true);
    await assert.rejects(
      ssh.prepare({ account: sshAccount, instanceId: 8, instance: undefined, registeredKeys: undefined }),
      NoAddressError,
    );
  });

  it('does not connect to the last known address of a machine that boots and has none yet', async () => {
    const key = home.key();
    machine.authorize(key);
    const ssh = home.service();
    await ssh.connect(request({}, [key]));
    const moved = request({ ports: [] }, [key]);
    await assert.rejects(ssh.connect({ ...moved, isBooting: true }), NoAddressError);
    const { host, preflight } = await ssh.connect(moved);
    assert.deepEqual([host.fromMemory, preflight.ok], ['noAddress', true]);
  });
});
