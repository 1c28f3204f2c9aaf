import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitOf, remotesOf, UnreadRepositoryError } from '../../../src/ssh/localGit';
import { ProgramMissingError, runProgram, type Run } from '../../../src/ssh/run';
import { findSentFiles } from '../../../src/ssh/sentFiles';
import { useFolder } from '../../support/useFolder';

const sync = { include: [], exclude: [], git: false, maxMb: 200, maxFiles: 5000 };

describe('The state of a folder of this computer in git', () => {
  let base = '';
  let workspace = '';
  let home = '';
  useFolder((made) => void (base = made));
  beforeEach(() => {
    [workspace, home] = [join(base, 'work'), join(base, 'home')];
    mkdirSync(home);
  });

  const git = (folder: string, ...args: readonly string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      encoding: 'utf8',
      stdio: 'pipe',
    });

  /** A repository with one commit and a remote, in which `private.bin` is ignored by a rule of its own. */
  function repository(folder: string): void {
    mkdirSync(join(folder, 'sub'), { recursive: true });
    git(folder, 'init', '-q');
    for (const name of ['a.py', 'private.bin', 'sub/b.py']) {
      writeFileSync(join(folder, name), name);
    }
    writeFileSync(join(folder, '.git', 'info', 'exclude'), 'private.bin\n');
    git(folder, 'add', '.');
    git(folder, 'commit', '-qm', 'first');
    git(folder, 'remote', 'add', 'origin', 'https://example.com/owner/name.git');
  }

  const answering =
    (isMeant: (args: readonly string[]) => boolean, answer: Awaited<ReturnType<Run>>): Run =>
    (program, args, options) =>
      isMeant(args) ? Promise.resolve(answer) : runProgram(program, args, options);
  const nothing = { code: 0, stdout: '', stderr: '', timedOut: false };
  const commands = ['--cached', '--stage', '--others', 'remote', 'config', 'rev-parse', 'status'];

  /** Each makes git fail in a repository, or leave something out. */
  const hindrances: Readonly<Record<string, (folder: string) => Run>> = {
    'another owner': () => (program, args, options) =>
      runProgram(program, args, {
        ...options,
        env: { ...options?.env, GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' },
      }),
    'an index that is cut off': (folder) => {
      truncateSync(join(folder, '.git', 'index'), 20);
      return runProgram;
    },
    'an empty HEAD': (folder) => {
      writeFileSync(join(folder, '.git', 'HEAD'), '');
      return runProgram;
    },
    'an empty commit': (folder) => {
      const hash = git(folder, 'rev-parse', 'HEAD').trim();
      const object = join(folder, '.git', 'objects', hash.slice(0, 2), hash.slice(2));
      chmodSync(object, 0o600);
      truncateSync(object, 0);
      return runProgram;
    },
    'a config that is no text': (folder) => {
      writeFileSync(join(folder, '.git', 'config'), '\0[');
      return runProgram;
    },
    'a folder of git that is gone': (folder) => {
      rmSync(join(folder, '.git'), { recursive: true });
      writeFileSync(join(folder, '.git'), 'gitdir: /nowhere/modules/work\n');
      return runProgram;
    },
    'a working tree whose repository is gone': (folder) => {
      renameSync(folder, `${folder}-main`);
      git(`${folder}-main`, 'worktree', 'add', '-q', folder);
      writeFileSync(join(folder, 'private.bin'), 'private');
      rmSync(`${folder}-main`, { recursive: true });
      return runProgram;
    },
    'no git': () => (program) => Promise.reject(new ProgramMissingError(program, new Error('ENOENT'))),
    ...Object.fromEntries(
      commands.flatMap((command) => {
        const isMeant = (args: readonly string[]) => args.includes(command);
        return [
          [
            `${command} that fails`,
            () => answering(isMeant, { ...nothing, code: 128, stderr: 'fatal: bad' }),
          ],
          [`${command} that is killed`, () => answering(isMeant, { ...nothing, code: null })],
          [
            `${command} that takes too long`,
            () => answering(isMeant, { ...nothing, code: null, timedOut: true }),
          ],
          [
            `${command} that warns`,
            () =>
              answering(isMeant, { ...nothing, stderr: "warning: unable to access '.gitignore': Refused\n" }),
          ],
        ];
      }),
    ),
  };

  const send = (run: Run, workdir: string) => findSentFiles({ run, home }, workspace, { workdir, sync }, []);
  const orUnread = async <T>(asking: Promise<T>): Promise<T | 'unread'> => {
    try {
      return await asking;
    } catch (error) {
      assert.ok(error instanceof UnreadRepositoryError, String(error));
      assert.match(error.message, /^Git could not read .+: .+/);
      return 'unread';
    }
  };

  for (const [what, hinder] of Object.entries(hindrances)) {
    for (const around of ['alone', 'inside another repository']) {
      it(`is never taken for nothing ignored, changed or there, with ${what}, ${around}`, async () => {
        if (around !== 'alone') {
          repository(workspace);
          writeFileSync(join(workspace, '.git', 'info', 'exclude'), '');
          rmSync(join(workspace, 'private.bin'));
        }
        const folder = around === 'alone' ? workspace : join(workspace, 'inner');
        repository(folder);
        writeFileSync(join(folder, 'new.py'), 'new');
        const run = hinder(folder);

        const workdirs = around === 'alone' ? ['.', 'sub'] : ['.', 'inner', 'inner/sub'];
        for (const workdir of workdirs) {
          const sent = await orUnread(send(run, workdir));
          if (sent === 'unread') {
            continue;
          }
          assert.ok(!sent.names.some((name) => name.endsWith('private.bin')), sent.names.join());
          // What is sent is all that is not ignored, or what is missing is told.
          const isWhole = workdir.endsWith('sub') || sent.names.some((name) => name.endsWith('new.py'));
          assert.ok(isWhole || sent.leftOut.length > 0, `${workdir}: ${sent.names.join()}`);
        }
        const commit = await commitOf({ run }, folder);
        assert.notEqual(commit?.isDirty, false, 'a change is not committed');
        const remotes = await orUnread(remotesOf({ run }, folder));
        assert.ok(remotes === 'unread' || remotes.length === 1, JSON.stringify(remotes));
      });
    }
  }

  it('is known where git works, and in no repository', async () => {
    repository(workspace);
    assert.deepEqual((await send(runProgram, '.')).names, ['a.py', 'sub/b.py']);
    const commit = await commitOf({ run: runProgram }, join(workspace, 'sub'));
    assert.equal(commit?.isDirty, false);
    assert.match(commit.hash, /^[0-9a-f]{40}$/);
    assert.equal(
      (await remotesOf({ run: runProgram }, workspace))[0]?.url,
      'https://example.com/owner/name.git',
    );
    writeFileSync(join(home, 'a.py'), 'a');
    assert.equal(await commitOf({ run: runProgram }, home), undefined);
    assert.deepEqual(await remotesOf({ run: runProgram }, home), []);
  });

  it('includes changes that the repository hides', async () => {
    repository(workspace);
    git(workspace, 'config', 'status.showUntrackedFiles', 'no');
    writeFileSync(join(workspace, 'new.py'), 'new');
    assert.equal((await commitOf({ run: runProgram }, workspace))?.isDirty, true);
  });
});
