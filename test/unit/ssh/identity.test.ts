import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
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

  it('is the one of the last time where it cannot be asked which are registered', async () => {
    home.key('a_other');
    const own = home.key('b_own');
    await prepare([own]);
    const { identity } = await prepare(undefined);
    assert.equal(identity.key?.privateFile, join(home.sshDir, 'b_own'));
    assert.equal((await ssh.entry('gpu-7'))?.identityFile, join(home.sshDir, 'b_own'));
  });

  it('is none of this computer where there was none the last time', async () => {
    home.key('a_other');
    assert.equal((await prepare(undefined)).identity.key, undefined);
  });

  it('is not another one where that of the last time is gone', async () => {
    home.key('a_other');
    await prepare([home.key('b_own')]);
    for (const name of ['b_own', 'b_own.pub']) rmSync(join(home.sshDir, name));
    assert.equal((await prepare(undefined)).identity.key, undefined);
  });
});
