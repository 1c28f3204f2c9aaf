import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../../src/ssh/fileSystem';
import { removeLeftovers, replaceFileOfOthers } from '../../../src/ssh/replaceFile';
import { FakeClock } from '../../support/fakeClock';

const coded = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));

describe('A file of the SSH folder that is replaced', () => {
  let dir: string;
  let target: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'gpu-replace-'));
    target = join(dir, 'config');
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const replace = (more: Partial<FileSystem> = {}, expected?: string, lateMs?: readonly number[]) =>
    replaceFileOfOthers({ ...nodeFileSystem, ...more }, new FakeClock(), target, {
      bytes: Buffer.from('new'),
      expected: expected === undefined ? undefined : Buffer.from(expected),
      mode: 0o640,
      ...(lateMs ? { lateMs } : {}),
    });
  /** What is there in the end; nothing but the file may be left. */
  const there = () => {
    assert.deepEqual(readdirSync(dir), ['config']);
    return readFileSync(target, 'utf8');
  };

  it('is made with its mode where there is none', async () => {
    assert.equal(await replace(), true);
    assert.equal(there(), 'new');
    assert.equal(statSync(target).mode & 0o777, 0o640);
  });

  it('is left as it is where another program has made or changed it', async () => {
    writeFileSync(target, 'theirs');
    assert.equal(await replace(), false);
    assert.equal(await replace({}, 'old'), false);
    assert.equal(there(), 'theirs');
  });

  it('is not made where the one that was read is gone', async () => {
    assert.equal(await replace({}, 'old'), false);
    assert.deepEqual(readdirSync(dir), []);
  });

  for (const code of ['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP', 'EMLINK']) {
    it(`is made without hard links, and never over another: ${code}`, async () => {
      const linkNew = () => coded(code);
      assert.equal(await replace({ linkNew }), true);
      assert.equal(there(), 'new');
      assert.equal(await replace({ linkNew }), false);
      writeFileSync(target, 'theirs');
      assert.equal(await replace({ linkNew }), false);
      assert.equal(there(), 'theirs');
    });
  }

  it('fails as the disk does, and leaves nothing', async () => {
    await assert.rejects(replace({ linkNew: () => coded('ENOSPC') }), /ENOSPC/);
    await assert.rejects(replace({ linkNew: () => coded('EPERM'), create: () => coded('EROFS') }), /EROFS/);
    await assert.rejects(replace({ createSynced: () => coded('ENOENT') }), /ENOENT/);
    assert.deepEqual(readdirSync(dir), []);
  });

  it('belongs to the user of the one before where that is another', async () => {
    const owners: (readonly [number, number])[] = [];
    const setOwner = (_: string, uid: number, gid: number) => Promise.resolve(void owners.push([uid, gid]));
    writeFileSync(target, 'old');
    const parts = { bytes: Buffer.from('new'), expected: Buffer.from('old'), mode: 0o600 };
    const fs = { ...nodeFileSystem, setOwner };
    await replaceFileOfOthers(fs, new FakeClock(), target, { ...parts, owner: { uid: 7, gid: 8 } });
    assert.deepEqual(owners, [[7, 8]]);
  });

  it('keeps lines that a program appends late to the one before, each once', async () => {
    writeFileSync(target, 'old');
    const clock = new FakeClock();
    let late = Buffer.alloc(0);
    let isClosed = false;
    const replaceIfSame: FileSystem['replaceIfSame'] = async (...args) => {
      const old = await nodeFileSystem.replaceIfSame(...args);
      await old?.close();
      const close = () => Promise.resolve(void (isClosed = true));
      return old && { late: () => Promise.resolve(late), close };
    };
    const parts = { bytes: Buffer.from('new'), expected: Buffer.from('old'), mode: 0o600 };
    const replaced = replaceFileOfOthers({ ...nodeFileSystem, replaceIfSame }, clock, target, {
      ...parts,
      lateMs: [100, 1000],
    });
    await clock.advance(99);
    late = Buffer.from(' one');
    await clock.advance(1);
    assert.equal(readFileSync(target, 'utf8'), 'new one');
    late = Buffer.from(' one two');
    await clock.advance(999);
    assert.equal(readFileSync(target, 'utf8'), 'new one');
    await clock.advance(1);
    assert.equal(await replaced, true);
    assert.equal(there(), 'new one two');
    assert.ok(isClosed);
  });

  it('shows what was appended to the one before, and nothing of one that was rewritten', async () => {
    for (const [change, expected] of [
      [(path: string) => appendFileSync(path, ' more'), ' more'],
      [(path: string) => writeFileSync(path, 'other'), ''],
    ] as const) {
      writeFileSync(target, 'old');
      const held = join(dir, 'held');
      writeFileSync(join(dir, 'temp'), 'new');
      const old = await nodeFileSystem.replaceIfSame(join(dir, 'temp'), target, Buffer.from('old'));
      change(target);
      assert.equal((await old?.late())?.toString(), '', held);
      await old?.close();
      writeFileSync(target, 'old');
      writeFileSync(join(dir, 'temp'), 'new');
      await nodeFileSystem.linkNew(target, held);
      const other = await nodeFileSystem.replaceIfSame(join(dir, 'temp'), target, Buffer.from('old'));
      change(held);
      assert.equal((await other?.late())?.toString(), expected);
      await other?.close();
      rmSync(held);
    }
  });

  it('leaves no traces of a crash, of one file or of all', async () => {
    for (const name of ['.config.gpu-rental-1', '.other.gpu-rental-2', 'x.gpu-rental-3', '.config']) {
      writeFileSync(join(dir, name), '');
    }
    await removeLeftovers(nodeFileSystem, dir, 'config');
    assert.deepEqual(readdirSync(dir).sort(), ['.config', '.other.gpu-rental-2', 'x.gpu-rental-3']);
    await removeLeftovers(nodeFileSystem, dir);
    assert.deepEqual(readdirSync(dir).sort(), ['.config', 'x.gpu-rental-3']);
  });
});

