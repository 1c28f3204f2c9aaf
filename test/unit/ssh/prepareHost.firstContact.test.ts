import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NoLoginError, type PrepareRequest } from '../../../src/ssh/prepareHost';
import { explainNoLogin } from '../../../src/ssh/problemText';
import { parsePublicKey } from '../../../src/ssh/publicKey';
import { formatText } from '../../../src/util/text';
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
