import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Manifest } from '../../../../src/workspaces/model/parkedSet';
import { factsOf, oddities, ParkedScene } from '../../../support/parkedScene';
import { useRealSsh } from '../../../support/realSsh';

describe('A parked set that is placed on an instance', function () {
  this.timeout(60_000);
  const ssh = useRealSsh();
  let scene: ParkedScene;

  beforeEach(() => {
    scene = new ParkedScene();
  });
  afterEach(() => scene.dispose());

  /** Parks a folder, which is gone then. */
  const park = async (script: string): Promise<Manifest> => {
    scene.make(script);
    const manifest = await scene.pieces().list(scene.root, []);
    await scene.pieces().fetch(manifest);
    rmSync(scene.there, { recursive: true });
    return manifest;
  };
  const beside = () => readdirSync(dirname(scene.there)).sort();

  it('is the folder that it was, to the byte, with the holes of its files', async () => {
    const { home, machine } = ssh();
    const key = home.key();
    machine.authorize(key);
    const service = home.service();
    await service.prepare(ssh().request({}, [key]));
    scene.make(oddities);
    const before = factsOf(scene.there);
    const manifest = await park('true');
    const pieces = scene.pieces(service, service.aliasOf(ssh().request().account, 7));
    const seen: number[] = [];
    assert.deepEqual(await pieces.place(manifest, ({ bytes, totalBytes }) => seen.push(bytes / totalBytes)), {
      root: scene.root,
    });
    assert.deepEqual(factsOf(scene.there), before);
    assert.deepEqual(beside(), ['project']);
    assert.ok(statSync(join(scene.there, 'holes')).blocks < 100);
    assert.ok(seen.length > 0 && seen.every((part) => part >= 0 && part <= 1));
  });

  it('is placed beside a folder with something in it, and in place of an empty one', async () => {
    const manifest = await park('echo one >a; chmod 500 .');
    mkdirSync(scene.there);
    assert.deepEqual(await scene.pieces().place(manifest), { root: scene.root });
    assert.deepEqual(beside(), ['project']);
    rmSync(join(scene.dir, '.gpu-rental'), { recursive: true });
    symlinkSync('/etc', `${scene.there}-2`);
    writeFileSync(`${scene.there}-3`, 'a file');
    assert.deepEqual(await scene.pieces().place(manifest), { root: `${scene.root}-4` });
    assert.equal(readFileSync(join(`${scene.there}-4`, 'a'), 'utf8'), 'one\n');
    assert.equal(statSync(`${scene.there}-4`).mode & 0o777, 0o500);
  });

  it('continues after each end of its work, and is there once', async () => {
    const manifest = await park('echo one >a; mkdir d; ln a d/b');
    for (let login = 1; login <= 5; login += 1) {
      for (const isDone of [false, true]) {
        scene.logins = 0;
        const stopped = scene.pieces({ exec: scene.endingExec(login, isDone) });
        await assert.rejects(stopped.place(manifest), `${login}`);
        assert.ok(
          beside().every((name) =>
            name === 'project' ? isDone && login === 5 : name.startsWith('project.part-'),
          ),
        );
        assert.deepEqual(await scene.pieces().place(manifest), { root: scene.root });
        assert.deepEqual(beside(), ['project']);
        assert.deepEqual(readdirSync(scene.there), ['a', 'd']);
        // Asked again, it is there already.
        scene.logins = 0;
        assert.deepEqual(await scene.pieces().place(manifest), { root: scene.root });
        assert.equal(scene.logins, 1);
        rmSync(scene.there, { recursive: true });
      }
    }
  });

  it('continues an archive that was cut, and does not send what arrived', async () => {
    const manifest = await park('echo one >a; head -c 33000000 /dev/urandom >large');
    for (const cut of [100, 25_000_000, 33_050_000]) {
      const sent = { bytes: 0 };
      await assert.rejects(scene.pieces({ exec: scene.cutInput(cut, sent) }).place(manifest));
      assert.deepEqual(beside(), ['project.part-0123456789abcdef']);
      sent.bytes = 0;
      await scene.pieces({ exec: scene.cutInput(Infinity, sent) }).place(manifest);
      assert.ok(sent.bytes < 33_150_000 - cut + 66_000, `${sent.bytes} after ${cut}`);
      assert.equal(statSync(join(scene.there, 'large')).size, 33_000_000);
      rmSync(scene.there, { recursive: true });
    }
  });

  it('gets its name only after the instance listed the same, and is sent again where it did not', async () => {
    const manifest = await park('echo one >a; echo two >b; mkdir d');
    scene.fake(
      'tar',
      'tar "$@"; code=$?; case "$*" in *-x*) echo six >tree/a; echo more >tree/evil ;; esac; exit $code',
    );
    await assert.rejects(
      scene.pieces().place(manifest),
      /Different on the instance after it was sent: .*a.*evil/,
    );
    assert.deepEqual(beside(), ['project.part-0123456789abcdef']);
    scene.honest();
    assert.deepEqual(await scene.pieces().place(manifest), { root: scene.root });
    assert.deepEqual(readdirSync(scene.there).sort(), ['a', 'b', 'd']);
  });

  it('is refused where the set lacks a piece, where the disk there is full, and where a link is in the way', async () => {
    const manifest = await park('echo one >a; head -c 40000000 /dev/zero >large');
    const outside = join(scene.dir, 'outside');
    mkdirSync(outside);
    const part = `${scene.there}.part-0123456789abcdef`;
    symlinkSync(outside, part);
    await assert.rejects(scene.pieces().place(manifest), /project\.part-0123456789abcdef is in the way/);
    assert.deepEqual(readdirSync(outside), []);
    rmSync(part);
    rmSync(dirname(part), { recursive: true });
    writeFileSync(dirname(part), '');
    await assert.rejects(
      scene.pieces().place(manifest),
      /Could not create .*project\.part-0123456789abcdef on/,
    );
    rmSync(dirname(part));
    scene.fake('df', 'echo; echo x x x 70000');
    await assert.rejects(
      scene.pieces().place(manifest),
      /disk of the instance is full: 40 MB needed, 72 MB free/,
    );
    scene.honest();
    scene.fake('tar', 'case "$*" in *-x*) echo "tar: No space left on device" >&2; exit 2 ;; esac; tar "$@"');
    await assert.rejects(scene.pieces().place(manifest), /disk of the instance is full/);
    scene.honest();
    const [file = ''] = readdirSync(scene.folder).filter((name) => name.endsWith('.tar'));
    renameSync(join(scene.folder, file), join(scene.dir, file));
    await assert.rejects(scene.pieces().place(manifest), /The parked set lacks files: /);
    renameSync(join(scene.dir, file), join(scene.folder, file));
    assert.deepEqual(await scene.pieces().place(manifest), { root: scene.root });
  });

  it('is placed with little room, where no archive fits a second time', async () => {
    const manifest = await park('head -c 40000000 /dev/zero >large');
    scene.fake('df', 'echo; echo x x x 110000');
    assert.deepEqual(await scene.pieces().place(manifest), { root: scene.root });
    assert.equal(statSync(join(scene.there, 'large')).size, 40_000_000);
  });

  it('is never placed from damaged archives', async () => {
    const manifest = await park('echo one >a; echo two >b');
    const [file = ''] = readdirSync(scene.folder).filter((name) => name.startsWith('files-'));
    const path = join(scene.folder, file);
    writeFileSync(
      path,
      readFileSync(path).map((byte) => (byte === 0x6e ? 0x6d : byte)),
    );
    await assert.rejects(scene.pieces().place(manifest));
    truncateSync(path, 700);
    await assert.rejects(scene.pieces().place(manifest));
    assert.ok(!existsSync(scene.there));
  });
});
