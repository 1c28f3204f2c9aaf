import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hostKeyLine } from '../../../../src/model/rentals/hostKeyLine';
import { startLineHostKeys } from '../../../../src/ssh/printedHostKeys';
import { SshMachine } from '../../../support/sshMachine';
import { until } from '../../../support/until';
import { useFolder } from '../../../support/useFolder';

const token = '0123456789ab'.repeat(2);

describe('The line that prints the host keys, in a real shell beside a real sshd', () => {
  let folder = '';
  useFolder((made) => void (folder = made));
  let server: SshMachine;
  beforeEach(async () => {
    server = await new SshMachine().start();
  });
  afterEach(() => server.dispose());

  const log = () => path.join(folder, 'log');
  const printed = () => (existsSync(log()) ? readFileSync(log(), 'utf8') : '');
  const keys = () => startLineHostKeys(printed(), token);
  /** The line with the port and the log of this machine. */
  const line = (port = server.port) =>
    hostKeyLine(token).replace('127.0.0.1', `-p ${port} 127.0.0.1`).replace('/proc/1/fd/1', `'${log()}'`);
  const run = (shell: readonly string[], script: string, env: NodeJS.ProcessEnv = process.env) => {
    const [program = 'sh', ...args] = shell;
    return spawnSync(program, [...args, '-c', script], { encoding: 'utf8', timeout: 10_000, env });
  };
  const expected = () => {
    const hostKey = path.join(server.dir, 'host_key');
    return execFileSync('ssh-keygen', ['-lf', hostKey], { encoding: 'utf8' }).split(' ')[1];
  };

  for (const shell of [['dash'], ['bash'], ['busybox', 'sh'], ['bash', '-eux']]) {
    it(`changes neither output nor result of the script behind it, in ${shell.join(' ')}`, async () => {
      const own = 'echo mine; echo "$? $#"; sleep 0.1 & wait; exit 7';
      const alone = run(shell, own);
      const both = run(shell, `${line()}${own}`);
      assert.deepEqual([both.status, both.stdout], [alone.status, alone.stdout]);
      assert.equal(shell.includes('-eux') ? '' : both.stderr, '');
      await until('the host keys are printed', () => keys() !== undefined, { everyMs: 50 });
      assert.deepEqual(
        [...(keys() ?? [])].map(([type, one]) => [type, ...one]),
        [['ED25519', expected()]],
      );
      assert.equal(printed().trim().split('\n').length, 1);
    });
  }

  it('waits for a server that starts later', async () => {
    const { port } = server;
    await server.dispose();
    assert.equal(run(['sh'], line(port)).status, 0);
    server = await new SshMachine().start({ port });
    await until('the host keys are printed', () => keys() !== undefined, { timeoutMs: 20_000, everyMs: 50 });
  });

  it('does nothing where the tools for it are missing', () => {
    const bin = path.join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(path.join(bin, 'sleep'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const { status, stdout, stderr } = run(['/bin/sh'], `${line()}exit 7`, { PATH: bin });
    assert.deepEqual([status, stdout, stderr, printed()], [7, '', '', '']);
  });

  it('is a line that shellcheck has no objection to', () => {
    const { status, stdout } = spawnSync('shellcheck', ['--shell=sh', '-'], {
      input: `#!/bin/sh\n${hostKeyLine(token)}`,
    });
    assert.equal(status, 0, String(stdout));
  });
});
