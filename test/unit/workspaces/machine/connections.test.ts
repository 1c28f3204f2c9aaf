import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../../../src/ssh/run';
import type { SshService } from '../../../../src/ssh/service';
import { silentLog } from '../../../../src/util/log';
import { SftpConnections } from '../../../../src/workspaces/machine/connections';
import { rawOf } from '../../../../src/workspaces/machine/rawPath';
import { CuttingProxy } from '../../../support/cuttingProxy';
import { FakeClock } from '../../../support/fakeClock';
import { useRealSsh } from '../../../support/realSsh';
import { sshInstance } from '../../../support/sshInstance';

const server = '/usr/lib/openssh/sftp-server';

describe('An SFTP connection', function () {
  this.timeout(30_000);
  const scene = useRealSsh();

  /** Counts the logins, and can end them as the machine would. */
  async function connected(files: Readonly<Record<string, string>> = {}) {
    const { home, machine } = scene();
    const key = home.key();
    machine.authorize(key);
    mkdirSync(join(machine.dir, 'home'), { recursive: true });
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(machine.dir, 'home', name), content);
    }
    const proxy = await new CuttingProxy(() => machine.port).start();
    scene().atEnd(() => {
      proxy.dispose();
    });
    const real = home.service();
    await real.prepare({ ...scene().request({}, [key]), instance: sshInstance(proxy.port) });
    let logins = 0;
    const ssh: Pick<SshService, 'stream'> = {
      stream: (...call) => {
        logins += 1;
        return real.stream(...call);
      },
    };
    const clock = new FakeClock();
    const connections = new SftpConnections({ ssh, clock, log: silentLog });
    scene().atEnd(() => {
      connections.dispose();
    });
    const list = () =>
      connections.use('gpu-7', (client) => client.list(rawOf(join(machine.dir, 'home')), 100));
    return { connections, clock, list, logins: () => logins, proxy };
  }

  for (const [what, words] of [
    ['prints', 'echo Welcome; echo more >&2\n'],
    ['reads its input', 'read -t 1 -r answer\n'],
  ] as const) {
    it(`works though a start-up file ${what}, with one login for all`, async () => {
      const { list, logins } = await connected({ '.bashrc': words, '.profile': words, data: 'x' });
      const names = await Promise.all([list(), list()]);
      assert.ok(names.every((one) => one.some(({ raw }) => raw === 'data')));
      assert.equal(logins(), 1);
    });
  }

  it('ends after a minute without use, and begins again', async () => {
    const { list, logins, clock, connections } = await connected();
    await list();
    await clock.advance(59_000);
    await list();
    assert.equal(logins(), 1);
    await clock.advance(61_000);
    await list();
    assert.equal(logins(), 2);
    connections.close('gpu-7');
    await list();
    assert.equal(logins(), 3);
  });

  it('rejects what waits when it is lost, and begins again', async () => {
    const { list, proxy } = await connected();
    await list();
    proxy.cutAfter(1);
    const open = [list(), list()].map((work) => assert.rejects(work, /The transfer did not finish/));
    await Promise.all(open);
    proxy.spare();
    await list();
  });
});

describe('Without the usual SFTP server', () => {
  /** The script runs as ssh runs it, on a machine without the usual folders; `subsystem` is what sh runs for the other one. */
  function connections(subsystem: string) {
    const asked: string[] = [];
    const ssh: Pick<SshService, 'stream'> = {
      stream: (_alias, program, options) => {
        const isScript = 'script' in program;
        asked.push(isScript ? 'script' : 'subsystem');
        const line = isScript ? program.script.replaceAll('/usr/', '/missing/') : subsystem;
        return runProgram('sh', ['-c', line], { ...options, endsWithUs: true });
      },
    };
    const clock = new FakeClock();
    return { asked, clock, all: new SftpConnections({ ssh, clock, log: silentLog }) };
  }

  it('an answer that never ends is waited for a minute', async () => {
    const { clock, all } = connections("printf '\\0\\0\\0\\5\\2\\0\\0\\0\\3'; exec sleep 600");
    let asked: (() => void) | undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const lost = assert.rejects(
      all.use('a', (client) => {
        const open = client.stat('/');
        asked?.();
        return open;
      }),
      /connection ended early/,
    );
    await isAsked;
    await clock.advance(59_000);
    await clock.advance(2_000);
    await lost;
  });

  it('the subsystem is asked', async () => {
    const { asked, all } = connections(`exec ${server}`);
    assert.ok((await all.use('a', (client) => client.stat('/'))).mode);
    assert.deepEqual(asked, ['script', 'subsystem']);
    all.dispose();
  });

  for (const [what, line] of [
    ['there is none', 'echo "subsystem request failed on channel 0" >&2; exit 255'],
    ['a start-up file prints', 'echo Welcome to this machine; cat'],
  ] as const) {
    it(`a message explains that ${what}`, async () => {
      const { all } = connections(line);
      await assert.rejects(
        all.use('a', (client) => client.stat('/')),
        /has no SFTP server/,
      );
      all.dispose();
    });
  }
});