describe('The operations of files', () => {
  let dir: string;
  let file: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'gpu-files-'));
    file = join(dir, 'file');
    writeFileSync(file, 'content');
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('read ordinary files up to a size', async () => {
    assert.equal((await nodeFileSystem.readUpTo(file, 7))?.toString(), 'content');
    assert.equal(await nodeFileSystem.readUpTo(file, 6), undefined);
    assert.equal(await nodeFileSystem.readUpTo(dir, 1_000_000), undefined);
  });

  it('append to files that exist alone', async () => {
    await nodeFileSystem.append(file, Buffer.from('!'));
    assert.equal(readFileSync(file, 'utf8'), 'content!');
    await assert.rejects(nodeFileSystem.append(join(dir, 'none'), Buffer.from('!')), { code: 'ENOENT' });
  });

  it('remove a file only with the content that is expected', async () => {
    assert.equal(await nodeFileSystem.removeIfSame(file, Buffer.from('other')), false);
    assert.equal(await nodeFileSystem.removeIfSame(file, Buffer.from('content')), true);
    assert.deepEqual(readdirSync(dir), []);
  });

  it('link where the name is free, and fail otherwise as the disk does', async () => {
    assert.equal(await nodeFileSystem.linkNew(file, join(dir, 'second')), true);
    assert.equal(await nodeFileSystem.linkNew(file, join(dir, 'second')), false);
    await assert.rejects(nodeFileSystem.linkNew(join(dir, 'none'), join(dir, 'third')), { code: 'ENOENT' });
    assert.equal((await nodeFileSystem.facts(file)).links, 2);
  });

  it('fail where the name of a file can not be given to another', async () => {
    await assert.rejects(nodeFileSystem.replaceIfSame(join(dir, 'none'), file, Buffer.from('content')));
    assert.equal(readFileSync(file, 'utf8'), 'content');
  });
});
