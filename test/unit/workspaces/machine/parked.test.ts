import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { ParkedScene } from '../../../support/parkedScene';

const sha = (content: string) => createHash('sha256').update(content).digest('hex');

describe('A folder of an instance before it is parked', function () {
  this.timeout(60_000);
  let scene: ParkedScene;

  beforeEach(() => {
    scene = new ParkedScene();
  });
  afterEach(() => scene.dispose());

  it('is shown with its caches, holes, sockets and what git is about to do', async () => {
    scene.make(`
      echo one >a; mkdir -p .venv/lib sub/node_modules/x/node_modules .git/modules/m
      printf 12345 >.venv/lib/x; printf 123 >sub/node_modules/x/node_modules/y; printf 12 >sub/node_modules-y
      truncate -s 20M holes; mkfifo pipe; : >.git/index.lock; : >.git/modules/m/MERGE_HEAD
      ln -s /etc/agents.md AGENTS.md; ln -s a link`);
    const look = await scene.pieces().look(scene.root);
    assert.deepEqual(look.caches, [
      { name: '.venv', bytes: 5 },
      { name: 'sub/node_modules', bytes: 3 },
      { name: 'AGENTS.md', bytes: 0 },
    ]);
    assert.deepEqual([look.files, look.bytes], [7, 4 + 5 + 3 + 2 + 20 * 1024 * 1024]);
    assert.deepEqual([look.special, look.unreadable], [['pipe'], []]);
    assert.deepEqual(
      look.sparse.map(({ name, size, usedBytes }) => [name, size, usedBytes]),
      [['holes', 20 * 1024 * 1024, 0]],
    );
    assert.deepEqual(look.gitAtWork, ['.git/index.lock', '.git/modules/m/MERGE_HEAD']);
    assert.equal(look.isSharedVolume, statSync('/').dev !== statSync(scene.there).dev);
  });

  it('is listed with hashes, names of any bytes, hard links once, and without what is left out', async () => {
    scene.make(`
      echo one >a; ln a b; ln -s '../x y' link; mkdir -p 'em pty' 'o*t/x' out; echo two >'o*t/x/y'; echo 3 >out/keep
      echo bytes >$'\\xff\\xfe'; echo line >$'new\\nline\\\\n'; echo dash >-rf; echo quote >"it's \\"q\\""
      mkdir .hf_home; echo secret >.hf_home/token; chmod 4751 a; touch -d '2001-02-03 04:05:06.000000007' a`);
    const manifest = await scene.pieces().list(scene.root, ['o*t']);
    const found = new Map(manifest.entries.map((entry) => [entry.name, entry]));
    assert.deepEqual(
      [...found.keys()],
      [
        '',
        '-rf',
        '.hf_home',
        'a',
        'b',
        'em pty',
        'it\'s "q"',
        'link',
        'new\nline\\n',
        'out',
        'out/keep',
        '\xff\xfe',
      ],
    );
    const a = found.get('a');
    assert.deepEqual([a?.kind, a?.mode, a?.size, a?.hash], ['file', 0o4751, 4, sha('one\n')]);
    assert.ok(a?.modified.endsWith('.000000007'));
    assert.deepEqual([found.get('b')?.kind, found.get('b')?.target], ['hardLink', 'a']);
    assert.deepEqual([found.get('link')?.kind, found.get('link')?.target], ['link', '../x y']);
    assert.equal(found.get('new\nline\\n')?.hash, sha('line\n'));
    assert.equal(found.get('\xff\xfe')?.hash, sha('bytes\n'));
    assert.deepEqual(manifest.leftOut, ['o*t', '.hf_home/token']);
    assert.deepEqual(await scene.pieces().saved(), manifest);
  });
});
