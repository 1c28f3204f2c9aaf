import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freeLocalPort } from '../../../../src/ssh/forward';
import type { SshService } from '../../../../src/ssh/service';
import { assembled } from '../../../../src/ssh/shellProgram';
import held from '../../../../src/workspaces/machine/held.sh';
import { pipInstall } from '../../../../src/workspaces/machine/pipInstall';
import { startTensorBoard, tensorBoardAnswer } from '../../../../src/workspaces/machine/tensorBoard';
import program from '../../../../src/workspaces/machine/tensorBoard.sh';
import { isAlive } from '../../../support/processes';
import { SshHome } from '../../../support/sshHome';
import { sshAccount, sshInstance } from '../../../support/sshInstance';
import { SshMachine } from '../../../support/sshMachine';
import { tensorBoardStandIn } from '../../../support/tensorBoardStandIn';
import { until } from '../../../support/until';

describe('TensorBoard on a machine', () => {
  let home: SshHome;
  let machine: SshMachine;
  let ssh: SshService;
  const there = (...path: readonly string[]) => join(machine.dir, 'home', ...path);
  const start = (dir: string) => startTensorBoard(ssh, 'gpu-7', dir);

  before(async () => {
    home = new SshHome();
    const key = home.key();
    machine = await new SshMachine().start();
    machine.authorize(key);
    ssh = home.service();
    const instance = sshInstance(machine.port);
    await ssh.prepare({ account: sshAccount, instanceId: 7, instance, registeredKeys: [key] });
    mkdirSync(there('bin'));
    mkdirSync(there('proc', 'net'), { recursive: true });
    mkdirSync(there("work/it's"), { recursive: true });
    symlinkSync('work', there('link'));
    const variables = 'PATH="$HOME/bin:$PATH" HOST_PROC="$HOME/proc" WORKSPACE="$HOME/work"';
    writeFileSync(there('.profile'), `echo runs\nexport ${variables}\n`);
    // Debian has no TensorBoard, another system may.
    writeFileSync(there('bin', 'python3'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  });
  after(async () => {
    await machine.dispose();
    home.dispose();
  });

  it('is started by scripts that shellcheck has no objection to', () => {
    const input = `#!/bin/sh\ndir=\${1}\n${assembled(program, { 'held.sh': held })}`;
    const { status, stdout } = spawnSync('shellcheck', ['--shell=sh', '-'], { input });
    assert.equal(status, 0, stdout.toString());
  });

  it('is missing, or the folder is', async () => {
    const answers = await Promise.all([start('nowhere'), start('work')]);
    assert.deepEqual(
      answers.map(({ said }) => said.kind),
      ['noFolder', 'missing'],
    );
    await Promise.all(answers.map(({ ended }) => ended));
  });

  it('is installed by pip, whose last words are shown if that fails', async () => {
    writeFileSync(there('bin', 'python3'), '#!/bin/sh\necho "No $* [x](command:y)" >&2; exit 1\n', {
      mode: 0o755,
    });
    await assert.rejects(pipInstall(ssh, 'gpu-7', 'tensorboard'), {
      message: 'Could not install tensorboard: No -m pip install tensorboard [x] - (command:y)',
    });
  });

  it('shows a folder on a port that it chose, and ends with its connection and its children', async () => {
    tensorBoardStandIn(there('bin'));
    const running = await start("link/it's");
    assert.ok(running.said.kind === 'started');
    const forward = await ssh.forward('gpu-7', {
      remotePort: running.said.port,
      localPort: await freeLocalPort(0),
    });
    const shown = await (await fetch(`http://127.0.0.1:${forward.localPort}/`)).text();
    assert.equal(shown, there("work/it's"));
    forward.close();
    const pids = readFileSync(there('tensorboard.pids'), 'utf8').trim().split(' ').map(Number);
    assert.deepEqual(pids.map(isAlive), [true, true]);
    running.close();
    await running.ended;
    await until('its end', () => !pids.some(isAlive));
  });

  it('is that of the image where it shows the folder', async () => {
    const listens = (state: string) =>
      writeFileSync(there('proc', 'net', 'tcp'), `   0: 0100007F:3E86 00000000:0000 ${state} 0\n`);
    listens('0A');
    assert.equal((await start('work')).said.kind, 'image');
    assert.equal((await start("link/it's")).said.kind, 'image');
    const outside = await start('.');
    assert.equal(outside.said.kind, 'started');
    outside.close();
    listens('01');
    const closed = await start('work');
    assert.equal(closed.said.kind, 'started');
    closed.close();
  });

  it('may fail, with the reason', async () => {
    writeFileSync(there('bin', 'tensorboard'), '#!/bin/sh\necho broken >&2\nexit 3\n', { mode: 0o755 });
    await assert.rejects(start('.'), /did not start on the instance: broken$/);
    rmSync(there('bin', 'tensorboard'));
  });

  it('is read as a number of a port alone, for any text', () => {
    const answer = tensorBoardAnswer;
    assert.deepEqual(answer('at http://127.0.0.1:6007/ (Press'), { kind: 'started', port: 6007 });
    assert.deepEqual(answer('runs\n'), { kind: 'image' });
    for (const text of [
      '',
      'run',
      'http://127.0.0.1:600',
      'http://127.0.0.1:0/ ',
      'http://127.0.0.1:65536/ ',
      'http://127.0.0.1:1/../x ',
      'http://evil.example:6007/ ',
      'x runs\n',
    ]) {
      assert.equal(answer(text), undefined, text);
    }
  });
});
