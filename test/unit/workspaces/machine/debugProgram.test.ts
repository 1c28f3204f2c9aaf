import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SshService } from '../../../../src/ssh/service';
import { assembled } from '../../../../src/ssh/shellProgram';
import program from '../../../../src/workspaces/machine/debug.sh';
import {
  debugAnswer,
  startDebugged,
  type DebuggedFile,
} from '../../../../src/workspaces/machine/debugProgram';
import held from '../../../../src/workspaces/machine/held.sh';
import { DebugClient } from '../../../support/debugClient';
import { isAlive } from '../../../support/processes';
import { SshHome } from '../../../support/sshHome';
import { sshAccount, sshInstance } from '../../../support/sshInstance';
import { SshMachine } from '../../../support/sshMachine';
import { until } from '../../../support/until';

const source = [
  'import os, sys, time',
  'print("began", flush=True)',
  'with open(os.environ["HOME"] + "/pid", "w") as file:',
  '    file.write(str(os.getpid()))',
  'total = len(sys.argv)',
  'while True:',
  '    time.sleep(0.05)',
].join('\n');

describe('A file that is debugged on a machine', function () {
  this.timeout(60_000);
  let home: SshHome;
  let machine: SshMachine;
  let ssh: SshService;
  const there = (...path: readonly string[]) => join(machine.dir, 'home', ...path);
  const here = (...path: readonly string[]) => join(home.root, 'project', ...path);
  const start = (more: Partial<DebuggedFile> = {}) =>
    startDebugged(ssh, 'gpu-7', {
      ...{ root: there('link'), file: "src/it's.py", args: [] },
      ...more,
    });
  const kindOf = async (more: Partial<DebuggedFile>) => {
    const { said, ended } = await start(more);
    await ended;
    return said.kind;
  };

  before(async () => {
    home = new SshHome();
    const key = home.key();
    machine = await new SshMachine().start();
    machine.authorize(key);
    ssh = home.service();
    const instance = sshInstance(machine.port);
    await ssh.prepare({ account: sshAccount, instanceId: 7, instance, registeredKeys: [key] });
    mkdirSync(there('work', 'src'), { recursive: true });
    mkdirSync(there('bin'));
    symlinkSync('work', there('link'));
    writeFileSync(there('work', 'src', "it's.py"), source);
    writeFileSync(there('.profile'), 'echo "port 12345"\nexport PATH="$HOME/bin:$PATH"\n');
    // The one of the system has debugpy.
    symlinkSync('/usr/bin/python3', there('bin', 'python3'));
  });
  after(async () => {
    await machine.dispose();
    home.dispose();
  });

  it('is started by scripts that shellcheck has no objection to', () => {
    const given = 'root=$1 file=$2 words=$3 uv=$4 python=$5 port=$6';
    const input = `#!/bin/sh\n${given}\n${assembled(program, { 'held.sh': held })}`;
    const { status, stdout } = spawnSync('shellcheck', ['--shell=sh', '-'], { input });
    assert.equal(status, 0, stdout.toString());
  });

  it('stops at a breakpoint of a file of this computer, and ends with its connection', async () => {
    const running = await start({ args: ['--lr', '0.1 $(touch pwned)'] });
    assert.ok(running.said.kind === 'waits');
    const { root } = running.said;
    assert.equal(root, realpathSync(there('work')));
    const client = await DebugClient.connect(running.localPort);
    const pathMappings = [{ localRoot: here(), remoteRoot: root }];
    await client.attach({ pathMappings, justMyCode: true }, here('src', "it's.py"), 6);
    const { path, line, threadId, frameId } = await client.stoppedAt();
    assert.deepEqual([path, line], [here('src', "it's.py"), 6]);
    client.send('evaluate', { expression: 'sys.argv[1:]', frameId });
    const argv = (await client.response('evaluate')) as { readonly result: string };
    assert.equal(argv.result, "['--lr', '0.1 $(touch pwned)']");
    const pid = Number(readFileSync(there('pid'), 'utf8'));
    assert.ok(isAlive(pid));
    client.send('continue', { threadId });
    running.close();
    await running.ended;
    await until('its end', () => !isAlive(pid));
    assert.ok(!existsSync(there('work', 'pwned')));
    client.close();
    await running.cut;
  });

  it('never uses a port that its machine may give to a connection', async () => {
    const ports: number[] = [];
    const refusing: Parameters<typeof startDebugged>[0] = {
      exec: () => Promise.reject(new Error('not asked')),
      forward: (_, { remotePort }) => {
        ports.push(remotePort);
        return Promise.reject(new Error('refused'));
      },
    };
    for (let at = 0; at < 100; at += 1) {
      await assert.rejects(startDebugged(refusing, 'gpu-7', { root: '/', file: 'a.py', args: [] }));
    }
    assert.deepEqual([ports.length, ports.filter((port) => port >= 32_768)], [100, []]);
  });

  it('names what its machine lacks', async () => {
    assert.equal(await kindOf({ file: 'other.py' }), 'noFile');
    assert.equal(await kindOf({ root: there('nowhere') }), 'noFile');
    assert.equal(await kindOf({ needs: { packages: [], choosesTorch: false, wanted: {} } }), 'noUv');
    rmSync(there('bin', 'python3'));
    writeFileSync(there('bin', 'python3'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    assert.equal(await kindOf({}), 'missing');
    rmSync(there('bin', 'python3'));
  });

  it('runs with the packages of its block', async () => {
    // Stands in for uv: writes what it is given, and runs what stands behind its options.
    const uv =
      'echo "$UV_CACHE_DIR $*" >"$HOME/uv"; while [ "$1" != python ]; do shift; done; shift; exec /usr/bin/python3 "$@"';
    writeFileSync(there('bin', 'uv'), `#!/bin/sh\n${uv}\n`, { mode: 0o755 });
    const running = await start({
      needs: { packages: [], choosesTorch: false, python: '>=3.10', wanted: {} },
    });
    assert.equal(running.said.kind, 'waits');
    const given = readFileSync(there('uv'), 'utf8');
    assert.ok(
      given.startsWith(
        `${there('.cache', 'uv')} run --no-project --with debugpy --with-requirements src/it's.py --python >=3.10 python -m debugpy --listen 127.0.0.1:`,
      ),
      given,
    );
    running.close();
    await running.ended;
  });

  it('is read as a path alone, for any text', () => {
    assert.deepEqual(debugAnswer('Installed 5 packages\n\nwaits /a b\n'), { kind: 'waits', root: '/a b' });
    for (const text of ['', 'waits /a', 'waits a\n', 'waits /a\u001b[1m\n', 'x missing\n']) {
      assert.equal(debugAnswer(text), undefined, text);
    }
  });
});
