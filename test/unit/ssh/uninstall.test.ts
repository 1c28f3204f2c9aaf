import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BlockLeftError } from '../../../src/ssh/userConfig';
import { bundled } from '../../support/bundled';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';

const root = join(__dirname, '../../..');

describe('The uninstall hook', () => {
  let home: SshHome;
  beforeEach(() => {
    home = new SshHome();
  });
  afterEach(() => home.dispose());

  function uninstall(): void {
    execFileSync(process.execPath, [bundled(join(root, 'src/uninstall.ts'))], {
      cwd: root,
      env: { ...process.env, HOME: home.home },
      stdio: 'pipe',
    });
  }

  it('is named in the manifest, which the editor runs as `node ./dist/uninstall`', () => {
    const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    assert.match(JSON.stringify(manifest), /"vscode:uninstall":"node \.\/dist\/uninstall"/);
  });

  it('removes everything again, also from a config that only a setting named', async () => {
    const user = 'Host mine\r\n  Port 22\r\n';
    home.write(user);
    const ssh = home.service({ probe: () => Promise.resolve('ssh') });
    const instance = sshInstance(41_022, { publicIp: '192.0.2.1' });
    await ssh.writeEntry({ account: sshAccount, instanceId: 7, instance, registeredKeys: [] });
    assert.notEqual(home.read(), user);
    uninstall();
    assert.equal(home.read(), user);
    assert.equal(existsSync(home.ownDir), false);
  });

  it('finds a config again that was read-only when all else was taken out', async () => {
    const user = 'Host mine\n  Port 22\n';
    home.write(user);
    const ssh = home.service({ probe: () => Promise.resolve('ssh') });
    const instance = sshInstance(41_022, { publicIp: '192.0.2.1' });
    await ssh.writeEntry({ account: sshAccount, instanceId: 7, instance, registeredKeys: [] });
    chmodSync(home.configFile, 0o400);
    await assert.rejects(ssh.removeAll(), BlockLeftError);
    assert.deepEqual(readdirSync(home.ownDir), ['config-files']);
    chmodSync(home.configFile, 0o600);
    uninstall();
    assert.equal(home.read(), user);
    assert.equal(existsSync(home.ownDir), false);
  });

  it('does nothing where there is nothing', () => {
    uninstall();
    assert.equal(existsSync(home.ownDir), false);
    assert.equal(existsSync(home.configFile), false);
  });
});
