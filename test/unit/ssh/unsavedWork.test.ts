import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { runProgram } from '../../../src/ssh/run';
import { isRemotePath } from '../../../src/ssh/remoteFolders';
import { findUnsavedWork, parseUnsavedWork } from '../../../src/ssh/unsavedWork';
import { useFolder } from '../../support/useFolder';

const greeting = 'gpu-rental unsaved work';

describe('Work that is nowhere else', () => {
  let home = '';
  useFolder((made) => void (home = made));

  const git = (folder: string, ...args: readonly string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      stdio: 'pipe',
      env: { ...process.env, HOME: home },
    });

  /** A machine whose home is the folder; the script runs in a real shell. */
  const look = () =>
    findUnsavedWork(
      {
        exec: (_, script, more) => runProgram('sh', ['-c', script], { ...more, env: { HOME: home } }),
      },
      'gpu-1',
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
    assert.deepEqual((await look())?.jobs, [{ id, name: 'eval', isAtWork: false }]);
  });

  it('is what is not committed and what no remote has, found by a real shell', async () => {
    const pushed = repository('pushed');
    git(pushed, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
    const changed = repository("changed; it's $(here)");
    git(changed, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
    writeFileSync(path.join(changed, 'b.txt'), 'b');
    const local = repository('local');
    const work = await look();
    assert.deepEqual(work?.repositories, [
      { path: changed, changes: 1, unpushed: 0 },
      { path: local, changes: 0, unpushed: 1 },
    ]);
    assert.equal(work.isComplete, true);
    assert.equal(work.folder?.path, path.join(home, 'workspace'));
    assert.ok(work.folder.kilobytes > 10);
  });

  it('is none in a home without repositories', async () => {
    const work = await look();
    assert.deepEqual(work?.repositories, []);
    assert.equal(work.folder?.path, home);
  });

  it('is not known where nobody answers', async () => {
    const ssh = {
      exec: () => Promise.resolve({ code: 255, stdout: '', stderr: 'timed out', timedOut: true }),
    };
    assert.equal(await findUnsavedWork(ssh, 'gpu-1', { timeoutMs: 10 }), undefined);
  });

  it('is told as far as it was seen when the time was up', () => {
    assert.deepEqual(
      parseUnsavedWork(`Welcome!\nrepo 9 9 /banner\n${greeting}\nrepo 2 1000 /root/a\nrepo 1`),
      {
        repositories: [{ path: '/root/a', changes: 2, unpushed: 1000 }],
        jobs: [],
        isComplete: false,
      },
    );
  });

  it('names only paths that can be shown, whatever the machine sends', () => {
    const hostile = [
      'repo 1 1 relative',
      'repo 1 1 /a\u202eb',
      'repo -1 1 /a',
      'size 1e9 /a',
      'size 3 /\u001b[2J',
    ];
    assert.deepEqual(parseUnsavedWork([greeting, ...hostile, 'all'].join('\n')), {
      repositories: [],
      jobs: [],
      isComplete: true,
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
