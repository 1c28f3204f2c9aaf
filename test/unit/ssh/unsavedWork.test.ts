import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { workOfJobs } from '../../../src/jobs/ui/workOfJobs';
import { isRemotePath } from '../../../src/ssh/remoteFolders';
import { runProgram } from '../../../src/ssh/run';
import { findUnsavedWork, parseUnsavedWork } from '../../../src/ssh/unsavedWork';
import { formatText } from '../../../src/util/text';
import { useFolder } from '../../support/useFolder';

const greeting = 'gpu-rental unsaved work';
const { probe: ofJobs } = workOfJobs({
  ...{
    atRiskOn: () => [],
    error: undefined,
    find: () => undefined,
    open: [],
    ready: Promise.resolve(),
    rows: [],
  },
  onDidChange: () => ({ dispose: () => undefined }),
});

describe('Work that is nowhere else', () => {
  let home = '';
  useFolder((made) => void (home = made));

  const git = (folder: string, ...args: readonly string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      stdio: 'pipe',
      env: { ...process.env, HOME: home },
    });

  /** A machine whose home is the folder; the script runs in a real shell. */
  const check = (
    env: Readonly<Record<string, string>> = {},
    shell: readonly [string, ...string[]] = ['sh'],
  ) =>
    findUnsavedWork(
      {
        exec: (_, script, more) =>
          runProgram(shell[0], [...shell.slice(1), '-c', script], { ...more, env: { HOME: home, ...env } }),
      },
      'gpu-1',
      [ofJobs],
      { timeoutMs: 20_000 },
    );

  function repository(name: string): string {
    const folder = path.join(home, 'workspace', name);
    mkdirSync(folder, { recursive: true });
    git(folder, 'init', '-q');
    writeFileSync(path.join(folder, 'a.txt'), 'a');
    git(folder, 'add', 'a.txt');
    git(folder, 'commit', '-q', '-m', 'first');
    return folder;
  }

  it('is what a job of any computer has not brought back', async () => {
    const id = 'feedfacefeedface01';
    const folder = path.join(home, '.gpu-rental', 'jobs', id);
    mkdirSync(path.join(folder, 'lock', 'started'), { recursive: true });
    writeFileSync(path.join(folder, 'spec'), `{"id":"${id}","name":"eval","attempt":1}\n`);
    writeFileSync(path.join(folder, 'phase'), 'ended\n');
    assert.deepEqual(
      (await check())?.others.map((line) => formatText(line)),
      ['The outputs of the job eval of another computer were not fetched.'],
    );
  });

  it('is what is not committed and what no remote has, found by a real shell', async () => {
    const pushed = repository('pushed');
    git(pushed, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
    const changed = repository("changed; it's $(here)");
    git(changed, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
    writeFileSync(path.join(changed, 'b.txt'), 'b');
    const local = repository('local');
    const work = await check();
    assert.deepEqual(work?.repositories, [
      { path: changed, changes: 1, unpushed: 0 },
      { path: local, changes: 0, unpushed: 1 },
    ]);
    assert.equal(work.isComplete, true);
    assert.equal(work.folder?.path, path.join(home, 'workspace'));
    assert.ok(work.folder.kilobytes > 10);
  });

  /** What makes git fail or overlook a change; each gets a clone whose only commit is pushed. */
  const hindrances: Readonly<
    Record<string, (folder: string) => Readonly<Record<string, string>> | undefined>
  > = {
    'nothing at all': () => undefined,
    'another owner': () => ({ GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' }),
    'an index that is cut off': (folder) => {
      truncateSync(path.join(folder, '.git', 'index'), 20);
      return undefined;
    },
    'an empty HEAD': (folder) => {
      writeFileSync(path.join(folder, '.git', 'HEAD'), '');
      return undefined;
    },
    'a branch that is cut off': (folder) => {
      const heads = path.join(folder, '.git', 'refs', 'heads');
      for (const name of readdirSync(heads)) {
        writeFileSync(path.join(heads, name), '');
      }
      return undefined;
    },
    'a branch that is lost': (folder) => {
      rmSync(path.join(folder, '.git', 'refs', 'heads'), { recursive: true });
      mkdirSync(path.join(folder, '.git', 'refs', 'heads'));
      return undefined;
    },
    'an empty commit': (folder) => {
      const head = git(folder, 'rev-parse', 'HEAD').toString().trim();
      const object = path.join(folder, '.git', 'objects', head.slice(0, 2), head.slice(2));
      chmodSync(object, 0o600);
      truncateSync(object, 0);
      return undefined;
    },
    'a config that is no text': (folder) => {
      writeFileSync(path.join(folder, '.git', 'config'), '\0[');
      return undefined;
    },
    'a folder of git that is gone': (folder) => {
      rmSync(path.join(folder, '.git'), { recursive: true });
      writeFileSync(path.join(folder, '.git'), 'gitdir: /nowhere/modules/work\n');
      return undefined;
    },
    'a working tree whose repository is gone': (folder) => {
      renameSync(folder, `${folder}-main`);
      git(`${folder}-main`, 'worktree', 'add', '-q', folder);
      rmSync(`${folder}-main`, { recursive: true });
      return undefined;
    },
    'untracked files that the repository hides': (folder) => {
      git(folder, 'config', 'status.showUntrackedFiles', 'no');
      return undefined;
    },
    'a name that is no path to show': (folder) => {
      renameSync(folder, `${folder}\u202e`);
      return undefined;
    },
    'a name of two lines': (folder) => {
      renameSync(folder, `${folder}\nx`);
      return undefined;
    },
    'no git': () => ({ PATH: programs(() => '') }),
    ...Object.fromEntries(
      ['status', 'stash', 'rev-list'].flatMap((command) =>
        (
          [
            ['fails', 'exit 1'],
            ['is killed', 'kill -9 $$'],
            ['warns', "echo 'warning: could not open a folder' >&2; exit 0"],
          ] as const
        ).map(([what, how]) => [
          `a ${command} that ${what}`,
          (folder: string) => {
            rmSync(path.join(folder, 'only-here.txt'));
            return { PATH: programs((real) => failing(real, command, how)) };
          },
        ]),
      ),
    ),
  };

  const failing = (real: string, command: string, how: string) =>
    `#!/bin/sh\ncase " $* " in *" ${command} "*) ${how} ;; esac\nexec ${real} "$@"\n`;

  /** A path on which `git` is this program; none for an empty text. */
  function programs(gitOf: (real: string) => string): string {
    const folder = path.join(home, 'programs');
    mkdirSync(folder);
    const where = (name: string) =>
      execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    for (const name of ['sh', 'find', 'grep', 'sort', 'head', 'cat', 'sed', 'tr', 'du']) {
      writeFileSync(path.join(folder, name), `#!/bin/sh\nexec ${where(name)} "$@"\n`, { mode: 0o755 });
    }
    const program = gitOf(where('git'));
    if (program !== '') {
      writeFileSync(path.join(folder, 'git'), program, { mode: 0o755 });
    }
    return folder;
  }

  const shells: readonly (readonly [string, ...string[]])[] = [
    ['/bin/sh'],
    ['/bin/bash'],
    ['/bin/busybox', 'sh'],
  ];
  for (const [at, [what, hinder]] of Object.entries(hindrances).entries()) {
    for (const around of ['alone', 'inside a clean repository']) {
      const shell = shells[(at + around.length) % shells.length] ?? ['sh'];
      it(`is never reported as pushed with ${what}, ${around}`, async () => {
        if (around !== 'alone') {
          const outer = repository('outer');
          writeFileSync(path.join(outer, '.gitignore'), '*\n');
          git(outer, 'add', '-f', '.gitignore');
          git(outer, 'commit', '-q', '-m', 'second');
          git(outer, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
        }
        const folder = repository(around === 'alone' ? 'work' : 'outer/work');
        git(folder, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
        writeFileSync(path.join(folder, 'only-here.txt'), 'b');
        const env = hinder(folder) ?? {};
        const work = await check(env, shell);
        assert.ok(work);
        const isTold = work.repositories.some((one) => one.path === folder);
        assert.ok(isTold || !work.isComplete, `${shell.join(' ')}: ${JSON.stringify(work)}`);
      });
    }
  }

  it('is reported as unknown in the part that git could not read', async () => {
    const folder = repository('work');
    git(folder, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
    truncateSync(path.join(folder, '.git', 'index'), 20);
    assert.deepEqual((await check())?.repositories, [{ path: folder, changes: 'unknown', unpushed: 0 }]);
  });

  it('is none in a repository without commits, and incomplete for more than a hundred', async () => {
    mkdirSync(path.join(home, 'new'));
    git(path.join(home, 'new'), 'init', '-q');
    const few = await check();
    assert.deepEqual([few?.repositories, few?.isComplete], [[], true]);
    for (let at = 0; at < 100; at += 1) {
      const folder = path.join(home, `${at}`, '.git');
      mkdirSync(folder, { recursive: true });
    }
    const PATH = programs(() => '#!/bin/sh\nexit 1\n');
    assert.equal((await check({ PATH }))?.isComplete, false);
  });

  it('is none in a home without repositories', async () => {
    const work = await check();
    assert.deepEqual(work?.repositories, []);
    assert.equal(work.folder?.path, home);
  });

  it('is unknown without an answer', async () => {
    const ssh = {
      exec: () => Promise.resolve({ code: 255, stdout: '', stderr: 'timed out', timedOut: true }),
    };
    assert.equal(await findUnsavedWork(ssh, 'gpu-1', [], { timeoutMs: 10 }), undefined);
  });

  it('is reported as far as it was seen when the time was up', () => {
    assert.deepEqual(
      parseUnsavedWork(`Welcome!\nrepo 9 9 /banner\n${greeting}\nrepo 2 1000 /root/a\nrepo 1`),
      {
        repositories: [{ path: '/root/a', changes: 2, unpushed: 1000 }],
        others: [],
        isComplete: false,
      },
    );
  });

  it('names only paths that can be shown, for any output of the machine', () => {
    const hostile = [
      'repo 1 1 relative',
      'repo 1 1 /a\u202eb',
      'repo -1 1 /a',
      'size 1e9 /a',
      'size 3 /\u001b[2J',
    ];
    assert.deepEqual(parseUnsavedWork([greeting, ...hostile, 'all'].join('\n')), {
      repositories: [],
      others: [],
      isComplete: false,
    });
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const work = parseUnsavedWork(`${greeting}\nrepo 1 1 ${text}\nsize 5 ${text}`);
        assert.ok(work);
        assert.ok(work.repositories.every((one) => isRemotePath(one.path)));
        assert.ok(work.folder === undefined || isRemotePath(work.folder.path));
      }),
    );
  });
});
