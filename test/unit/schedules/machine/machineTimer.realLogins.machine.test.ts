import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { IdleMachine } from '../../../support/idleMachine';
import { SshHome } from '../../../support/sshHome';
import { sshAccount, sshInstance } from '../../../support/sshInstance';
import { SshMachine } from '../../../support/sshMachine';
import { until } from '../../../support/until';

describe('A login to a real machine', () => {
  let home: SshHome;
  let server: SshMachine;
  let machine: IdleMachine;
  let login: ChildProcess | undefined;
  let stop: AbortController;

  beforeEach(async () => {
    home = new SshHome();
    stop = new AbortController();
    server = await new SshMachine().start();
    machine = new IdleMachine();
    const key = home.key();
    server.authorize(key);
    const ssh = home.service();
    await ssh.prepare({
      account: sshAccount,
      instanceId: 7,
      instance: sshInstance(server.port),
      registeredKeys: [key],
    });
  });
  afterEach(async () => {
    stop.abort();
    login?.kill('SIGKILL');
    login = undefined;
    await server.dispose();
    machine.dispose();
    home.dispose();
  });

  /** The processes of the machine, in its order: the server, its logins, and what they run. */
  const processes = () => {
    const facts = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        try {
          const [, rest = ''] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ');
          const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
          return [{ name, parent: rest.split(' ')[1], words }];
        } catch {
          return [];
        }
      });
    const own = facts.filter(({ words }) => words.includes(`${server.dir}/sshd_config`));
    for (const one of own) {
      own.push(
        ...facts.filter(
          ({ name, parent }) => parent === one.name && !own.some((known) => known.name === name),
        ),
      );
    }
    return own;
  };
  const untilRuns = async (words: string) => {
    await until(words, () => processes().some((one) => one.words.startsWith(words)));
    processes().forEach(({ name }) => symlinkSync(`/proc/${name}`, machine.file(`proc/${name}`)));
  };
  const byUser = (...args: readonly string[]) => {
    const [program, ...rest] = home.service().command('gpu-7');
    login = spawn(program, [...rest.slice(0, -1), ...args], {
      env: { ...process.env, HOME: home.root },
      stdio: 'pipe',
    });
  };

  for (const [what, isUse, words, begin] of [
    ['a look of ours', false, 'sleep 71', () => byUs({ isLook: true })],
    ['work of ours', true, 'sleep 71', () => byUs({ isLook: false })],
    ['a command of the user', true, 'sleep 72', () => byUser('gpu-7', 'sleep', '72')],
    ['a terminal of the user', true, 'sleep 73', () => byUser('-tt', 'gpu-7', 'exec sleep 73')],
    ['a session for files', true, 'sshd: root@internal-sftp', () => byUser('-s', 'gpu-7', 'sftp')],
  ] as const) {
    it(`is ${isUse ? 'use' : 'no use'} where it is ${what}`, async () => {
      begin();
      await untilRuns(words);
      assert.equal(machine.stoppedAt(), isUse ? undefined : 30);
    });
  }

  const byUs = ({ isLook }: { readonly isLook: boolean }) => {
    home
      .service()
      .exec('gpu-7', 'sleep 71; echo', { isLook, signal: stop.signal })
      .catch(() => undefined);
  };
});
