import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SshService } from '../../../src/ssh/service';
import { runStep } from '../../../src/ssh/transfer';
import { systemClock } from '../../../src/util/clock';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { SshMachine } from '../../support/sshMachine';

describe('The banner of a machine', () => {
  let home: SshHome;
  let machine: SshMachine;
  let ssh: SshService;
  let key: string;
  const request = () => ({
    account: sshAccount,
    instanceId: 7,
    instance: sshInstance(machine.port),
    registeredKeys: [key],
  });

  before(async () => {
    home = new SshHome();
    key = home.key();
    machine = new SshMachine();
    const banner = join(machine.dir, 'banner');
    writeFileSync(banner, 'Welcome to the market. Double check your ssh key.\nHave fun!\n');
    await machine.start({ extra: [`Banner ${banner}`] });
    machine.authorize(key);
    ssh = home.service();
    await ssh.prepare(request());
  });
  after(async () => {
    await machine.dispose();
    home.dispose();
  });

  it('is not the output of a script', async () => {
    const { code, stderr } = await ssh.exec('gpu-7', 'echo no room >&2; exit 5');
    assert.deepEqual([code, stderr], [5, 'no room\n']);
    assert.equal((await ssh.exec('gpu-7', 'true', { usesLoginShell: true })).stderr, '');
  });

  it('is not the reason why a transfer breaks', async () => {
    const deps = { ssh, clock: systemClock, platform: process.platform };
    let reportReady: () => void;
    const isReady = new Promise<void>((resolve) => (reportReady = resolve));
    async function* input() {
      await isReady;
      yield Buffer.from('\n');
    }
    const onStdout = () => reportReady();
    const step = runStep(deps, 'gpu-7', 'echo ready; read -r go; kill -9 $PPID', {
      input: input(),
      onStdout,
    });
    await assert.rejects(step, (error: Error) => {
      assert.match(error.message, /^The transfer did not finish/);
      assert.doesNotMatch(error.message, /Welcome|fun/);
      return true;
    });
  });

  it('is not the reason why a shell ends', async () => {
    machine.authorize(`command="echo 'open terminal failed: not a terminal' >&2; exit 1" ${key}`);
    const { preflight } = await ssh.connect(request());
    assert.ok(!preflight.ok);
    assert.deepEqual(
      [preflight.problem, preflight.detail],
      ['startupScript', 'open terminal failed: not a terminal'],
    );
  });
});
