import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  type PathLike,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { TransferError } from '../../../../src/ssh/transfer';
import { silentLog } from '../../../../src/util/log';
import { formatText } from '../../../../src/util/text';
import { parseLook } from '../../../../src/workspaces/machine/mirror/farSide';
import { mirrorPrograms } from '../../../../src/workspaces/machine/mirror/programs';
import type { FolderMirror } from '../../../../src/workspaces/model/mirror';
import { MirrorFiles } from '../../../../src/workspaces/store/mirrorFiles';
import { firstContact } from '../../../../src/workspaces/ui/mirrors';
import { FakeClock } from '../../../support/fakeClock';
import { MirrorScene } from '../../../support/mirrorScene';
import { until } from '../../../support/until';

describe('A mirror in trouble', function () {
  this.timeout(60_000);
  let scene: MirrorScene;
  let mirror: FolderMirror;

  beforeEach(() => {
    scene = new MirrorScene();
    mirror = scene.open();
  });
  afterEach(() => scene.dispose());

  it('is sent by two windows without a conflict', async () => {
    scene.write('a.py', 'one');
    const other = scene.open();
    await Promise.all([mirror.settle(), other.settle()]);
    scene.write('a.py', 'two');
    await mirror.settle();
    scene.write('a.py', 'three');
    other.touched(['a.py']);
    await until('the other window sends it', () => scene.read('a.py') === 'three');
    await Promise.all([mirror.settle(), other.settle()]);
    assert.deepEqual([mirror.status.differing, other.status.differing], [[], []]);
  });

  it('knows what a lost answer left there', async () => {
    scene.write('a.py', 'one');
    scene.write('b.py', 'one');
    await mirror.settle();
    let isLost = true;
    const cut = scene.open({
      ssh: {
        exec: async (...call) => {
          const result = await scene.exec(...call);
          return isLost && call[1].includes('tar -xof') ? { ...result, code: 255 } : result;
        },
      },
    });
    scene.write('a.py', 'two');
    rmSync(join(scene.local, 'b.py'));
    await assert.rejects(cut.settle(), /did not finish/);
    assert.ok(cut.status.offlineSince);
    assert.equal(scene.read('a.py'), 'two');
    isLost = false;
    scene.write('a.py', 'three');
    scene.write('b.py', 'back');
    await scene.open().settle();
    assert.deepEqual([scene.read('a.py'), scene.read('b.py')], ['three', 'back']);
    await mirror.settle();
    assert.deepEqual(mirror.status.differing, []);
  });

  it('stops with numbers where the disk there is full, and leaves nothing half', async () => {
    scene.write('a.py', 'one');
    await mirror.settle();
    const small = scene.open({
      ssh: { exec: (alias, script, options) => scene.exec(alias, `ulimit -f 100\n${script}`, options) },
    });
    scene.write('a.py', 'x'.repeat(1_000_000));
    await assert.rejects(small.settle());
    assert.equal(scene.read('a.py'), 'one');
    assert.deepEqual(
      readdirSync(scene.beside).filter((name) => name.startsWith('stage')),
      [],
    );
    let disk = `df() { printf 'x\\nx 9 9 9\\n'; }\n`;
    const full = scene.open({
      ssh: { exec: (alias, script, options) => scene.exec(alias, `${disk}${script}`, options) },
    });
    await assert.rejects(full.settle(), /disk of the instance is full: 1.0 MB needed, 9.2 kB free/);
    assert.match(full.status.problem ? formatText(full.status.problem) : '', /disk of the instance is full/);
    assert.equal(scene.read('a.py'), 'one');
    disk = '';
    assert.equal((await full.settle()).problem, undefined);
    await mirror.settle();
    assert.equal(scene.read('a.py')?.length, 1_000_000);
  });

  it('ends what is canceled, and all that waits when it is closed', async () => {
    scene.write('a.py', 'one');
    const hanging = scene.open({
      ssh: { exec: (_, __, options) => scene.exec('', 'exec sleep 600', options) },
    });
    const stop = new AbortController();
    const work = hanging.settle(stop.signal);
    await until('it works', () => hanging.status.isWorking);
    stop.abort();
    await assert.rejects(work);
    const others = [
      hanging.settle(),
      hanging.fetch(['a.py']),
      hanging.keep(['a.py'], 'here'),
      hanging.read('a.py'),
    ];
    const all = Promise.allSettled(others);
    hanging.dispose();
    assert.ok((await all).every(({ status }) => status === 'rejected'));
  });

  it('logs in no more often than it fails, however much is saved', async () => {
    const clock = new FakeClock();
    const refusals: (() => void)[] = [];
    const away = scene.open({
      clock,
      reach: () => new Promise((_, reject) => refusals.push(() => reject(new TransferError('away')))),
    });
    for (let save = 0; save < 5; save += 1) {
      away.touched(['a.py']);
      await clock.advance(1_000);
    }
    for (const logins of [1, 2]) {
      await until('it logs in', () => refusals.length === logins);
      refusals.at(-1)?.();
    }
    const last = away.settle();
    await until('it logs in', () => refusals.length === 3);
    refusals.at(-1)?.();
    await assert.rejects(last, /away/);
    assert.equal(refusals.length, 3);
  });

  it('has a place after the first contact, however long the sending lasts', async () => {
    scene.write('a.py', 'one');
    const slow = scene.open({
      ssh: {
        exec: (alias, script, options) =>
          scene.exec(alias, script.includes('tar -xof') ? 'exec sleep 600' : script, options),
      },
    });
    await firstContact(slow);
    assert.equal(slow.remote, scene.remote);
  });

  it('keeps for a week what it replaced here, also once it is forgotten', async () => {
    scene.write('a.py', 'mine');
    scene.write('a.py', 'theirs', 'remote');
    await scene.files.put(scene.folder);
    await mirror.settle();
    await mirror.keep(['a.py'], 'instance');
    await scene.files.remove(scene.folder);
    const storage = join(scene.root, 'storage');
    const kept = readdirSync(storage, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('a.py'));
    assert.deepEqual(
      kept.map((name) => readFileSync(join(storage, name), 'utf8')),
      ['mine'],
    );
    const later = new FakeClock(Date.now() + 8 * 24 * 3_600_000);
    await new MirrorFiles(storage, silentLog, later).remove(scene.folder);
    assert.deepEqual(readdirSync(storage), []);
  });

  it('writes nothing down once it was ended', async () => {
    scene.write('a.py', 'one');
    scene.write('a.py', 'one', 'remote');
    scene.write('b.py', 'one');
    let isSending = false;
    const ending = scene.open({
      ssh: {
        exec: (alias, script, options) => {
          isSending = script.includes('tar -xof');
          return scene.exec(alias, isSending ? 'exec sleep 600' : script, options);
        },
      },
    });
    const work = assert.rejects(ending.settle());
    await until('it sends', () => isSending);
    ending.dispose();
    await work;
    const notes = scene.files.notesOf(scene.folder);
    assert.equal((await notes.alone(() => notes.read()))?.files.size, 0);
  });

  it('leaves here what it is not let read, without a login for it', async () => {
    // Nothing is kept from root.
    const mayRead = (path: PathLike) =>
      /(?:large|small)$/.test(String(path))
        ? Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES' }))
        : Promise.resolve();
    mirror = scene.open({ singleBytes: 5, mayRead });
    scene.write('a.py', 'one');
    scene.write('large', 'secret');
    scene.write('small', 'x');
    await mirror.settle();
    assert.equal(scene.read('a.py'), 'one');
    assert.deepEqual(mirror.status.leftOut.map(({ name }) => name).sort(), ['large', 'small']);
    const before = scene.logins;
    await mirror.settle();
    assert.deepEqual([scene.logins - before, mirror.status.waiting], [1, 0]);
  });

  it('waits while Git changes many files', async () => {
    execFileSync('git', ['init', '-q', scene.local]);
    scene.write('a.py', 'one');
    writeFileSync(join(scene.local, '.git', 'index.lock'), '');
    const work = mirror.settle();
    await until('it works', () => mirror.status.isWorking);
    assert.equal(scene.read('a.py'), undefined);
    scene.write('a.py', 'two');
    rmSync(join(scene.local, '.git', 'index.lock'));
    await work;
    assert.equal(scene.read('a.py'), 'two');
  });

  it('works with the programs of BusyBox alone', async () => {
    const programs = join(scene.root, 'bin');
    mkdirSync(programs);
    execFileSync('busybox', ['--install', '-s', programs]);
    const busy = scene.open({
      ssh: { exec: (alias, script, options) => scene.exec(alias, `PATH=${programs}\n${script}`, options) },
    });
    scene.write('a b/ä.py', 'one');
    scene.write('c', 'one');
    symlinkSync('c', join(scene.local, 'link'));
    await busy.settle();
    scene.write('a b/ä.py', 'two');
    rmSync(join(scene.local, 'c'));
    rmSync(join(scene.local, 'link'));
    scene.write('theirs', 'x', 'remote');
    await busy.settle();
    assert.deepEqual([scene.read('a b/ä.py'), scene.read('c')], ['two', undefined]);
    assert.deepEqual(busy.status.differing, [{ name: 'theirs', change: 'new', size: 1 }]);
    appendFileSync(join(scene.remote, 'a b/ä.py'), '!');
    await busy.settle();
    await busy.fetch(['a b/ä.py', 'theirs']);
    assert.deepEqual([scene.read('a b/ä.py', 'local'), scene.read('theirs', 'local')], ['two!', 'x']);
  });

  it('is kept by programs that shellcheck has no objection to', () => {
    for (const program of [mirrorPrograms.look, mirrorPrograms.send]) {
      const { status, stdout } = spawnSync(
        'shellcheck',
        ['--shell=sh', '-e', 'SC2154,SC2046,SC2016,SC2086,SC2094,SC2317', '-'],
        {
          input: program,
        },
      );
      assert.equal(status, 0, stdout.toString());
    }
  });

  it('believes no answer that leads elsewhere', () => {
    const head = '/root/x\n0123456789abcdef\n1000\n17.5\n';
    const list = (...names: string[]) =>
      parseLook(Buffer.from(`${head}${names.map((name) => `//81a4 1 1.5 2.5 ./${name}\n`).join('')}//=\n`));
    assert.deepEqual([...list('a', 'b/c').files.keys()], ['a', 'b/c']);
    assert.equal(list('a').files.get('a')?.stamp, '81a4 1 1.5 2.5');
    assert.deepEqual([...list('../x', 'a/../../b', '/etc/passwd', 'a\nb', '.', 'a\\b').files.keys()], []);
    for (const words of ['', 'Welcome\n', `relative\n${head}`, head.replace('1000', 'many')]) {
      assert.throws(() => parseLook(Buffer.from(words)));
    }
  });
});
