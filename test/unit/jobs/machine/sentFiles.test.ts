import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { missingFiles, unsentNames } from '../../../../src/jobs/machine/missingFiles';
import type { SyncRules } from '../../../../src/jobs/model/jobSpec';
import { ProgramMissingError, runProgram, type Run } from '../../../../src/ssh/run';
import { findSentFiles, sentTree } from '../../../../src/ssh/sentFiles';
import { UserError } from '../../../../src/util/errors';
import { formatText } from '../../../../src/util/text';
import { openedFolder } from '../../../support/openedFolder';
import { useFolder } from '../../../support/useFolder';

const sync: SyncRules = { include: [], exclude: [], git: false, maxMb: 200, maxFiles: 5000 };

describe('The files that a job sends', () => {
  let base = '';
  let workspace = '';
  let home = '';
  useFolder((made) => void (base = made));
  beforeEach(() => {
    [workspace, home] = [join(base, 'Projekt José'), join(base, 'home')];
    for (const folder of [workspace, home]) {
      mkdirSync(folder);
    }
  });

  const put = (...names: readonly string[]) => {
    for (const name of names) {
      mkdirSync(dirname(join(workspace, name)), { recursive: true });
      writeFileSync(join(workspace, name), name);
    }
  };
  const git = (...args: readonly string[]) => {
    execFileSync('git', ['-C', workspace, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      stdio: 'ignore',
    });
  };
  const withoutGit: Run = (program) => Promise.reject(new ProgramMissingError(program, new Error('ENOENT')));
  const find = (
    { workdir = '.', run = runProgram, ...rules }: Partial<SyncRules> & { workdir?: string; run?: Run } = {},
    outputFolders: readonly string[] = [],
  ) => findSentFiles({ run, home }, workspace, { workdir, sync: { ...sync, ...rules } }, outputFolders);

  it('are those that git knows or would add, as they are on the disk', async () => {
    put('a.py', 'gone.py', 'sub/b.py', 'big.bin', 'odd "name"\nñ.txt');
    writeFileSync(join(workspace, '.gitignore'), '*.bin\n');
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'first');
    put('new.py', 'sub/new.bin');
    rmSync(join(workspace, 'gone.py'));
    const sent = await find();
    assert.deepEqual(sent.names, ['.gitignore', 'a.py', 'new.py', 'odd "name"\nñ.txt', 'sub/b.py']);
    assert.deepEqual([sent.isFromGit, sent.leftOut], [true, []]);
    assert.deepEqual(
      sent.tree.files.map(({ name }) => name).sort(),
      [...sent.names],
      'all of them are on the disk',
    );
    assert.deepEqual((await find({ workdir: 'sub' })).names, ['b.py']);
  });

  it('are also those of a repository inside of it, by its own rules, but not of another working tree', async () => {
    put('a.py', 'lib/b.py', 'lib/c.bin', 'lib/deep/d.py', 'vendor/e.py');
    writeFileSync(join(workspace, 'lib/.gitignore'), '*.bin\n');
    for (const folder of ['.', 'lib', 'lib/deep', 'vendor']) {
      git('init', '-q', folder);
    }
    for (const folder of ['lib/deep', 'lib', 'vendor']) {
      git('-C', folder, 'add', '.');
      git('-C', folder, 'commit', '-qm', 'first');
    }
    // One that was added is a commit for git, of which it lists nothing.
    git('add', 'a.py', 'vendor');
    git('commit', '-qm', 'first');
    git('worktree', 'add', '-q', 'other');
    const { names, leftOut } = await find();
    assert.deepEqual(names, ['a.py', 'lib/.gitignore', 'lib/b.py', 'lib/deep/d.py', 'vendor/e.py']);
    assert.deepEqual(
      leftOut.map(({ name, why }) => `${name}: ${formatText(why)}`),
      ['other/: another working tree of Git'],
    );
    rmSync(join(workspace, 'vendor/.git'), { recursive: true });
    assert.deepEqual((await find({ workdir: 'vendor' })).names, [], 'of a commit alone nothing is known');
  });

  it('bring what a rule includes, also where git ignores it, and its own folder where that is asked for', async () => {
    put('a.py', 'data/x.bin', 'data/y.bin', '.env');
    writeFileSync(join(workspace, '.gitignore'), 'data/\n.env\n');
    git('init', '-q');
    git('add', '.');
    assert.deepEqual((await find({ include: ['data/x.bin', '/.env'] })).names, [
      '.env',
      '.gitignore',
      'a.py',
      'data/x.bin',
    ]);
    const { names } = await find({ git: true });
    assert.ok(names.includes('.git/HEAD') && !names.includes('data/x.bin'));
    assert.ok(!(await find({ include: ['*.py'] })).names.some((name) => name.startsWith('.git/')));
  });

  it('are found without git too, by the rules of the ignore files of each folder', async () => {
    put('a.py', 'a.log', 'sub/b.py', 'sub/b.tmp', 'sub/deep/c.tmp', 'b.tmp', 'node_modules/x/index.js');
    writeFileSync(join(workspace, '.gitignore'), '*.log\n');
    writeFileSync(join(workspace, 'sub', '.gitignore'), '*.tmp\n');
    for (const run of [runProgram, withoutGit]) {
      const sent = await find({ run });
      assert.deepEqual(sent.names, ['.gitignore', 'a.py', 'b.tmp', 'sub/.gitignore', 'sub/b.py']);
      assert.equal(sent.isFromGit, false);
    }
  });

  it('run nothing that the repository names', async () => {
    put('a.py');
    git('init', '-q');
    const mark = join(base, 'was run');
    writeFileSync(join(base, 'monitor'), `#!/bin/sh\n: >"${mark}"\n`, { mode: 0o755 });
    git('config', 'core.fsmonitor', join(base, 'monitor'));
    assert.deepEqual((await find()).names, ['a.py']);
    assert.ok(!existsSync(mark));
  });

  it('are named where they may be secrets, which only a rule of the file brings', async () => {
    put('a.py', '.env', 'certs/server.PEM', 'id_rsa', 'notes.md');
    assert.deepEqual((await find()).secretFiles, []);
    const { names, secretFiles } = await find({ include: ['**'] });
    assert.equal(names.length, 5);
    assert.deepEqual(secretFiles, ['.env', 'certs/server.PEM', 'id_rsa']);
  });

  it('leave out secrets, what the rules name, outputs, and links that lead away, with the reason', async () => {
    put('a.py', '.env', 'server.key', 'AWS_Credentials.csv', 'notes.md', 'out/1/model.bin', 'skip/x');
    writeFileSync(join(workspace, '.gpurentalignore'), '*.md\n');
    writeFileSync(join(base, 'private'), 'private');
    symlinkSync(join(base, 'private'), join(workspace, 'link'));
    symlinkSync('a.py', join(workspace, 'own-link'));
    const { names, leftOut } = await find({ exclude: ['skip/'] }, ['out']);
    assert.deepEqual(names, ['.gpurentalignore', 'a.py', 'own-link']);
    assert.deepEqual(Object.fromEntries(leftOut.map(({ name, why }) => [name, formatText(why)])), {
      '.env': 'may be a secret',
      'server.key': 'may be a secret',
      'AWS_Credentials.csv': 'may be a secret',
      'notes.md': 'left out by a rule',
      'skip/x': 'left out by a rule',
      'out/1/model.bin': 'outputs of a job',
      link: 'a link that leads out of what is transferred, or to nothing',
    });
  });

  for (const [where, run] of [
    ['by git', runProgram],
    ['by a walk', withoutGit],
  ] as const) {
    it(`never lack one without a word: a name that is not UTF-8, found ${where}`, async () => {
      put('a.py');
      git('init', '-q');
      writeFileSync(
        Buffer.concat([Buffer.from(`${workspace}/b`), Buffer.from([0xff]), Buffer.from('.py')]),
        '',
      );
      git('add', 'a.py');
      const { names, leftOut } = await find({ run });
      assert.deepEqual(names, ['a.py']);
      assert.deepEqual(
        leftOut.map(({ name, why }) => [name, formatText(why)]),
        [['b\ufffd.py', 'a name that is not UTF-8']],
      );
    });
  }

  it('lack a folder that may not be read, which is reported', async () => {
    // What root may do says nothing of a user, who must come as far as this folder: each run of the tests has a
    // temporary folder that is closed to others.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) {
      rmSync(base, { recursive: true });
      base = mkdtempSync('/tmp/gr-sent-');
      [workspace, home] = [join(base, 'Projekt José'), join(base, 'home')];
      mkdirSync(workspace);
      for (const folder of [base, workspace]) {
        chmodSync(folder, 0o755);
      }
    }
    put('a.py', 'private/b.py');
    writeFileSync(join(workspace, '.gitignore'), '*.log\n');
    chmodSync(join(workspace, 'private'), 0);
    // What the search needs of modules is read before another user might not read them.
    await find({ run: withoutGit });
    if (isRoot) {
      process.seteuid?.(65_534);
    }
    try {
      const { names, leftOut } = await find({ run: withoutGit });
      assert.deepEqual(names, ['.gitignore', 'a.py']);
      assert.deepEqual(
        leftOut.map(({ name, why }) => [name, formatText(why)]),
        [['private', 'EACCES']],
      );
    } finally {
      if (isRoot) {
        process.seteuid?.(0);
      }
      chmodSync(join(workspace, 'private'), 0o755);
    }
  });

  it('are never those of the home folder or of what holds it', async () => {
    for (const folder of [home, base, '/']) {
      await assert.rejects(
        findSentFiles({ run: runProgram, home }, folder, { workdir: '.', sync }, []),
        (error) => error instanceof UserError && /which is never sent/.test(error.message),
        folder,
      );
    }
    for (const [index, folder] of [home, base].entries()) {
      const other = join(base, `another name ${index}`);
      symlinkSync(folder, other);
      await assert.rejects(
        findSentFiles({ run: runProgram, home }, other, { workdir: '.', sync }, []),
        (error) => error instanceof UserError && /which is never sent/.test(error.message),
        other,
      );
    }
    mkdirSync(join(home, 'project'));
    assert.deepEqual(
      (await findSentFiles({ run: runProgram, home }, join(home, 'project'), { workdir: '.', sync }, []))
        .names,
      [],
    );
  });

  it('are none of a folder that is missing, which is reported', async () => {
    await assert.rejects(find({ workdir: 'scr' }), (error: unknown) => {
      assert.ok(error instanceof UserError);
      assert.match(formatText(error.text), /^The folder .*scr isn’t there, so its files can’t be sent\.$/);
      return true;
    });
  });

  it('are not taken for removed where their folder is gone', async () => {
    put('a.py');
    assert.equal((await sentTree(openedFolder(workspace), ['a.py'])).files.length, 1);
    rmSync(workspace, { recursive: true });
    await assert.rejects(sentTree(openedFolder(workspace), ['a.py']), /Projekt José isn’t there/);
    assert.deepEqual((await sentTree(openedFolder(workspace), [])).files, []);
  });

  it('are none where the job sends none, and the search ends when it is cancelled', async () => {
    put('a.py');
    const none = await findSentFiles({ run: runProgram, home: workspace }, workspace, { workdir: '.' }, []);
    assert.deepEqual(none.names, []);
    const abort = new AbortController();
    const run: Run = () => {
      abort.abort();
      return Promise.reject(new Error('cancelled'));
    };
    const cancelled = findSentFiles(
      { run, home, signal: abort.signal },
      workspace,
      { workdir: '.', sync },
      [],
    );
    await assert.rejects(cancelled, /cancelled/);
  });

  it('lack files that the script names, which is reported', async () => {
    put('train.py', 'data/x.bin', 'conf/secret.key');
    const { names } = await find({ exclude: ['data/'] });
    const spec = {
      workdir: '.',
      run: 'python train.py --data data/x.bin gone.txt',
      setup: 'cat conf/secret.key',
      outputs: [],
    };
    assert.deepEqual(await missingFiles(workspace, spec, { names }), ['conf/secret.key', 'data/x.bin']);
  });

  it('lack outputs of an earlier run that the script names, which is reported and refuses nothing', async () => {
    put('outputs/model.pt', 'a.py');
    const spec = { workdir: '.', run: 'python a.py --out outputs/model.pt', outputs: ['outputs/**'] };
    assert.deepEqual(await missingFiles(workspace, spec, { names: ['a.py'] }), []);
    const found = await unsentNames(workspace, spec, { names: ['a.py'] });
    assert.deepEqual(
      found.map((one) => [one.name, formatText(one.why)]),
      [['outputs/model.pt', 'the command names it, and outputs are not sent']],
    );
    assert.deepEqual(await unsentNames(workspace, spec, { names: ['a.py', 'outputs/model.pt'] }), []);
  });

  it('lack folders that the script names, which is reported unless they are for outputs', async () => {
    put('data/x.bin', 'runs/1/log', 'code/a.py', 'a.py');
    const run = 'python a.py --data ./data/ --code code --logs runs/1 --more data/ --none none/';
    const spec = { workdir: '.', run, outputs: ['runs/**'] };
    const names = ['a.py', 'code/a.py'];
    const found = await unsentNames(workspace, spec, { names });
    assert.deepEqual(
      found.map((one) => [one.name, formatText(one.why)]),
      [['data/', 'the command names it, and nothing in it is sent']],
    );
  });
});
