import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listedTree, sentMode } from '../../../src/ssh/fileTree';
import { formatText } from '../../../src/util/text';
import { fill } from '../../support/transfers';

describe('The files of a list', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'gr-list-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('are taken with the folders on their way, and nothing beside them', async () => {
    fill(root, ['a/b/train.py', 'a/b/secret.key', 'top.txt']);
    const tree = await listedTree(root, ['top.txt', 'a/b/train.py', 'top.txt']);
    assert.deepEqual(tree.files.map(({ name, size }) => [name, size]).sort(), [
      ['a/b/train.py', 12],
      ['top.txt', 7],
    ]);
    assert.deepEqual(tree.folders, ['a', 'a/b']);
    assert.deepEqual(tree.leftOut, []);
  });

  it('keep links that stay inside, and name what is gone or leads out', async () => {
    mkdirSync(join(root, 'data'));
    writeFileSync(join(root, 'data', 'x'), 'x');
    symlinkSync('data/x', join(root, 'inner'));
    symlinkSync('/etc/passwd', join(root, 'outer'));
    const tree = await listedTree(root, ['data/x', 'inner', 'outer', 'gone', '../up', '/etc']);
    assert.deepEqual([...tree.links], [['inner', 'data/x']]);
    assert.deepEqual(Object.fromEntries(tree.leftOut.map(({ name, why }) => [name, formatText(why)])), {
      '../up': 'a name that leads out of the folder',
      '/etc': 'a name that leads out of the folder',
      gone: 'was removed',
      outer: 'a link that leads out of what is transferred, or to nothing',
    });
  });

  it('can be executed as here, and all of them where this computer does not know which', () => {
    const modes = [0o100644, 0o100755, 0o100666].map((mode) => [
      sentMode(mode, 'linux'),
      sentMode(mode, 'win32'),
    ]);
    assert.deepEqual(modes, [
      [0o644, 0o755],
      [0o755, 0o755],
      [0o644, 0o755],
    ]);
  });

  it('keep the editor at work however many links there are', async () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `link${index}`);
    writeFileSync(join(root, 'data'), 'x');
    names.forEach((name) => {
      symlinkSync(name === 'link7' ? 'gone' : 'data', join(root, name));
    });
    let longestMs = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - last);
      last = performance.now();
    }, 1);
    const tree = await listedTree(root, ['data', ...names]);
    longestMs = Math.max(longestMs, performance.now() - last);
    clearInterval(timer);
    assert.deepEqual([tree.links.size, tree.leftOut.map(({ name }) => name)], [19_999, ['link7']]);
    assert.ok(longestMs < 1500, `nothing else ran for ${longestMs} ms`);
  });
});
