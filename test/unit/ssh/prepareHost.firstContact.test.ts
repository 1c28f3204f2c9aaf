import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostEntry } from '../../../src/ssh/hostConfig';
import { hostKeyTrust } from '../../../src/ssh/hostKey';
import { NoLoginError, type PrepareRequest } from '../../../src/ssh/prepareHost';
import { explainNoLogin } from '../../../src/ssh/problemText';
import { parsePublicKey } from '../../../src/ssh/publicKey';
import { formatText } from '../../../src/util/text';
import { publicKeys } from '../../support/rentedInstance';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { freePort, SshMachine } from '../../support/sshMachine';

describe('The first contact with a machine', () => {
  let home: SshHome;
  let machine: SshMachine;
  let stranger: SshMachine;
  let key: string;

  beforeEach(async () => {
    home = new SshHome();
    key = home.key();
    machine = await new SshMachine().start();
    machine.authorize(key);
    stranger = await new SshMachine().start();
  });
  afterEach(async () => {
    await machine.dispose();
    await stranger.dispose();
    home.dispose();
  });

  const knownHosts = () => join(home.ownDir, 'known_hosts');
  const pinned = () =>
    existsSync(knownHosts())
      ? home
          .read(knownHosts())
          .split('\n')
          .filter((line) => line !== '')
      : [];
  const checking = () => /StrictHostKeyChecking (\S+)/.exec(home.read(join(home.ownDir, 'gpu-7.conf')))?.[1];
  const request = (port: number, proxyPort?: number): PrepareRequest => ({
    account: sshAccount,
    instanceId: 7,
    instance: sshInstance(port, proxyPort === undefined ? {} : { sshHost: '127.0.0.1', sshPort: proxyPort }),
    registeredKeys: [key],
  });

  it('is a login before anything that asks no questions uses the entry, and another address is tried', async () => {
    const ssh = home.service();
    const host = await ssh.prepare(request(stranger.port, machine.port));
    assert.deepEqual([host.endpoint.kind, host.endpoint.port], ['proxy', machine.port]);
    assert.equal(pinned().length, 1);
    assert.equal(checking(), 'yes');
    assert.equal((await ssh.exec('gpu-7', 'echo hello')).stdout, 'hello\n');
    assert.equal(pinned().length, 1);
  });

  it('explains why there is none in the words of a connection, and accepts no host key of the stranger', async () => {
    const ssh = home.service();
    await assert.rejects(ssh.prepare(request(stranger.port)), (error) => {
      assert.ok(error instanceof NoLoginError);
      assert.equal(error.failure.problem, 'authentication');
      assert.match(error.message, /did not accept the key \S+id_ed25519\./);
      return true;
    });
    assert.deepEqual([pinned(), checking()], [[], 'ask']);
    // Even where something is run without that login.
    await assert.rejects(ssh.exec('gpu-7', 'echo hello'), /No login has proved the host key/);
    assert.deepEqual(pinned(), []);
  });

  it('is asked about by a command that was copied before it', async () => {
    const ssh = home.service();
    const host = await ssh.writeEntry(request(machine.port));
    assert.deepEqual(host.verification, { kind: 'equal' });
    const [program, ...args] = ssh.command('gpu-7', 'echo', 'hello');
    const { stderr } = await home.run(program, args, { withoutTerminal: true });
    assert.match(stderr, /Host key verification failed/);
    assert.deepEqual([pinned(), checking()], [[], 'ask']);
  });

  it('is logged in to once: what a login proved is not proved again at the same address', async () => {
    const logins: (readonly string[])[] = [];
    const run: typeof home.run = (program, args, options) => {
      if (args.includes('NumberOfPasswordPrompts=0')) {
        logins.push(args);
      }
      return home.run(program, args, options);
    };
    const ssh = home.service({ run });
    await ssh.prepare(request(machine.port));
    await ssh.prepare(request(machine.port));
    assert.equal(logins.length, 1);
    await ssh.connect(request(machine.port));
    assert.equal(logins.length, 2, 'a connection has its own login and no other');
    const { port } = machine;
    await machine.stop();
    await machine.start();
    assert.notEqual(machine.port, port);
    await ssh.prepare(request(machine.port));
    assert.equal(logins.length, 3);
  });

  it('passes a stranger over who is at the direct address later', async () => {
    const ssh = home.service();
    await ssh.prepare(request(await freePort(), machine.port));
    const host = await ssh.prepare(request(stranger.port, machine.port));
    assert.deepEqual([host.endpoint.kind, checking()], ['proxy', 'yes']);
    await assert.rejects(ssh.prepare(request(stranger.port)), /host key of the instance has changed/);
  });

  it('is a login again where the entry followed the instance to a stranger', async () => {
    const ssh = home.service();
    await ssh.prepare(request(await freePort(), machine.port));
    await ssh.follow(sshAccount, sshInstance(stranger.port));
    const host = await ssh.prepare(request(stranger.port, machine.port));
    assert.equal(host.endpoint.kind, 'proxy');
    assert.equal((await ssh.exec('gpu-7', 'echo hello')).stdout, 'hello\n');
  });

  it('is repeated after the host key was forgotten', async () => {
    const ssh = home.service();
    await ssh.prepare(request(machine.port));
    await ssh.forgetHostKey('gpu-7');
    assert.deepEqual([pinned(), checking()], [[], 'ask']);
    await ssh.prepare(request(machine.port));
    assert.deepEqual([pinned().length, checking()], [1, 'yes']);
  });

  describe('where several keys of this computer are registered', () => {
    const file = (name: string) => join(home.sshDir, name);
    const named = async () => (await home.service().entry('gpu-7'))?.identityFile;

    it('tries the next one where the machine knows only that, and stays with it', async () => {
      machine.authorize(home.key('z_older'));
      const registered = [key, home.key('b_newer'), readFileSync(file('z_older.pub'), 'utf8')];
      const ssh = home.service();
      const { host, preflight } = await ssh.connect({ ...request(machine.port), registeredKeys: registered });
      assert.equal(preflight.ok, true, JSON.stringify(preflight));
      assert.equal(host.identity.file, file('z_older'));
      assert.equal(await named(), file('z_older'));
      assert.equal((await ssh.exec('gpu-7', 'echo hello')).stdout, 'hello\n');
      const again = await ssh.connect({ ...request(machine.port), registeredKeys: registered });
      assert.equal(again.host.identity.file, file('z_older'));
    });

    it('names all that were refused, and keeps the best one', async () => {
      const other = home.key('z_other');
      const ssh = home.service();
      const { host, preflight } = await ssh.connect({
        ...request(stranger.port),
        registeredKeys: [key, other],
      });
      assert.ok(!preflight.ok);
      const prints = [key, other].map((line) => parsePublicKey(line)?.fingerprint ?? '');
      assert.deepEqual([preflight.problem, preflight.keysTried], ['authentication', prints]);
      assert.equal(host.identity.file, file('id_ed25519'));
      assert.equal(await named(), file('id_ed25519'));
    });

    it('names the one that asks for a passphrase if the machine knows only that', async () => {
      const locked = home.key('a_locked', 'secret');
      machine.authorize(locked);
      const { host, preflight } = await home
        .service()
        .connect({ ...request(machine.port), registeredKeys: [locked, key] });
      assert.ok(!preflight.ok);
      const { text, fixes } = explainNoLogin(preflight, host);
      assert.match(formatText(text), /a_locked asks for a passphrase/);
      assert.equal(fixes[0], 'unlockKey');
    });
  });
});

