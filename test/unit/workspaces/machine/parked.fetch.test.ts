import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FilesChangedError } from '../../../../src/workspaces/machine/parked/fetchPieces';
import { piecesOf } from '../../../../src/workspaces/machine/parked/pieces';
import type { ParkedEntry } from '../../../../src/workspaces/model/parkedSet';
import { factsOf, oddities, ParkedScene } from '../../../support/parkedScene';
import { useRealSsh } from '../../../support/realSsh';

describe('A folder that is fetched from an instance', function () {
  this.timeout(60_000);
  const ssh = useRealSsh();
  let scene: ParkedScene;

  beforeEach(() => {
    scene = new ParkedScene();
  });
  afterEach(() => scene.dispose());

  const tars = () => readdirSync(scene.folder).filter((name) => name.endsWith('.tar'));

  const names = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return error instanceof FilesChangedError ? error.names : String(error);
  };

  it('is the same to the byte when its archives are unpacked by tar', async () => {
    const { home, machine } = ssh();
    const key = home.key();
    machine.authorize(key);
    const service = home.service();
    await service.prepare(ssh().request({}, [key]));
    scene.make(oddities);
    const before = factsOf(scene.there);
    const pieces = scene.pieces(service, service.aliasOf(ssh().request().account, 7));
    const manifest = await pieces.list(scene.root, []);
    const seen: number[] = [];
    await pieces.fetch(manifest, ({ bytes, totalBytes }) => seen.push(bytes / totalBytes));
    assert.deepEqual(await pieces.proveHere(manifest), []);
    assert.deepEqual(factsOf(scene.unpack()), before);
    assert.deepEqual(await pieces.changedSince(manifest), []);
    assert.ok(seen.length > 0 && seen.every((part) => part >= 0 && part <= 1));
    assert.ok(statSync(join(scene.dir, 'unpacked', 'holes')).blocks < 100);
    const size = tars().reduce((sum, name) => sum + statSync(join(scene.folder, name)).size, 0);
    assert.ok(size < 5_000_000, `${size} bytes`);
    assert.equal(
      execFileSync('git', ['-C', join(scene.dir, 'unpacked'), 'status', '--short'], {
        encoding: 'utf8',
      }).includes('?? a'),
      true,
    );
  });

  it('continues after a cut at any byte, and fetches again only what lacks', async () => {
    scene.make('echo one >a; head -c 200000 /dev/urandom >b; ln b c; ln -s a d; mkdir e');
    const manifest = await scene.pieces().list(scene.root, []);
    await scene.pieces().fetch(manifest);
    const sizes = new Map(tars().map((name) => [name, statSync(join(scene.folder, name)).size]));
    const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    const [files = ''] = sizes.keys();
    const content = readFileSync(join(scene.folder, files));
    const cuts = [
      0,
      1,
      300,
      512,
      700,
      1_024,
      1_300,
      1_538,
      2_048,
      5_000,
      150_000,
      203_000,
      total - 40_000,
      total - 1,
    ];
    for (const cut of cuts) {
      tars().forEach((name) => rmSync(join(scene.folder, name)));
      await assert.rejects(scene.pieces({ exec: scene.cutExec(cut) }).fetch(manifest));
      const passed = { bytes: 0 };
      await scene.pieces({ exec: scene.cutExec(Infinity, passed) }).fetch(manifest);
      assert.ok(passed.bytes <= total - cut + 100, `${passed.bytes} after ${cut} of ${total}`);
      assert.deepEqual(readFileSync(join(scene.folder, files)), content);
      assert.deepEqual(await scene.pieces().proveHere(manifest), []);
    }
    // The window was closed between the last byte and the name.
    renameSync(join(scene.folder, files), join(scene.folder, `${files}.part`));
    const passed = { bytes: 0 };
    await scene.pieces({ exec: scene.cutExec(Infinity, passed) }).fetch(manifest);
    assert.ok(passed.bytes < 100, `${passed.bytes} bytes`);
    assert.deepEqual(readFileSync(join(scene.folder, files)), content);
  });

  it('is fetched again where what is here was damaged', async () => {
    scene.make('echo one >a; echo two >b');
    const manifest = await scene.pieces().list(scene.root, []);
    await scene.pieces().fetch(manifest);
    const [files = '', folders = ''] = tars();
    const path = join(scene.folder, files);
    writeFileSync(
      path,
      readFileSync(path).map((byte) => (byte === 0x74 ? 0x75 : byte)),
    );
    assert.deepEqual(await scene.pieces().proveHere(manifest), ['a', 'b']);
    assert.deepEqual(await scene.pieces().proveHere(manifest, undefined, true), ['a', 'b']);
    await scene.pieces().fetch(manifest);
    assert.deepEqual(await scene.pieces().proveHere(manifest), []);
    const whole = readFileSync(path);
    // A damaged disk may have lost the end of a file, or put something behind it.
    for (const damaged of [whole.subarray(0, 4_000), Buffer.concat([whole, Buffer.alloc(512)])]) {
      writeFileSync(path, damaged);
      assert.notDeepEqual(await scene.pieces().proveHere(manifest, undefined, true), []);
      await scene.pieces().fetch(manifest);
      assert.deepEqual(readFileSync(path), whole);
    }
    rmSync(join(scene.folder, folders));
    assert.deepEqual(await scene.pieces().proveHere(manifest), ['']);
    await scene.pieces().fetch(manifest);
    assert.deepEqual(await scene.pieces().proveHere(manifest), []);
    rmSync(join(scene.folder, 'manifest.jsonl'));
    assert.deepEqual(await scene.pieces().proveHere(manifest), ['']);
  });

  it('names files that change while they are listed or fetched, and keeps the others', async () => {
    scene.make('head -c 33000000 /dev/zero >large; echo one >a; echo old >log');
    scene.fake(
      'sha256sum',
      'sha256sum "$@"; for f; do case $f in */log) echo new >"$f"; touch -d 2001-01-01 "$f" ;; esac; done',
    );
    const manifest = await scene.pieces().list(scene.root, []);
    assert.deepEqual(await scene.pieces().changedSince(manifest), ['log']);
    assert.deepEqual(await names(scene.pieces().fetch(manifest)), ['log']);
    const [large = ''] = tars();
    assert.equal(statSync(join(scene.folder, large)).size > 33_000_000, true);
    assert.deepEqual(new Set(await scene.pieces().proveHere(manifest)), new Set(['a', 'log']));
    scene.honest();
    scene.make('rm a; echo more >>log; mkdir new');
    assert.deepEqual(new Set(await scene.pieces().changedSince(manifest)), new Set(['', 'a', 'log', 'new']));
    const again = await scene.pieces().list(scene.root, []);
    const passed = { bytes: 0 };
    await scene.pieces({ exec: scene.cutExec(Infinity, passed) }).fetch(again);
    assert.ok(passed.bytes < 200_000, `${passed.bytes} bytes`);
    assert.deepEqual(await scene.pieces().proveHere(again), []);
    assert.equal(tars().length, 3);
  });

  it('compares by content what changed right before it was listed', async () => {
    scene.make('echo one >a; echo two >b');
    const manifest = await scene.pieces().list(scene.root, []);
    const other = (name: string) => (entry: ParkedEntry) =>
      entry.name === name ? { ...entry, hash: '0'.repeat(64) } : entry;
    const lied = { ...manifest, entries: manifest.entries.map(other('b')) };
    assert.deepEqual(await scene.pieces().changedSince(lied), ['b']);
    assert.deepEqual(await scene.pieces().changedSince({ ...lied, listedAt: lied.listedAt + 60 }), []);
  });

  it('fits on the disk of this computer, or is refused before and while it is fetched', async () => {
    scene.make('echo one >a; head -c 40000000 /dev/zero >large');
    const manifest = await scene.pieces().list(scene.root, []);
    const full = scene.pieces(undefined, undefined, () => Promise.resolve(210_000_000));
    await assert.rejects(full.fetch(manifest), /disk of this computer is full: 40 MB needed, 10 MB free/);
    const [first = '', second = ''] = piecesOf(manifest).map(({ file }) => file);
    const disk = join(scene.folder, `${second}.part`);
    symlinkSync('/dev/full', disk);
    await assert.rejects(scene.pieces().fetch(manifest), /^DiskFull|disk of this computer is full/);
    assert.deepEqual(tars(), [first]);
    rmSync(disk);
    await scene.pieces().fetch(manifest);
    assert.deepEqual(await scene.pieces().proveHere(manifest), []);
  });

  const lies: readonly (readonly [what: string, tar: string, words: RegExp | readonly string[]])[] = [
    ['other bytes', 'tar "$@" | tr 1 2', ['a']],
    ['fewer files', 'tr "\\0" "\\n" | grep -v /a | tr "\\n" "\\0" | tar "$@"', ['a']],
    [
      'a file twice',
      'cat >../names; cat ../names ../names | tar "$@"',
      /sent [ab.], which was not asked for/,
    ],
    [
      'a file more',
      'cat >../names; printf "./evil\\0" >>../names; echo x >evil; tar "$@" <../names',
      /sent evil, which was not asked for/,
    ],
    [
      'a name outside',
      'cat >/dev/null; tar -cPf - ../outside',
      /sent \.\.\/outside, which was not asked for/,
    ],
    ['an absolute name', 'cat >/dev/null; tar -cPf - "$PWD/a"', /sent \/.*\/a, which was not asked for/],
    ['a longer file', 'echo 1 >>a; tar "$@"', ['a', 'b']],
    ['a shorter file', ': >a; tar "$@"', ['a']],
    ['no archive', 'cat >/dev/null; head -c 100000 /dev/urandom', ['a']],
    ['no end', 'cat >/dev/null; tar -cf - ./a | head -c 1000; cat /dev/zero', /sent more than it announced/],
    [
      'headers without end',
      'cat >/dev/null; printf ./a | tar --format=posix --mtime=@1.5 -cf - -T - | head -c 1024 >../x; for i in {1..14}; do cat ../x ../x >../y; mv ../y ../x; done; while cat ../x; do :; done',
      /sent more than it announced/,
    ],
    ['nothing', 'cat >/dev/null', /did not finish/],
  ];
  for (const [what, tar, words] of lies) {
    it(`is never proved by a machine that sends ${what}`, async () => {
      scene.make('echo 111 >a; echo b >b; echo out >../outside; touch -d 2001-01-01 a .');
      const manifest = await scene.pieces().list(scene.root, []);
      scene.fake('tar', tar);
      const found = await names(scene.pieces().fetch(manifest));
      if (words instanceof RegExp) {
        assert.match(String(found), words);
      } else {
        assert.ok(Array.isArray(found) && words.some((word) => found.includes(word)), String(found));
      }
      assert.notDeepEqual(await scene.pieces().proveHere(manifest), []);
      // What was kept of it does no harm, and of what never ends, nothing is kept.
      if (String(words).includes('more than it announced')) {
        assert.deepEqual(
          readdirSync(scene.folder).filter((name) => name.endsWith('.part')),
          [],
        );
      }
      scene.honest();
      scene.make('echo 111 >a; rm -f evil; touch -d 2001-01-01 a .');
      await scene.pieces().fetch(manifest);
      assert.deepEqual(await scene.pieces().proveHere(manifest), []);
    });
  }
});
