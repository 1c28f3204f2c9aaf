import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runProgram } from '../../../src/ssh/run';
import type { SshService } from '../../../src/ssh/service';
import { findUnsavedWork, looseFiles } from '../../../src/ssh/unsavedWork';
import { useFolder } from '../../support/useFolder';

describe('Files that only the disk of a machine has', () => {
  let folder: string;
  useFolder((made) => {
    folder = made;
  });
  const at = (name: string) => path.join(folder, name);
  const write = (name: string, text = 'a') => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };
  const git = (repo: string, ...args: readonly string[]) =>
    execFileSync('git', ['-C', at(repo), '-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], {
      stdio: 'pipe',
    });
  const clone = (repo: string) => {
    mkdirSync(at(`tmp/${path.basename(repo)}.git`), { recursive: true });
    git(`tmp/${path.basename(repo)}.git`, 'init', '-q', '--bare');
    mkdirSync(at(path.dirname(repo)), { recursive: true });
    git('.', 'clone', '-q', at(`tmp/${path.basename(repo)}.git`), at(repo));
    write(`${repo}/train.py`);
    write(`${repo}/.gitignore`, '*.pt\n');
    git(repo, 'add', '.');
    git(repo, 'commit', '-q', '-m', 'a');
    git(repo, 'push', '-q', 'origin', 'HEAD');
  };
  /** The look of a machine whose disk is the folder. */
  const look = async (env: Readonly<Record<string, string>> = {}) => {
    const exec: SshService['exec'] = (_alias, script, options) =>
      runProgram('/bin/sh', ['-c', script], {
        ...options,
        env: { HOST_ROOT: folder, HOME: at('root'), PATH: process.env['PATH'] ?? '', ...env },
      });
    const files = looseFiles();
    await findUnsavedWork({ exec }, 'gpu-7', [files.probe], { timeoutMs: 20_000 });
    return files.areNone();
  };

  beforeEach(() => {
    mkdirSync(at('root'), { recursive: true });
    // The times of files are those of ticks.
    const writeAfter = (name: string, time: number) => {
      let made: number;
      do {
        write(name, '');
        made = statSync(at(name)).mtimeMs;
      } while (made <= time);
      return made;
    };
    writeAfter('tmp/first', writeAfter('.dockerenv', writeAfter('opt/of the image', 0)));
  });

  it('are none in a new container, with what systems, programs and a pushed repository keep', async () => {
    for (const name of [
      'usr/lib/a',
      'etc/a',
      'var/log/a',
      'tmp/a',
      'root/.cache/a',
      'root/.vscode-server/b',
    ]) {
      write(name);
    }
    clone('root/my repo');
    clone('workspace/other');
    assert.equal(await look(), true);
  });

  for (const [what, make] of [
    ['a file of the user', () => write('root/model.pt')],
    ['a file in another folder', () => write('data/set/a.bin')],
    ['a file with a line end in its name', () => write('root/a\nb')],
    ['a link', () => symlinkSync('/mnt/a', at('root/link'))],
    [
      'a checkpoint that Git ignores',
      () => {
        clone('root/repo');
        write('root/repo/model.pt');
      },
    ],
    [
      'a new file beside a pushed one',
      () => {
        clone('root/repo');
        write('root/repo/new.py');
      },
    ],
    [
      'a repository that Git can’t read',
      () => {
        clone('root/repo');
        write('root/repo/.git/index', 'broken');
      },
    ],
    [
      'a commit that is not pushed, outside of the folders that are searched for repositories',
      () => {
        clone('data/repo');
        write('data/repo/train.py', 'b');
        git('data/repo', 'commit', '-q', '-a', '-m', 'b');
      },
    ],
    [
      'a change that is not committed, deep in a folder',
      () => {
        clone('root/a/b/c/d/repo');
        write('root/a/b/c/d/repo/train.py', 'b');
      },
    ],
    [
      'a stash in such a folder',
      () => {
        clone('data/repo');
        write('data/repo/train.py', 'b');
        git('data/repo', 'stash', '-q');
      },
    ],
    [
      'a file that kept an old time when it was unpacked',
      () => {
        write('root/old.pt');
        utimesSync(at('root/old.pt'), 1000, 1000);
      },
    ],
    ['no file that tells the age of the container', () => execFileSync('rm', [at('.dockerenv')])],
  ] as const) {
    it(`may be some where there is ${what}`, async () => {
      make();
      assert.equal(await look(), false);
    });
  }

  it('may be some where there is no find or no git', async () => {
    clone('root/repo');
    mkdirSync(at('tmp/bin'));
    for (const tool of ['sh', 'head', 'find']) {
      symlinkSync(
        execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim(),
        at(`tmp/bin/${tool}`),
      );
    }
    assert.equal(await look({ PATH: at('tmp/bin') }), false);
    assert.equal(await look({ PATH: at('tmp') }), false);
  });
});