describe('The first contact with a machine of a rental whose start line prints host keys', () => {
  const token = 'ab'.repeat(12);
  let home: SshHome;
  let machine: SshMachine;
  let key: string;
  beforeEach(async () => {
    home = new SshHome();
    key = home.key();
    machine = await new SshMachine().start();
    machine.authorize(key);
  });
  afterEach(async () => {
    await machine.dispose();
    home.dispose();
  });

  const publicKeyOf = (file: string) =>
    execFileSync('ssh-keygen', ['-yf', file], { encoding: 'utf8' }).split(' ').slice(0, 2).join(' ');
  const ownKey = () => publicKeyOf(join(machine.dir, 'host_key'));
  const printed = (line: string, own = token) => `[gpu-rental ${own} ${line} ]${own}\r\n`;
  /** A key of a type that the server does not have. */
  const otherType = Buffer.concat([
    Buffer.from([0, 0, 0, 7]),
    Buffer.from('ssh-rsa'),
    Buffer.alloc(300, 7),
  ]).toString('base64');
  const [other = ''] = publicKeys.map((line) => line.split(' ').slice(0, 2).join(' '));
  const trustOf = (entry: HostEntry | undefined) => {
    const trust = hostKeyTrust(entry);
    return trust && formatText(trust).split(':')[0];
  };
  /** How the host key is trusted after a first contact with such a log. */
  async function contact(log: () => Promise<string>, startToken: string | undefined = token) {
    const ssh = home.service({ startTokenOf: () => startToken });
    let reads = 0;
    const host = await ssh.prepare({
      account: sshAccount,
      instanceId: 7,
      instance: sshInstance(machine.port),
      registeredKeys: [key],
      log: () => {
        reads += 1;
        return log();
      },
    });
    assert.equal(reads, 1);
    return { ssh, trust: trustOf(await ssh.entry(host.alias)) };
  }
  const withLog = async (log: string, startToken?: string) =>
    (await contact(() => Promise.resolve(log), startToken)).trust;

  it('is verified by it, also beside lines that a program prints in its name', async () => {
    const own = printed(ownKey());
    const forged = `${printed(other, 'f'.repeat(24))}host key: SHA256:${'A'.repeat(43)} (ED25519)\n`;
    assert.equal(await withLog(`${forged}${own}${forged}`), 'Verified');
  });

  it('stays verified at another address, until the host key is forgotten', async () => {
    const own = () => Promise.resolve(printed(ownKey()));
    const { ssh } = await contact(own);
    const account = { account: sshAccount, instanceId: 7, registeredKeys: [key] };
    await ssh.writeEntry({ ...account, instance: sshInstance(machine.port) });
    assert.equal(trustOf(await ssh.entry('gpu-7')), 'Verified');
    await ssh.forgetHostKey('gpu-7');
    assert.equal(trustOf(await ssh.entry('gpu-7')), 'Trusted since the first login');
  });

  it('is refused if the line names another key, and nothing is kept', async () => {
    await assert.rejects(withLog(printed(other)), (error) => {
      assert.ok(error instanceof NoLoginError);
      return error.failure.problem === 'hostKeyNotPrinted';
    });
    assert.equal(existsSync(join(home.ownDir, 'known_hosts')), false);
  });

  const unproved: Readonly<Record<string, () => string>> = {
    'is not there yet': () => 'booting\n',
    'is cut': () => printed(ownKey()).slice(0, -20),
    'is printed with two keys': () => printed(ownKey()) + printed(other),
    'has the token of another rental': () => printed(other, 'f'.repeat(24)),
    'names a key of another type': () => printed(`ssh-rsa ${otherType}`),
  };
  for (const [what, log] of Object.entries(unproved)) {
    it(`is trusted as before if that line ${what}`, async () => {
      assert.equal(await withLog(log()), 'Trusted since the first login');
    });
  }

  it('is trusted as before without an answer to the reading of its log', async () => {
    const { trust } = await contact(() => Promise.reject(new Error('no answer')));
    assert.equal(trust, 'Trusted since the first login');
  });
});
