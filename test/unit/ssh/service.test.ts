import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { aliasOf } from '../../../src/ssh/alias';
import { nodeFileSystem } from '../../../src/ssh/fileSystem';
import { explainVerification } from '../../../src/ssh/problemText';
import type { SshService } from '../../../src/ssh/service';
import { ManualStepError } from '../../../src/ssh/userConfig';
import { UserError } from '../../../src/util/errors';
import { formatText } from '../../../src/util/text';
import { FakeClock } from '../../support/fakeClock';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';

const elsewhere = { key: 'market.example#1', serviceUrl: 'https://market.example', isDemo: false };
const demo = { key: 'demo', serviceUrl: 'http://127.0.0.1:8787', isDemo: true };

describe('The SSH entries', () => {
  let home: SshHome;
  let ssh: SshService;

  beforeEach(() => {
    home = new SshHome();
    ssh = home.service({ probe: () => Promise.resolve('ssh') });
  });
  afterEach(() => home.dispose());

  function prepare(instanceId: number, account = sshAccount) {
    const instance = sshInstance(41_022, { id: instanceId, publicIp: '192.0.2.1' });
    return ssh.writeEntry({ account, instanceId, instance, registeredKeys: [] });
  }

  const confs = () =>
    readdirSync(home.ownDir)
      .filter((name) => name !== 'config-files')
      .sort();

  it('are named by id, and by the address where it is not the usual one', () => {
    assert.equal(aliasOf(sshAccount, 7), 'gpu-7');
    assert.equal(aliasOf({ ...sshAccount, serviceUrl: 'https://console.vast.ai/' }, 7), 'gpu-7');
    assert.equal(aliasOf(demo, 7), 'gpu-demo-7');
    assert.match(aliasOf(elsewhere, 7), /^gpu-[0-9a-f]{6}-7$/);
    assert.equal(aliasOf(elsewhere, 7), aliasOf({ ...elsewhere, serviceUrl: 'https://market.example/' }, 7));
  });

  it('know the latency of their own addresses alone', async () => {
    const server = createServer((socket) => void socket.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const instance = sshInstance(port, { id: 7 });
    const { signal } = new AbortController();
    assert.equal(await ssh.latency('gpu-7', signal), undefined, 'no entry');
    await ssh.writeEntry({ account: sshAccount, instanceId: 7, instance, registeredKeys: [] });
    assert.ok(Number(await ssh.latency('gpu-7', signal)) >= 0);
    await new Promise((resolve) => server.close(resolve));
    assert.equal(await ssh.latency('gpu-7', signal), undefined, 'no connection');
  });

  it('name the other addresses, those first that answered', async () => {
    const outcomes = { 41_022: 'ssh', 5001: 'refused', 5000: 'ssh' } as const;
    const probed = home.service({
      probe: async ({ port, kind }) => {
        // The best one answers last, so that all are known.
        if (kind === 'direct') {
          await new Promise((resolve) => setImmediate(resolve));
        }
        return outcomes[port as keyof typeof outcomes];
      },
    });
    const instance = sshInstance(41_022, {
      runtype: 'jupyter_direc ssh_direc ssh_proxy',
      publicIp: '192.0.2.1',
      sshHost: 'ssh5.example.com',
      sshPort: 5000,
    });
    const host = await probed.writeEntry({
      account: sshAccount,
      instanceId: 7,
      instance,
      registeredKeys: [],
    });
    assert.deepEqual(
      [host.endpoint, ...host.others].map(({ port }) => port),
      [41_022, 5000, 5001],
    );
  });

  it('state the options of a rented machine', async () => {
    const key = home.key();
    const instance = sshInstance(41_022, { publicIp: '192.0.2.1' });
    await ssh.writeEntry({ account: sshAccount, instanceId: 7, instance, registeredKeys: [key] });
    assert.deepEqual(home.read(join(home.ownDir, 'gpu-7.conf')).split('\n').slice(2), [
      'Host gpu-7',
      '  HostName 192.0.2.1',
      '  Port 41022',
      '  User root',
      '  PubkeyAuthentication yes',
      '  PreferredAuthentications publickey',
      '  HostKeyAlias gpu-7',
      `  UserKnownHostsFile ${home.ownDir}/known_hosts`,
      '  GlobalKnownHostsFile none',
      '  StrictHostKeyChecking ask',
      '  HashKnownHosts no',
      '  CheckHostIP no',
      '  UpdateHostKeys no',
      `  IdentityFile ${home.sshDir}/id_ed25519`,
      '  IdentitiesOnly yes',
      '  ForwardAgent no',
      '  ForwardX11 no',
      '  ForwardX11Trusted no',
      '  Tunnel no',
      '  SendEnv -*',
      '  ConnectTimeout 20',
      '  ServerAliveInterval 15',
      '  ServerAliveCountMax 3',
      '',
    ]);
  });

  it('explain why this computer does not let them be written', async () => {
    const refusals = [
      ['EACCES', /^Could not use the SSH files in .*gpu-rental\.d\. This computer denies access to .*\.ssh/],
      ['EROFS', /read-only/],
      ['ENOSPC', /disk of this computer is full/],
    ] as const;
    for (const [code, words] of refusals) {
      for (const step of ['makeDir', 'create', 'createSynced'] as const) {
        const refuse = (path: string) => Promise.reject(Object.assign(new Error(code), { code, path }));
        const clock = new FakeClock();
        const fs = { ...nodeFileSystem, [step]: refuse };
        const refused = home.service({ fs, clock, probe: () => Promise.resolve('ssh') });
        const instance = sshInstance(41_022, { publicIp: '192.0.2.1', id: 8 });
        const request = { account: sshAccount, instanceId: 8, instance, registeredKeys: [] };
        await assert.rejects(clock.through(refused.writeEntry(request)), (error) => {
          assert.ok(error instanceof UserError, `${code} ${step}: ${String(error)}`);
          assert.match(error.message, words);
          return true;
        });
      }
    }
  });

  it('are as they should be where the service writes its host in capitals', async () => {
    const instance = { ...sshInstance(41_022), sshHost: 'SSH5.Vast.AI', sshPort: 15_001, ports: [] };
    const host = await ssh.writeEntry({ account: sshAccount, instanceId: 7, instance, registeredKeys: [] });
    assert.deepEqual(host.verification, { kind: 'equal' });
  });

  it('name what lines for all hosts give to a rented machine, anywhere in the config', async () => {
    const lines: Readonly<Record<string, string>> = {
      'SendEnv AWS_*': 'AWS_*',
      'SendEnv LANG HF_TOKEN': 'HF_TOKEN',
      'SetEnv TOKEN=abc': 'TOKEN=abc',
      'RemoteForward 9000 localhost:22': '9000 [localhost]:22',
    };
    for (const [line, found] of Object.entries(lines)) {
      home.write(`Host other\n  SendEnv OTHER\nHost *\n  SendEnv LC_*\n  ${line}\n`);
      const { verification } = await prepare(7);
      const option = line.split(' ')[0]?.toLowerCase() ?? '';
      const place = { file: home.configFile, line: 8, text: line };
      assert.deepEqual(verification, {
        kind: 'overridden',
        overrides: [{ option, wanted: '', found, place }],
      });
      const said = formatText(explainVerification(verification)?.text ?? { template: '', args: [] });
      assert.match(said, /^Line 8 of .* gives rented machines .*Host \* !gpu-\*/);
    }
  });

  it('treat it as usual that a machine gets language and terminal', async () => {
    home.write('Host *\n  SendEnv LANG LC_* COLORTERM\n  SetEnv TERM=xterm-256color\n');
    assert.deepEqual((await prepare(7)).verification, { kind: 'equal' });
  });

  it('send nothing that a line above ours would send', async () => {
    // Managed files are read-only, and somebody put our line below lines of their own.
    home.write(`SendEnv AWS_*\nInclude ${home.ownDir}/*.conf\n`, home.configFile, 0o400);
    assert.deepEqual((await prepare(7)).verification, { kind: 'equal' });
  });

  it('are as they should be where a key has a percent sign in its name', async () => {
    const key = home.key('id_100%h');
    const instance = sshInstance(41_022, { publicIp: '192.0.2.1' });
    const request = { account: sshAccount, instanceId: 7, instance, registeredKeys: [key] };
    const host = await ssh.writeEntry(request);
    assert.equal(host.identity.key?.privateFile, join(home.sshDir, 'id_100%h'));
    assert.deepEqual(host.verification, { kind: 'equal' });
    assert.equal((await ssh.entry('gpu-7'))?.identityFile, host.identity.file);
  });

  it('forward the agent only where that was asked for, and remember it', async () => {
    const instance = sshInstance(41_022, { publicIp: '192.0.2.1' });
    const request = { account: sshAccount, instanceId: 7, instance, registeredKeys: [] };
    await ssh.writeEntry({ ...request, forwardAgent: true });
    await ssh.writeEntry(request);
    assert.equal((await ssh.entry('gpu-7'))?.forwardAgent, true);
    await ssh.writeEntry({ ...request, forwardAgent: false });
    assert.equal((await ssh.entry('gpu-7'))?.forwardAgent, false);
  });

  it('prefer a key that needs no passphrase', async () => {
    const locked = home.key('a_locked', 'secret');
    const open = home.key('b_open');
    const instance = sshInstance(41_022, { publicIp: '192.0.2.1' });
    const request = { account: sshAccount, instanceId: 7, instance };
    const both = await ssh.writeEntry({ ...request, registeredKeys: [locked, open] });
    assert.equal(both.identity.key?.publicKey.comment, 'b_open');
    const one = await ssh.writeEntry({ ...request, registeredKeys: [locked] });
    assert.equal(one.identity.lockedFile, join(home.sshDir, 'a_locked'));
  });

  it('are forgotten with their host keys, and nothing else is', async () => {
    await prepare(7);
    await prepare(8);
    const known = join(home.ownDir, 'known_hosts');
    home.write('gpu-7 ssh-ed25519 AAAA\ngpu-77 ssh-ed25519 BBBB\ngpu-8 ssh-ed25519 CCCC\n', known);
    await ssh.prune(sshAccount, [8], Date.now() + 60_000);
    assert.deepEqual(confs(), ['gpu-8.conf', 'known_hosts']);
    assert.equal(home.read(known), 'gpu-77 ssh-ed25519 BBBB\ngpu-8 ssh-ed25519 CCCC\n');
  });

  it('vanish when their instance is gone from a complete list, those of other accounts stay', async () => {
    await prepare(7);
    await prepare(8);
    await prepare(7, elsewhere);
    assert.deepEqual(await ssh.prune(sshAccount, [8], 1), [], 'the list is older than the entries');
    const later = Date.now() + 60_000;
    assert.deepEqual(await ssh.prune(sshAccount, [8], later), ['gpu-7']);
    assert.deepEqual(confs(), [`${aliasOf(elsewhere, 7)}.conf`, 'gpu-8.conf'].sort());
    assert.deepEqual(await ssh.prune(sshAccount, [8], later), []);
  });

  it('vanish on sign-out; with the last account the block and the folder go too', async () => {
    home.write('Host mine\n  Port 22\n');
    await prepare(7);
    await prepare(7, elsewhere);
    await ssh.removeAll(sshAccount);
    assert.deepEqual(confs(), [`${aliasOf(elsewhere, 7)}.conf`]);
    await ssh.removeAll(elsewhere);
    assert.equal(existsSync(home.ownDir), false);
    assert.equal(home.read(), 'Host mine\n  Port 22\n');
  });

  it('leave the folder if it has files of others', async () => {
    await prepare(7);
    home.write('mine', join(home.ownDir, 'notes.txt'));
    await ssh.removeAll();
    assert.deepEqual(confs(), ['notes.txt']);
    await ssh.removeAll();
  });

  it('work with a read-only config that has our line in it, and name the line where it has not', async () => {
    home.write('Host mine\n', undefined, 0o400);
    await assert.rejects(prepare(7), ManualStepError);
    home.write(
      `Host other\n  Port 1\nMatch all\nInclude ${home.ownDir}/*.conf\n`,
      join(home.sshDir, 'managed'),
      0o400,
    );
    const managed = { ...home.environment, configFile: join(home.sshDir, 'managed') };
    Object.defineProperty(home, 'environment', { value: managed });
    assert.deepEqual((await prepare(7)).verification, { kind: 'equal' });
  });

  it('follow an instance that moved, and are left alone otherwise', async () => {
    const ssh = home.service();
    const conf = () => home.read(join(home.ownDir, 'gpu-7.conf'));
    assert.equal(await ssh.follow(sshAccount, sshInstance(22_001)), undefined);
    assert.equal(await ssh.entry('gpu-7'), undefined, 'none is made');
    const instance = sshInstance(22_000);
    await ssh.writeEntry({ account: sshAccount, instanceId: 7, instance, registeredKeys: [] });
    const [before, user] = [conf(), home.read()];
    assert.equal(await ssh.follow(sshAccount, instance), undefined);
    assert.equal(await ssh.follow(sshAccount, { ...instance, ports: [] }), undefined);
    assert.equal(conf(), before);
    const proxy = { sshHost: 'proxy.example.com', sshPort: 2222 };
    const moved = await ssh.follow(sshAccount, sshInstance(22_001, proxy));
    assert.deepEqual(moved, { kind: 'direct', host: '127.0.0.1', port: 22_001 });
    assert.equal(conf(), before.replace('Port 22000', 'Port 22001'));
    assert.equal(home.read(), user);
  });

  it('are written once: the second time changes nothing', async () => {
    await prepare(7);
    const before = home.read(join(home.ownDir, 'gpu-7.conf'));
    await prepare(7);
    assert.equal(home.read(join(home.ownDir, 'gpu-7.conf')), before);
    assert.deepEqual(ssh.command('gpu-7'), ['ssh', '-F', home.configFile, 'gpu-7']);
    assert.equal(ssh.commandLine('gpu-7'), `ssh -F ${home.configFile} gpu-7`);
    assert.throws(() => ssh.command('-oProxyCommand=id'));
  });
});
