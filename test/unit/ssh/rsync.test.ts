import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { downloadBest, parseProgress, uploadBest } from '../../../src/ssh/rsync';
import { ProgramMissingError, type Run } from '../../../src/ssh/run';
import type { SshService } from '../../../src/ssh/service';
import { TransferError, type TransferProgress } from '../../../src/ssh/transfer';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { SshMachine } from '../../support/sshMachine';

/** Whether this computer has one that is used; where not, the same folders go by sftp. */
const isHere = (() => {
  try {
    const [, major = '', minor = ''] =
      /version v?(\d+)\.(\d+)/.exec(execFileSync('rsync', ['--version'], { encoding: 'utf8' })) ?? [];
    return Number(major) > 3 || (Number(major) === 3 && Number(minor) >= 4);
  } catch {
    return false;
  }
})();

const odd = ["it's.txt", 'a b.txt', 'star*.txt', 'q"uote.txt', '-dash', 'ä.txt', '$(touch x)', 'a:b'];

describe('Moving folders by rsync', () => {
  let home: SshHome;
  let machine: SshMachine;
  let ssh: SshService;
  let remote: string;
  let used: (readonly [string, readonly string[]])[];

  beforeEach(async () => {
    home = new SshHome();
    machine = await new SshMachine().start();
    const key = home.key();
    machine.authorize(key);
    ssh = home.service();
    const instance = sshInstance(machine.port);
    await ssh.prepare({ account: sshAccount, instanceId: 7, instance, registeredKeys: [key] });
    remote = join(home.root, "remote's folder");
    mkdirSync(remote);
    used = [];
  });
  afterEach(async () => {
    await machine.dispose();
    home.dispose();
  });

  /** `answer` stands for rsync; without it there is the real one, or none. */
  function deps(answer?: Run, platform: NodeJS.Platform = process.platform) {
    const run: Run = (program, args, options) => {
      used.push([program, args]);
      return program === 'rsync' && answer
        ? answer(program, args, options)
        : home.run(program, args, options);
    };
    return {
      run,
      ssh,
      platform,
      clock: { now: () => 0, elapsed: () => 0, schedule: () => ({ dispose: () => undefined }) },
    };
  }
  const answers = (result: { stdout?: string; stderr?: string; code?: number }) =>
    Promise.resolve({ code: 0, stdout: '', stderr: '', timedOut: false, ...result });
  const programs = () => new Set(used.map(([program]) => program));
  const transfers = () => used.filter(([program, args]) => program === 'rsync' && args.includes('--'));

  function folder(name: string): string {
    const made = join(home.root, name);
    mkdirSync(join(made, 'sub folder'), { recursive: true });
    for (const file of odd) {
      writeFileSync(join(made, file), file);
    }
    writeFileSync(join(made, 'sub folder', 'deep.bin'), Buffer.alloc(200_000, 1));
    symlinkSync('/etc/passwd', join(made, 'link'));
    return made;
  }

  it('takes a folder there and back, whatever the names, and leaves links out', async () => {
    const made = folder('my data');
    const steps: TransferProgress[] = [];
    const options = { resume: false, onProgress: (step: TransferProgress) => steps.push(step) };
    await uploadBest(deps(), 'gpu-7', [made], remote, options);
    const back = join(home.root, 'back');
    mkdirSync(back);
    await downloadBest(deps(), 'gpu-7', join(remote, 'my data'), back, options);
    for (const place of [join(remote, 'my data'), join(back, 'my data')]) {
      for (const file of odd) {
        assert.equal(readFileSync(join(place, file), 'utf8'), file);
      }
      assert.equal(statSync(join(place, 'sub folder', 'deep.bin')).size, 200_000);
      assert.ok(!existsSync(join(place, 'link')));
    }
    assert.ok((steps.at(-1)?.bytes ?? 0) >= 200_000);
    assert.equal(transfers().length, isHere ? 2 : 0);
  });

  it('goes on where it ended, and sends only what differs', async () => {
    const made = folder('data');
    await uploadBest(deps(), 'gpu-7', [made], remote, { resume: false });
    const there = join(remote, 'data', 'sub folder', 'deep.bin');
    writeFileSync(there, Buffer.alloc(100_000, 1));
    utimesSync(there, 1, 1);
    await uploadBest(deps(), 'gpu-7', [made], remote, { resume: true });
    assert.deepEqual(readFileSync(there), Buffer.alloc(200_000, 1));
  });

  it('moves single files by sftp', async () => {
    writeFileSync(join(home.root, 'one.txt'), 'one');
    await uploadBest(deps(), 'gpu-7', [join(home.root, 'one.txt')], remote, { resume: false });
    assert.equal(readFileSync(join(remote, 'one.txt'), 'utf8'), 'one');
    await downloadBest(deps(), 'gpu-7', join(remote, 'one.txt'), home.home, { resume: false });
    assert.equal(readFileSync(join(home.home, 'one.txt'), 'utf8'), 'one');
    assert.equal(transfers().length, 0);
  });

  const unusable: readonly (readonly [string, Run, NodeJS.Platform?])[] = [
    ['is not installed', (program) => Promise.reject(new ProgramMissingError(program, undefined))],
    [
      'would let the machine read other files',
      () => answers({ stdout: 'rsync  version 3.2.7  protocol version 31\n' }),
    ],
    ['is another program of that name', () => answers({ stdout: 'openrsync: protocol version 29\n' })],
    ['has paths of its own', () => answers({ stdout: 'rsync  version 3.4.1\n' }), 'win32'],
    [
      'does not get through to the other one',
      (_program, args) =>
        answers(
          args.includes('--version')
            ? { stdout: 'rsync  version 3.4.1  protocol version 32\n' }
            : { code: 12, stderr: 'protocol version mismatch -- is your shell clean?' },
        ),
    ],
  ];
  for (const [what, answer, platform] of unusable) {
    it(`takes sftp where the one here ${what}`, async () => {
      const made = folder('data');
      await uploadBest(deps(answer, platform), 'gpu-7', [made], remote, { resume: false });
      assert.equal(readFileSync(join(remote, 'data', 'a b.txt'), 'utf8'), 'a b.txt');
      assert.ok(programs().has('sftp'));
    });
  }

  it('says why it ended, and does not begin anew by sftp once something was moved', async () => {
    const made = folder('data');
    const answer: Run = (_program, args, options) => {
      if (args.includes('--version')) {
        return answers({ stdout: 'rsync  version 3.4.1  protocol version 32\n' });
      }
      options?.onStdout?.('  100  10%  1.00kB/s  0:00:01\r  200  20%  1.00kB/s  0:00:01\r');
      return answers({ code: 12, stderr: 'rsync: write failed: No space left\nrsync error: error in x\n' });
    };
    // The machine's side is looked for by the real login; where it has none, sftp does it all.
    const withRemote = { ...deps(answer), ssh: { ...sshParts(), exec: () => answers({ code: 0 }) } };
    await assert.rejects(uploadBest(withRemote, 'gpu-7', [made], remote, { resume: false }), (error) => {
      assert.ok(error instanceof TransferError);
      assert.match(error.message, /No space left/);
      assert.doesNotMatch(error.message, /rsync error/);
      return true;
    });
    assert.ok(!programs().has('sftp'));
  });

  it('gives rsync the login of the alias, and paths that are neither options nor commands', async () => {
    const made = folder('data');
    const answer: Run = () => answers({ stdout: 'rsync  version 3.4.1  protocol version 32\n' });
    const parts = { ...sshParts(), exec: () => answers({ code: 0 }) };
    await uploadBest({ ...deps(answer), ssh: parts }, 'gpu-7', [`${made}/`], remote, { resume: false });
    const [, args = []] = transfers()[0] ?? [];
    assert.ok(args.includes('--protect-args'));
    assert.ok(!args.some((arg) => /^--(?:links|archive|perms|owner)$/.test(arg)));
    assert.deepEqual(args.slice(args.indexOf('--') + 1), [made, `gpu-7:${remote}/`]);
    assert.ok(
      args.some(
        (arg) =>
          arg ===
          `--rsh=ssh -F ${home.configFile} -o BatchMode=yes -o ClearAllForwardings=yes -o RemoteCommand=none -T`,
      ),
    );
  });

  it('stops when it is told to', async () => {
    await assert.rejects(
      uploadBest(deps(), 'gpu-7', [folder('data')], remote, { resume: false, signal: AbortSignal.abort() }),
      { name: 'CancelledError' },
    );
  });

  it('reads how far it is', () => {
    const first = parseProgress('         32768  50%    1.20MB/s    0:00:00');
    assert.deepEqual(first, { bytes: 32_768, totalBytes: 65_536, file: 1, totalFiles: 0 });
    const second = parseProgress('  65536 100%  1.20MB/s  0:00:00 (xfr#3, to-chk=5/12)', first);
    assert.deepEqual(second, { bytes: 65_536, totalBytes: 65_536, file: 7, totalFiles: 12 });
    assert.equal(parseProgress('  70000 90%  1.20MB/s  0:00:00', second)?.totalFiles, 12);
    assert.equal(parseProgress('skipping non-regular file "link"'), undefined);
    assert.equal(parseProgress(''), undefined);
  });

  function sshParts() {
    return {
      command: (alias: string, ...more: readonly string[]) => ssh.command(alias, ...more),
      sftpCommand: (alias: string) => ssh.sftpCommand(alias),
    };
  }
});
