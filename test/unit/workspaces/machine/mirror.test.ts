import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { formatText } from '../../../../src/util/text';
import type { FolderMirror } from '../../../../src/workspaces/model/mirror';
import { MirrorScene } from '../../../support/mirrorScene';
import { until } from '../../../support/until';

describe('A folder that is kept on an instance', function () {
  this.timeout(60_000);
  let scene: MirrorScene;
  let mirror: FolderMirror;

  beforeEach(() => {
    scene = new MirrorScene();
    mirror = scene.open();
  });
  afterEach(() => scene.dispose());

  const question = () => mirror.status.question;
  const differing = () =>
    Object.fromEntries(mirror.status.differing.map(({ name, change }) => [name, change]));
  const replaced = () =>
    existsSync(join(scene.beside, 'replaced'))
      ? readdirSync(join(scene.beside, 'replaced'), { recursive: true, encoding: 'utf8' })
          .map((name) => join(scene.beside, 'replaced', name))
          .filter((path) => lstatSync(path).isFile())
          .map((path) => readFileSync(path, 'utf8'))
      : [];

  it('arrives, follows each change, and costs one login where nothing differs', async () => {
    scene.write('a.py', 'one');
    scene.write('src/deep/b.py', 'two');
    chmodSync(join(scene.local, 'a.py'), 0o755);
    symlinkSync('a.py', join(scene.local, 'link'));
    await mirror.settle();
    assert.equal(mirror.remote, scene.remote);
    assert.deepEqual([scene.read('a.py'), scene.read('src/deep/b.py')], ['one', 'two']);
    assert.equal(statSync(join(scene.remote, 'a.py')).mode & 0o777, 0o755);
    assert.equal(readlinkSync(join(scene.remote, 'link')), 'a.py');
    scene.write('a.py', 'three');
    rmSync(join(scene.local, 'src', 'deep', 'b.py'));
    await mirror.settle();
    assert.deepEqual([scene.read('a.py'), scene.read('src/deep/b.py')], ['three', undefined]);
    assert.deepEqual(replaced(), ['two']);
    assert.equal(existsSync(join(scene.remote, 'src')), false);
    scene.logins = 0;
    const { inStepAt, waiting } = await mirror.settle();
    assert.ok(inStepAt);
    assert.deepEqual([waiting, scene.logins], [0, 1]);
  });

  it('is sent by one login after a save', async () => {
    scene.write('a.py', 'one');
    await mirror.settle();
    scene.logins = 0;
    for (const content of ['two', 'six', 'ten']) {
      scene.write('a.py', content);
      mirror.touched(['a.py']);
      await until('the save arrives', () => scene.read('a.py') === content && !mirror.status.isWorking);
    }
    assert.equal(scene.logins, 3);
    assert.deepEqual(differing(), {});
  });

  it('follows new, renamed and deleted names that the editor reports', async () => {
    scene.write('a.py', 'one');
    await mirror.settle();
    renameSync(join(scene.local, 'a.py'), join(scene.local, 'b.py'));
    mirror.touched(['a.py', 'b.py']);
    await until('the rename arrives', () => scene.read('b.py') === 'one' && scene.read('a.py') === undefined);
  });

  it('replaces nothing that was changed there, and sends all else', async () => {
    scene.write('a.py', 'one');
    scene.write('b.py', 'one');
    await mirror.settle();
    scene.write('a.py', 'theirs', 'remote');
    scene.write('new/result.txt', 'made there', 'remote');
    scene.write('b.py', 'mine');
    await mirror.settle();
    assert.deepEqual(differing(), { 'a.py': 'changed', 'new/result.txt': 'new' });
    assert.equal(scene.read('b.py'), 'mine');
    scene.write('a.py', 'mine, longer');
    mirror.touched(['a.py']);
    await until('it is changed on both sides', () => differing()['a.py'] === 'both');
    assert.equal(scene.read('a.py'), 'theirs');
    assert.equal(Buffer.from(await mirror.read('a.py')).toString(), 'theirs');
    assert.deepEqual(
      (await mirror.fetch(['a.py'])).map(({ name, why }) => `${name}: ${formatText(why)}`),
      ['a.py: changed on both sides'],
    );
    assert.equal(scene.read('a.py', 'local'), 'mine, longer');
  });

  it('keeps the other version of what the user decides', async () => {
    scene.write('a.py', 'one');
    scene.write('b.py', 'one');
    await mirror.settle();
    for (const name of ['a.py', 'b.py']) {
      scene.write(name, 'theirs', 'remote');
      scene.write(name, 'mine');
    }
    await mirror.settle();
    assert.deepEqual(differing(), { 'a.py': 'both', 'b.py': 'both' });
    await mirror.keep(['a.py'], 'here');
    assert.deepEqual([scene.read('a.py'), replaced()], ['mine', ['theirs']]);
    await mirror.keep(['b.py'], 'instance');
    assert.equal(scene.read('b.py', 'local'), 'theirs');
    const { folder } = scene.files.notesOf(scene.folder);
    const [kept] = readdirSync(join(folder, 'replaced'));
    assert.equal(readFileSync(join(folder, 'replaced', kept ?? '', 'b.py'), 'utf8'), 'mine');
    assert.deepEqual(differing(), {});
    scene.write('b.py', 'mine again');
    await mirror.settle();
    assert.equal(scene.read('b.py'), 'mine again');
  });

  it('fetches what was made and changed there, and nothing on whose name programs act', async () => {
    scene.write('a.py', 'one');
    scene.write('.gitignore', 'out/\n');
    execFileSync('git', ['init', '-q', scene.local]);
    await mirror.settle();
    scene.write('a.py', 'theirs', 'remote');
    scene.write('out/result.txt', 'made there', 'remote');
    scene.write('.github/workflows/run.yml', 'hostile', 'remote');
    await mirror.settle();
    const leftOut = await mirror.fetch(['a.py', 'out/result.txt', '.github/workflows/run.yml']);
    assert.deepEqual(
      leftOut.map(({ name }) => name),
      ['.github/workflows/run.yml'],
    );
    assert.deepEqual(
      [scene.read('a.py', 'local'), scene.read('out/result.txt', 'local')],
      ['theirs', 'made there'],
    );
    assert.deepEqual(differing(), { '.github/workflows/run.yml': 'new' });
    scene.write('out/result.txt', 'made again', 'remote');
    await mirror.settle();
    assert.equal(differing()['out/result.txt'], 'changed');
    await mirror.fetch(['out/result.txt']);
    assert.equal(scene.read('out/result.txt', 'local'), 'made again');
    assert.equal(scene.read('out/result.txt'), 'made again');
  });

  it('fetches no name that is another file on this computer, or can’t be one', async () => {
    mirror = scene.open({ platform: 'win32' });
    scene.write('data/x', 'mine');
    scene.write('a.py', 'mine');
    await mirror.settle();
    const names = ['A.py', 'Data/y', 'con', 'x.', 'a:b', 'aux/in.txt', 'other/Y'];
    names.forEach((name) => scene.write(name, 'theirs', 'remote'));
    await mirror.settle();
    const leftOut = await mirror.fetch(names);
    assert.deepEqual(
      leftOut.map(({ name, why }) => `${name}: ${formatText(why)}`),
      [
        'A.py: has the same name as a.py on this computer',
        'Data/y: has the same name as data on this computer',
        ...['con', 'x.', 'a:b', 'aux/in.txt'].map((name) => `${name}: a name that Windows does not allow`),
      ],
    );
    assert.deepEqual(readdirSync(scene.local).sort(), ['a.py', 'data', 'other']);
    assert.equal(scene.read('other/Y', 'local'), 'theirs');
  });

  it('fetches over no file that was never sent', async () => {
    scene.write('.gitignore', 'out/\n');
    execFileSync('git', ['init', '-q', scene.local]);
    scene.write('out/x', 'mine');
    await mirror.settle();
    scene.write('out/x', 'theirs', 'remote');
    await mirror.settle();
    assert.deepEqual(differing(), { 'out/x': 'new' });
    assert.equal((await mirror.fetch(['out/x'])).length, 1);
    assert.equal(scene.read('out/x', 'local'), 'mine');
  });

  it('shows what is gone there, and sends it again by decision', async () => {
    scene.write('a.py', 'one');
    scene.write('b.py', 'one');
    await mirror.settle();
    rmSync(join(scene.remote, 'a.py'));
    await mirror.settle();
    assert.deepEqual(differing(), { 'a.py': 'gone' });
    await mirror.keep(['a.py'], 'here');
    assert.equal(scene.read('a.py'), 'one');
    assert.deepEqual(differing(), {});
  });

  it('names a file that stays a folder there, though it is kept', async () => {
    scene.write('x', 'mine');
    await mirror.settle();
    rmSync(join(scene.remote, 'x'));
    scene.write('x/inner', 'theirs', 'remote');
    await mirror.settle();
    await assert.rejects(mirror.keep(['x'], 'here'), /x stays as it is/);
    assert.equal(scene.read('x/inner'), 'theirs');
  });

  it('deletes nothing here where the machine was wiped or its folder emptied', async () => {
    for (const gone of [scene.remote, scene.home]) {
      scene.write('a.py', 'one');
      scene.write('d/b.py', 'two');
      await mirror.settle();
      rmSync(gone, { recursive: true });
      mkdirSync(scene.home, { recursive: true });
      await mirror.settle();
      assert.deepEqual([scene.read('a.py'), scene.read('d/b.py')], ['one', 'two']);
      assert.deepEqual([scene.read('a.py', 'local'), scene.read('d/b.py', 'local')], ['one', 'two']);
      assert.deepEqual(differing(), {});
    }
  });

  it('compares by content what is there at the first contact', async () => {
    scene.write('same.py', 'same', 'remote');
    scene.write('other.py', 'theirs', 'remote');
    scene.write('foreign.py', 'foreign', 'remote');
    scene.write('same.py', 'same');
    scene.write('other.py', 'mine!!');
    scene.write('new.py', 'new');
    await mirror.settle();
    assert.deepEqual(differing(), { 'other.py': 'both', 'foreign.py': 'new' });
    assert.deepEqual(
      [scene.read('other.py'), scene.read('foreign.py'), scene.read('new.py')],
      ['theirs', 'foreign', 'new'],
    );
  });

  it('has another folder there than a second one of its name', async () => {
    scene.write('a.py', 'one');
    await mirror.settle();
    mkdirSync(join(scene.home, '.gpu-rental-mirror', 'project'), { recursive: true });
    writeFileSync(join(scene.home, '.gpu-rental-mirror', 'project', 'owner'), '00ff 0123456789abcdef\n');
    await mirror.settle();
    assert.equal(mirror.remote, `${scene.remote}-2`);
    assert.equal(readFileSync(join(`${scene.remote}-2`, 'a.py'), 'utf8'), 'one');
  });

  it('asks before many deletes, and before those of another folder', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `d/${index}.py`);
    names.forEach((name) => scene.write(name, name));
    await mirror.settle();
    rmSync(join(scene.local, 'd'), { recursive: true });
    scene.write('still.py', 'sent');
    await mirror.settle();
    assert.deepEqual([question()?.kind, question()?.files], ['deletes', 30]);
    assert.deepEqual([scene.read('d/0.py'), scene.read('still.py')], ['d/0.py', 'sent']);
    mirror.answer(false);
    await until('the answer counts', () => !mirror.status.isWorking && mirror.status.differing.length === 30);
    assert.equal(question(), undefined);
    assert.equal(differing()['d/0.py'], 'new');
    rmSync(scene.local, { recursive: true });
    scene.write('x', 'x');
    await mirror.settle();
    assert.deepEqual(question()?.names, ['still.py']);
    mirror.answer(true);
    await until('it is deleted', () => scene.read('still.py') === undefined);
    assert.deepEqual(replaced(), ['sent']);
  });

  it('deletes by an answer only what the user saw in the question', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `d/${index}.py`);
    names.forEach((name) => scene.write(name, name));
    await mirror.settle();
    names.slice(0, 30).forEach((name) => rmSync(join(scene.local, name)));
    await mirror.settle();
    const seen = question();
    names.slice(30, 59).forEach((name) => rmSync(join(scene.local, name)));
    await mirror.settle();
    assert.equal(question()?.files, 59);
    mirror.answer(true, seen);
    await until('they are deleted', () => scene.read('d/29.py') === undefined && !mirror.status.isWorking);
    assert.deepEqual([scene.read('d/30.py'), question()?.files], ['d/30.py', 29]);
  });

  it('deletes nothing there that the disk here refuses to state', async () => {
    scene.write('data/a.csv', 'one');
    scene.write('b.py', 'one');
    await mirror.settle();
    rmSync(join(scene.local, 'data'), { recursive: true });
    symlinkSync('data', join(scene.local, 'data'));
    await mirror.settle();
    assert.equal(scene.read('data/a.csv'), 'one');
    rmSync(join(scene.local, 'data'));
    writeFileSync(join(scene.local, 'data'), 'a file by now');
    await mirror.settle();
    assert.equal(scene.read('data'), 'a file by now');
  });

  it('asks before a large file, and remembers the answer', async () => {
    mirror = scene.open({ singleBytes: 52_000_000 });
    scene.write('small', 'x');
    scene.write('large', '');
    truncateSync(join(scene.local, 'large'), 51_000_000);
    await mirror.settle();
    assert.deepEqual(question(), { kind: 'size', files: 1, bytes: 51_000_000, names: ['large'] });
    assert.equal(scene.read('small'), 'x');
    mirror.answer(true);
    await until('it arrives', () => existsSync(join(scene.remote, 'large')) && !mirror.status.isWorking);
    truncateSync(join(scene.local, 'large'), 53_000_000);
    await mirror.settle();
    assert.equal(statSync(join(scene.remote, 'large')).size, 53_000_000);
    assert.deepEqual(readdirSync(join(scene.beside, 'large')), []);
    const other = scene.open();
    scene.write('huge', '');
    truncateSync(join(scene.local, 'huge'), 51_000_000);
    await other.settle();
    other.answer(false);
    await until('the answer counts', () => other.status.leftOut.length === 1);
    assert.deepEqual([other.status.question, other.status.waiting], [undefined, 0]);
  });

  it('leaves there what no longer belongs to it by a change of .gitignore', async () => {
    execFileSync('git', ['init', '-q', scene.local]);
    scene.write('data.bin', 'data');
    await mirror.settle();
    scene.write('.gitignore', '*.bin\n');
    await mirror.settle();
    assert.equal(scene.read('data.bin'), 'data');
    scene.write('data.bin', 'changed');
    await mirror.settle();
    assert.deepEqual([scene.read('data.bin'), differing()], ['data', {}]);
  });

  it('carries any names, and leaves out what its programs could mistake', async () => {
    const names = [
      '__proto__',
      'constructor',
      '-rf',
      ' x ',
      "a'b",
      '$(touch hacked)',
      '`id`',
      'é ü/ß',
      'a*b',
      '#x',
      '%s',
    ];
    names.forEach((name) => scene.write(name, `content of ${name}`));
    const unusable = ['two\nlines', ...['c', 'a', 'e', 'b', 'd'].map((end) => `tab\t${end}`)];
    unusable.forEach((name) => scene.write(name, 'x'));
    await mirror.settle();
    names.forEach((name) => assert.equal(scene.read(name), `content of ${name}`));
    assert.deepEqual(
      mirror.status.leftOut.map(({ name }) => name),
      unusable.toSorted(),
    );
    names.forEach((name) => scene.write(name, 'changed'));
    await mirror.settle();
    names.forEach((name) => assert.equal(scene.read(name), 'changed'));
    assert.deepEqual(readdirSync(scene.home).sort(), ['.gpu-rental-mirror', 'project']);
  });

  it('follows a file that becomes a folder, and back', async () => {
    scene.write('x', 'file');
    scene.write('y/z', 'inner');
    await mirror.settle();
    rmSync(join(scene.local, 'x'));
    rmSync(join(scene.local, 'y'), { recursive: true });
    scene.write('x/z', 'inner');
    scene.write('y', 'file');
    await mirror.settle();
    assert.deepEqual([scene.read('x/z'), scene.read('y')], ['inner', 'file']);
    assert.deepEqual(differing(), {});
  });

  it('puts no file through a link or over a folder that was made there', async () => {
    scene.write('a/x', 'x');
    await mirror.settle();
    mkdirSync(join(scene.home, 'elsewhere'));
    symlinkSync('../elsewhere', join(scene.remote, 'linked'));
    mkdirSync(join(scene.remote, 'folder', 'below'), { recursive: true });
    writeFileSync(join(scene.remote, 'folder', 'below', 'y'), 'theirs');
    scene.write('linked/y', 'mine');
    scene.write('folder', 'mine');
    await mirror.settle();
    assert.deepEqual(readdirSync(join(scene.home, 'elsewhere')), []);
    assert.equal(scene.read('folder/below/y'), 'theirs');
    assert.deepEqual(differing(), { 'folder/below/y': 'new', 'linked/y': 'both', folder: 'both' });
  });

  it('knows a change that size and time hide, and none that is only a time', async () => {
    scene.write('a.py', 'one');
    scene.write('b.py', 'one');
    await mirror.settle();
    const { mtime } = statSync(join(scene.local, 'a.py'));
    scene.write('a.py', 'two');
    utimesSync(join(scene.local, 'a.py'), mtime, mtime);
    utimesSync(join(scene.remote, 'b.py'), 1, 1);
    await mirror.settle();
    assert.equal(scene.read('a.py'), 'two');
    assert.deepEqual(differing(), {});
    const there = statSync(join(scene.remote, 'a.py')).mtime;
    scene.write('a.py', 'six', 'remote');
    utimesSync(join(scene.remote, 'a.py'), there, there);
    await mirror.settle();
    assert.deepEqual(differing(), { 'a.py': 'changed' });
  });
});
