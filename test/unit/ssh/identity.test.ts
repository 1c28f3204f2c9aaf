import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SshService } from '../../../src/ssh/service';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';

describe('The key that an instance is opened with', () => {
  let home: SshHome;
  let ssh: SshService;
  const prepare = (registeredKeys: readonly string[] | undefined) =>
    ssh.writeEntry({
      account: sshAccount,
      instanceId: 7,
      instance: sshInstance(41_022, { publicIp: '192.0.2.1' }),
      registeredKeys,
    });

  beforeEach(() => {
    home = new SshHome();
    ssh = home.service({ probe: () => Promise.resolve('ssh') });
  });
  afterEach(() => {
    home.dispose();
  });

  it('is the one of the last time if the registered ones can’t be read', async () => {
    home.key('a_other');
    const own = home.key('b_own');
    await prepare([own]);
    const { identity } = await prepare(undefined);
    assert.equal(identity.key?.privateFile, join(home.sshDir, 'b_own'));
    assert.equal((await ssh.entry('gpu-7'))?.identityFile, join(home.sshDir, 'b_own'));
  });

  it('is the one of the last time where another one is registered since, which a running machine may not know', async () => {
    const own = home.key('b_own');
    await prepare([own]);
    const newer = home.key('a_newer');
    assert.equal((await prepare([newer, own])).identity.key?.line, own);
    assert.equal((await prepare([newer])).identity.key?.line, newer);
    // One that works without a question comes before one that now has a passphrase.
    const locked = home.key('c_locked', 'secret');
    await prepare([locked]);
    assert.equal((await prepare([locked, newer])).identity.key?.line, newer);
  });

  it('is none of this computer where there was none the last time', async () => {
    home.key('a_other');
    assert.equal((await prepare(undefined)).identity.key, undefined);
  });

  it('is not another one where that of the last time is gone', async () => {
    home.key('a_other');
    await prepare([home.key('b_own')]);
    for (const name of ['b_own', 'b_own.pub']) {
      rmSync(join(home.sshDir, name));
    }
    assert.equal((await prepare(undefined)).identity.key, undefined);
  });

  describe('which only an agent holds', () => {
    let held: readonly string[];
    const file = () => join(home.ownDir, 'gpu-7.pub');
    const named = async () => (await ssh.entry('gpu-7'))?.identityFile;
    const keyOfAgent = (name: string) => {
      const line = home.key(name);
      for (const part of [name, `${name}.pub`]) {
        rmSync(join(home.sshDir, part));
      }
      return line;
    };

    beforeEach(() => {
      held = ['a_other', 'b_own'].map(keyOfAgent);
      const run: typeof home.run = (program, args, options) =>
        program === 'ssh-add'
          ? Promise.resolve({ code: 0, stdout: held.join('\n'), stderr: '', timedOut: false })
          : home.run(program, args, options);
      ssh = home.service({
        run,
        probe: () => Promise.resolve('ssh'),
        agentSocket: join(home.root, 'agent'),
      });
    });

    it('is named by its public part next to the entry, written once', async () => {
      const own = held[1] ?? '';
      const { identity } = await prepare([own]);
      assert.equal(identity.key?.line, own);
      assert.equal(await named(), file());
      assert.equal(home.read(file()), `${own}\n`);
      assert.equal(home.mode(file()), '600');
      const before = statSync(file()).mtimeMs;
      await prepare([own]);
      assert.equal(statSync(file()).mtimeMs, before);
      assert.deepEqual(await ssh.entries(), ['gpu-7']);
    });

    it('stays the same if the registered ones can’t be read, and while the agent is locked', async () => {
      await prepare([held[1] ?? '']);
      assert.equal((await prepare(undefined)).identity.key?.line, held[1]);
      held = [];
      assert.equal((await prepare(undefined)).identity.key, undefined);
      assert.equal(await named(), file());
      await prepare(['ssh-ed25519 none']);
      assert.equal(await named(), file());
    });

    it('is none of the agent where there was none the last time', async () => {
      await prepare([]);
      assert.equal((await prepare(undefined)).identity.key, undefined);
      assert.equal(await named(), undefined);
    });

    it('stays the same where another one of the agent is registered since', async () => {
      await prepare([held[1] ?? '']);
      assert.equal((await prepare(held)).identity.key?.line, held[1]);
    });

    it('gives way to a file with a passphrase of which nothing can be read', async () => {
      await prepare([held[1] ?? '']);
      held = [];
      home.key('old', 'secret', 'rsa');
      const old = join(home.sshDir, 'old');
      execFileSync('ssh-keygen', ['-q', '-p', '-m', 'PEM', '-P', 'secret', '-N', 'secret', '-f', old]);
      rmSync(`${old}.pub`);
      assert.equal((await prepare([])).identity.lockedFile, old);
    });

    it('is forgotten with the instance, and with all that we wrote', async () => {
      await prepare([held[1] ?? '']);
      await ssh.prune(sshAccount, [], Infinity);
      assert.equal(existsSync(file()), false);
      await prepare([held[1] ?? '']);
      // The entry itself may be missing after a crash.
      writeFileSync(join(home.ownDir, 'gpu-8.pub'), 'a key\n');
      await ssh.removeAll();
      assert.equal(existsSync(home.ownDir), false);
    });
  });
});
