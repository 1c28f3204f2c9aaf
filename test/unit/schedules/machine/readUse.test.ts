import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readUse } from '../../../../src/schedules/machine/machineTimer';
import { runProgram } from '../../../../src/ssh/run';
import { CancelledError } from '../../../../src/util/errors';

type Ssh = Parameters<typeof readUse>[0];
type Exec = Ssh['exec'];

describe('The use of a machine, asked before an editor stops it', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(path.join(os.tmpdir(), 'gr-use-'));
    mkdirSync(path.join(home, 'dev', 'pts'), { recursive: true });
    login('sshd: root@notty');
  });
  afterEach(() => {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });

  let logins = 0;
  const login = (name: string) => {
    logins += 1;
    const folder = path.join(home, 'proc', String(logins));
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'cmdline'), `${name}\0`);
  };
  const print = (minutesAgo: number) => {
    const terminal = path.join(home, 'dev', 'pts', '3');
    writeFileSync(terminal, '');
    const at = Date.now() / 1000 - minutesAgo * 60;
    utimesSync(terminal, at, at);
  };
  const byShell: Exec = (_alias, script, options) =>
    runProgram('/bin/sh', ['-c', script], {
      ...options,
      env: {
        HOME: home,
        HOST_PROC: path.join(home, 'proc'),
        HOST_DEV: path.join(home, 'dev'),
        PATH: process.env['PATH'] ?? '',
      },
    });
  const use = (exec: Exec = byShell, entry: unknown = {}) =>
    readUse({ exec, entry: () => Promise.resolve(entry) } as unknown as Ssh, 'gpu-1', 30);

  it('is none where our own login is the only one', async () => {
    login('sshd: /usr/sbin/sshd -D [listener]');
    print(45);
    assert.equal(await use(), 'idle');
  });

  it('is another login, from any computer', async () => {
    login('sshd-session: root@pts/0');
    assert.equal(await use(), 'busy');
  });

  it('is a terminal that printed within the idle time, also a detached one', async () => {
    print(20);
    assert.equal(await use(), 'busy');
  });

  it('is in doubt where terminals can’t be listed', async () => {
    rmSync(path.join(home, 'dev'), { recursive: true });
    assert.equal(await use(), 'busy');
  });

  for (const [what, exec] of [
    ['no answer', () => Promise.reject(new Error('unreachable'))],
    ['another answer', () => Promise.resolve({ code: 0, stdout: 'welcome\nidle\n', stderr: '' })],
  ] as const) {
    it(`is in doubt after ${what}`, async () => {
      assert.equal(await use(exec as unknown as Exec), 'silent');
    });
  }

  it('is not asked before a first login, and not after a cancellation', async () => {
    assert.equal(await use(byShell, null), 'unknown');
    await assert.rejects(
      use(() => Promise.reject(new CancelledError())),
      CancelledError,
    );
  });
});
