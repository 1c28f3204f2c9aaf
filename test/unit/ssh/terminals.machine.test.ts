import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import timerPrinted from '../../../src/schedules/machine/timer/printed.sh';
import { quoteForShell } from '../../../src/ssh/commandLine';
import type { SshService } from '../../../src/ssh/service';
import {
  endTerminal,
  installTmux,
  keptTerminalScript,
  readTerminals,
  terminalCommand,
} from '../../../src/ssh/terminals';
import { useRealSsh } from '../../support/realSsh';
import { until } from '../../support/until';

/** A terminal of the editor: ssh with a terminal of its own. */
class Shown {
  output = '';
  private readonly child: ChildProcess;

  constructor(command: readonly string[]) {
    this.child = spawn('script', ['-qfec', command.map(quoteForShell).join(' '), '/dev/null'], {
      detached: true,
      env: { ...process.env, TERM: 'xterm-256color' },
    });
    this.child.stdout?.on('data', (piece: Buffer) => (this.output += piece.toString()));
  }

  type(line: string): void {
    this.child.stdin?.write(`${line}\r`);
  }

  shows(what: string): Promise<unknown> {
    return until(what, () => this.output.includes(what));
  }

  /** As if the computer were gone. */
  kill(): void {
    process.kill(-(this.child.pid ?? Number.NaN), 'SIGKILL');
  }

  async code(): Promise<unknown> {
    return this.child.exitCode ?? (await once(this.child, 'exit'))[0];
  }
}

