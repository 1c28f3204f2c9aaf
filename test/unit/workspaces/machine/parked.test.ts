import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parkedPrograms } from '../../../../src/workspaces/machine/parked/programs';
import { canBeParked } from '../../../../src/workspaces/model/parkedSet';
import { placeOf } from '../../../support/machinePrograms';
import { factsOf, ParkedScene } from '../../../support/parkedScene';
import { until } from '../../../support/until';

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
      printf 1234 >.venv/lib/x; printf 1 >.venv/pyvenv.cfg; mkdir -p src/venv; printf 123 >src/venv/mine.py; printf 123 >sub/node_modules/x/node_modules/y; printf 12 >sub/node_modules-y
      truncate -s 20M holes; mkfifo pipe; : >.git/index.lock; : >.git/modules/m/MERGE_HEAD
      ln -s /etc/agents.md AGENTS.md; ln -s a link`);
    const look = await scene.pieces().look(scene.root);
    assert.deepEqual(look.caches, [
      { name: '.venv', bytes: 5 },
      { name: 'sub/node_modules', bytes: 3 },
      { name: 'AGENTS.md', bytes: 0 },
    ]);
    assert.deepEqual([look.files, look.bytes], [9, 4 + 5 + 3 + 3 + 2 + 20 * 1024 * 1024]);
    assert.deepEqual([look.special, look.unreadable], [['pipe'], []]);
    assert.deepEqual(
      look.sparse.map(({ name, size, usedBytes }) => [name, size, usedBytes]),
      [['holes', 20 * 1024 * 1024, 0]],
    );
    assert.deepEqual(look.gitAtWork, ['.git/index.lock', '.git/modules/m/MERGE_HEAD']);
    assert.equal(look.isSharedVolume, statSync('/').dev !== statSync(scene.there).dev);
  });

  it('is neither the root of the disk nor a way through other folders', () => {
    for (const path of ['/', '//', '/.', '/workspace/..', '/workspace//x', '/workspace/./x']) {
      assert.equal(canBeParked(path), false, path);
    }
    assert.deepEqual(['/root', '/workspace/a b/', '/x/..y'].map(canBeParked), [true, true, true]);
  });

  it('is on a volume where a folder in it is on another disk', async () => {
    const record = (device: string, name: string) => `rd 755 1 8 ${device}:1 1 1.5 1.5 ${name}\\0\\0`;
    const own = String(statSync('/').dev);
    scene.fake('find', `printf '${record(own, '.')}${record(own, './data')}'`);
    assert.equal((await scene.pieces().look(scene.root)).isSharedVolume, false);
    scene.fake('find', `printf '${record(own, '.')}${record('999999', './data')}'`);
    assert.equal((await scene.pieces().look(scene.root)).isSharedVolume, true);
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

  it('is listed without tokens of Hugging Face, wherever they are, which are named before', async () => {
    scene.make(`
      mkdir -p .cache/huggingface/hub .huggingface huggingface; echo secret >.cache/huggingface/token
      echo secret >.cache/huggingface/stored_tokens; echo secret >.huggingface/token; echo text >huggingface/token`);
    const tokens = ['.cache/huggingface/stored_tokens', '.cache/huggingface/token', '.huggingface/token'];
    assert.deepEqual((await scene.pieces().look(scene.root)).secrets, tokens);
    const { entries, leftOut } = await scene.pieces().list(scene.root, []);
    assert.deepEqual(leftOut, tokens);
    assert.deepEqual(
      entries.filter(({ kind }) => kind === 'file').map(({ name }) => name),
      ['huggingface/token'],
    );
    const below = await scene.pieces().list(`${scene.root}/.cache/huggingface`, []);
    assert.deepEqual(below.leftOut, ['stored_tokens', 'token']);
  });

  it('names what can not be read, until that is left out', async () => {
    scene.make(
      'echo one >a; echo secret >hidden; chmod 0 hidden; mkdir -p locked/in; chmod 0 locked; mkfifo pipe; chmod 755 .',
    );
    const user = scene.pieces({ exec: scene.asUser });
    const { unreadable, special, files } = await user.look(scene.root);
    assert.deepEqual([unreadable, special, files], [['hidden', 'locked'], ['pipe'], 2]);
    await assert.rejects(user.list(scene.root, ['locked']), /Can't be read on the instance: hidden\. /);
    await assert.rejects(user.list(scene.root, ['hidden']), /Can't be read on the instance: locked\. /);
    const { entries } = await user.list(scene.root, ['hidden', 'locked']);
    assert.deepEqual(
      entries.map(({ name }) => name),
      ['', 'a'],
    );
  });

  const lies: readonly (readonly [what: string, record: string, refused: RegExp])[] = [
    ['a name outside', 'rf 644 1 8 1:2 1 1.5 1.5 ./../x', /leads elsewhere: \.\.\/x/],
    ['an absolute name', 'rf 644 1 8 1:2 1 1.5 1.5 /etc/passwd', /did not finish/],
    [
      'a name below a link',
      'rl 777 1 0 1:2 1 1.5 1.5 ./l\\0/etc\\0rf 644 1 8 1:3 1 1.5 1.5 ./l/x',
      /leads elsewhere: l\/x/,
    ],
    ['a name twice', 'rf 644 1 8 1:2 1 1.5 1.5 ./x\\0\\0rf 644 1 8 1:3 1 1.5 1.5 ./x', /leads elsewhere: x/],
    ['an empty part', 'rf 644 1 8 1:2 1 1.5 1.5 .//x', /leads elsewhere/],
    ['a size that is none', 'rf 644 -1 8 1:2 1 1.5 1.5 ./x', /did not finish/],
    ['no folder', 'rf 644 1 8 1:2 1 1.5 1.5 .', /leads elsewhere/],
    ['other words', 'Welcome', /did not finish/],
  ];
  for (const [what, record, refused] of lies) {
    it(`is refused by its name where an instance lists ${what}`, async () => {
      scene.fake('find', `printf 'rd 755 1 8 1:1 1 1.5 1.5 .\\0\\0${record}\\0\\0'`);
      await assert.rejects(scene.pieces().list(scene.root, []), refused);
      assert.equal(await scene.pieces().saved(), undefined);
    });
  }

  it('is no folder where it is gone, and needs programs of GNU, which are named', async () => {
    await assert.rejects(scene.pieces().look(`${scene.root}/none`), /The instance has no folder .*\/none/);
    for (const name of ['tar', 'find', 'sha256sum']) {
      scene.fake(name, 'false', 'BusyBox');
    }
    const manifest = { root: scene.root, leftOut: [], listedAt: 0, entries: [] };
    const works = [
      () => scene.pieces().look(scene.root),
      () => scene.pieces().list(scene.root, []),
      () => scene.pieces().changedSince(manifest),
      () => scene.pieces().fetch(manifest),
      () => scene.pieces().place(manifest),
    ];
    for (const work of works) {
      await assert.rejects(work(), /lacks GNU programs: tar, find, sha256sum\. Install them/);
    }
  });

  it('keeps a timer waiting for as long as it is worked on, whose mark follows no link', async () => {
    const saving = join(scene.dir, '.gpu-rental', 'saving');
    scene.make('echo one >a');
    // The timer takes the mark three times.
    scene.fake(
      'sleep',
      `rmdir '${saving}' && echo $PPID >>'${scene.dir}/beats'; exec ${placeOf('sleep')} 0.02`,
    );
    scene.fake(
      'find',
      `until [ "$(wc -l <'${scene.dir}/beats')" -ge 3 ]; do ${placeOf('sleep')} 0.02; done; find "$@"`,
    );
    await scene.pieces().look(scene.root);
    const [pid] = readFileSync(join(scene.dir, 'beats'), 'utf8').split('\n');
    await until('the end of what makes the mark', () => !existsSync(`/proc/${pid}`));
    scene.honest();
    rmSync(saving, { recursive: true, force: true });
    symlinkSync(join(scene.dir, 'else'), saving);
    await scene.pieces().look(scene.root);
    assert.equal(existsSync(join(scene.dir, 'else')), false);
  });

  it('has the mark for which a timer waits while the service copies it, which follows no link', async () => {
    const saving = join(scene.dir, '.gpu-rental', 'saving');
    await scene.pieces().hold();
    await scene.pieces().hold();
    assert.ok(existsSync(saving));
    rmSync(saving, { recursive: true });
    symlinkSync(join(scene.dir, 'else'), saving);
    await scene.pieces().hold();
    assert.equal(existsSync(join(scene.dir, 'else')), false);
  });

  it('is worked on by programs that shellcheck has no objection to', () => {
    for (const program of Object.values(parkedPrograms)) {
      const { status, stdout } = spawnSync(
        'shellcheck',
        ['--shell=sh', '-e', 'SC2154,SC2185,SC2015,SC2034,SC2317', '-'],
        { input: program },
      );
      assert.equal(status, 0, stdout.toString());
    }
  });

  it('is the same to the byte with thousands of files', async () => {
    scene.make('for d in {1..60}; do mkdir -p d$d/x; for f in {1..50}; do echo $d$f >d$d/x/$f; done; done');
    const before = factsOf(scene.there);
    const manifest = await scene.pieces().list(scene.root, []);
    await scene.pieces().fetch(manifest);
    assert.deepEqual(await scene.pieces().proveHere(manifest), []);
    scene.make('rm -r ./*');
    rmSync(scene.there, { recursive: true });
    await scene.pieces().place(manifest);
    assert.deepEqual(factsOf(scene.there), before);
  });
});