describe('a terminal that keeps running on its machine', () => {
  const scene = useRealSsh();
  let ssh: SshService;
  let sockets = '';
  const shown: Shown[] = [];

  const start = async (path = process.env['PATH'] ?? '') => {
    const { home, machine } = scene();
    const key = home.key();
    sockets = join(machine.dir, 's');
    mkdirSync(sockets, { recursive: true });
    machine.authorize(
      `command="export TMUX_TMPDIR=${sockets} PATH=${path}; eval \\"$SSH_ORIGINAL_COMMAND\\"" ${key}`,
    );
    ssh = home.service();
    assert.ok((await ssh.connect(scene().request({}, [key]))).preflight.ok);
  };
  const open = (name = 'ml-1') => {
    const one = new Shown(terminalCommand(ssh.command('gpu-7'), keptTerminalScript(name)));
    shown.push(one);
    return one;
  };
  const listed = async () =>
    (await readTerminals(ssh, 'gpu-7'))?.kept.map((one) => [one.name, one.isShown, one.command]);
  const tmux = (...args: readonly string[]) =>
    execFileSync('tmux', ['-L', 'gpu-rental', ...args], {
      env: { ...process.env, TMUX_TMPDIR: sockets },
      stdio: 'pipe',
    });

  /** While the folder of the sockets is still there. */
  beforeEach(() => scene().atEnd(endAll));
  const endAll = () => {
    const ends = [...shown.splice(0).map((one) => () => one.kill()), () => tmux('kill-server')];
    for (const end of ends) {
      try {
        end();
      } catch {
        // It has ended.
      }
    }
  };

  it('is there after its connection was cut, with the program that runs in it', async () => {
    await start();
    const first = open();
    first.type('word=$((40 + 2)); echo got-$word');
    await first.shows('got-42');
    first.type('sleep 1000');
    await until('the program', async () => (await listed())?.[0]?.[2] === 'sleep');
    first.kill();
    await until('a terminal that no window shows', async () => (await listed())?.[0]?.[1] === false);
    const second = open();
    await second.shows('got-42');
    second.type('\u0003echo still-$word');
    await second.shows('still-42');
    assert.deepEqual(await listed(), [['ml-1', true, 'bash']]);
  });

  it('is shown once: the first window gives it up to another, and its ssh ends well', async () => {
    await start();
    const first = open();
    first.type('echo one-$((1 + 1))');
    await first.shows('one-2');
    const second = open();
    await second.shows('one-2');
    assert.equal(await first.code(), 0);
    assert.deepEqual(await listed(), [['ml-1', true, 'bash']]);
  });

  it('ends with its shell, and runs on where only its window is detached, both with the code 0', async () => {
    await start();
    const ended = open('a-1');
    ended.type('echo ready-$((1 + 1))');
    await ended.shows('ready-2');
    ended.type('exit 3');
    assert.equal(await ended.code(), 0);
    assert.deepEqual(await listed(), []);
    const left = open('b-1');
    left.type('echo ready-$((1 + 1))');
    await left.shows('ready-2');
    tmux('detach-client', '-s', 'b-1');
    assert.equal(await left.code(), 0);
    assert.deepEqual(await listed(), [['b-1', false, 'bash']]);
  });

  it('ends on request, but not with a program in it unless that is agreed', async () => {
    await start();
    for (const name of ['idle', 'front', 'behind']) {
      const one = open(name);
      one.type('echo ready-$((1 + 1))');
      await one.shows('ready-2');
      one.type(
        name === 'front' ? 'sleep 1000' : name === 'behind' ? 'sleep 1000 & echo sent-$((1 + 1))' : '',
      );
      await (name === 'front'
        ? until('sleep', async () => (await listed())?.some(([, , command]) => command === 'sleep'))
        : name === 'behind' && one.shows('sent-2'));
    }
    const names = async (name: string, isAgreed: boolean) =>
      (await endTerminal(ssh, 'gpu-7', { name, isAgreed }))?.kept.map((one) => one.name).sort();
    assert.deepEqual(await names('front', false), ['behind', 'front', 'idle']);
    assert.deepEqual(await names('behind', false), ['behind', 'front', 'idle']);
    assert.deepEqual(await names('idle', false), ['behind', 'front']);
    assert.deepEqual(await names('fron', true), ['behind', 'front'], 'a part of a name is none');
    assert.deepEqual(await names('front', true), ['behind']);
    assert.deepEqual(await names('behind', true), []);
  });

  it('reads no configuration of the image, and keeps away from the tmux of the user', async () => {
    const home = join(scene().machine.dir, 'home');
    writeFileSync(join(home, '.tmux.conf'), 'set -g default-command "echo from-image; sleep 1000"\n');
    await start();
    execFileSync('tmux', ['-f', '/dev/null', 'new-session', '-d', '-s', 'mine', 'sleep 1000'], {
      env: { ...process.env, TMUX_TMPDIR: sockets },
    });
    const one = open();
    one.type('echo shell-$0 $TERM');
    await one.shows('shell--bash screen-256color');
    assert.ok(!one.output.includes('from-image'));
    assert.deepEqual(await listed(), [['ml-1', true, 'bash']]);
    execFileSync('tmux', ['kill-server'], { env: { ...process.env, TMUX_TMPDIR: sockets } });
  });

  it('is kept by a tmux that is installed by the package manager of the machine, or explains why not', async () => {
    const bin = join(scene().machine.dir, 'bin');
    mkdirSync(bin);
    const log = join(scene().machine.dir, 'apt.log');
    const apt = (code: number) =>
      writeFileSync(
        join(bin, 'apt-get'),
        `#!/bin/sh\necho "$DEBIAN_FRONTEND $*" >>${log}\necho 'E: no room' >&2\nexit ${code}\n`,
        { mode: 0o755 },
      );
    apt(0);
    await start(`${bin}:${process.env['PATH'] ?? ''}`);
    await installTmux(ssh, 'gpu-7');
    assert.equal(
      readFileSync(log, 'utf8'),
      'noninteractive -o DPkg::Lock::Timeout=60 install -y --no-install-recommends tmux\n',
    );
    apt(100);
    await assert.rejects(installTmux(ssh, 'gpu-7'), /Could not install tmux: E: no room/);
  });

  it('is seen by the idle rule where it prints without a window, and not where it waits', async () => {
    await start();
    const run = async (script: string) => (await ssh.exec('gpu-7', script)).stdout.split('\n');
    const printed = () => run(`${timerPrinted}\nprinted_since -newer ~/mark`);
    const one = open();
    one.type('echo ready-$((1 + 1)); tty');
    await one.shows('ready-2');
    const tty = await until('its device', () => /\/dev\/pts\/\d+/.exec(one.output)?.[0]);
    one.kill();
    await until('a terminal that no window shows', async () => (await listed())?.[0]?.[1] === false);
    await run('touch ~/mark');
    assert.ok(!(await printed()).includes(tty));
    tmux('send-keys', '-t', 'ml-1', 'while sleep 0.2; do echo x; done', 'Enter');
    // The kernel keeps the time of a terminal to eight seconds.
    await until('what it printed', async () => (await printed()).includes(tty));
  });

  it('is the login shell itself on a machine without tmux', async () => {
    const bin = join(scene().machine.dir, 'bin');
    mkdirSync(bin);
    for (const name of ['sh', 'bash', 'id', 'cat', 'head', 'grep', 'tail', 'df', 'stty']) {
      symlinkSync(
        execFileSync('sh', ['-c', `command -v ${name}`])
          .toString()
          .trim(),
        join(bin, name),
      );
    }
    await start(bin);
    assert.deepEqual(await readTerminals(ssh, 'gpu-7'), { tmux: 'missing', kept: [] });
    const one = open();
    one.type('echo plain-${TMUX:-none}');
    await one.shows('plain-none');
    one.type('exit');
    assert.equal(await one.code(), 0);
  });
});
