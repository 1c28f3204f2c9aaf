import assert from 'node:assert/strict';
import { ByteReader } from '../../../../src/ssh/byteReader';
import { readFileList } from '../../../../src/ssh/rsync/fileList';
import { EndedError, ints, RsyncReader } from '../../../../src/ssh/rsync/wire';
import { TransferError } from '../../../../src/ssh/transfer';

const [sameMode, extended, sameName, longName, sameTime] = [2, 4, 32, 64, 128];
const byte = (...values: readonly number[]) => Buffer.from(values);
const end = Buffer.concat([byte(0), ints(0)]);
const time = 1_700_000_000;
const [aFile, aFolder, aLink, aSocket] = [0o100_644, 0o040_755, 0o120_777, 0o140_777];

/** A file of the list, named in full. */
const whole = (name: string, mode = aFile) =>
  Buffer.concat([byte(longName), ints(Buffer.byteLength(name)), Buffer.from(name), ints(3, time, mode)]);

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}
const read = (...parts: readonly Buffer[]) =>
  readFileList(new RsyncReader(new ByteReader(only(Buffer.concat(parts)))));
const names = async (...parts: readonly Buffer[]) =>
  (await read(...parts, end)).map(({ path, kind }) => [path.toString('utf8'), kind]);

describe('The list of files of a host', () => {
  it('copies from the file before what is the same', async () => {
    const second = Buffer.concat([
      byte(sameMode | sameName | sameTime, 2),
      // Two bytes of the name before and one more.
      byte(1),
      Buffer.from('x'),
      ints(7),
    ]);
    assert.deepEqual(
      (await read(whole('abc'), second, end)).map(({ path, size, modified, kind }) => [
        path.toString('utf8'),
        size,
        modified,
        kind,
      ]),
      [
        ['abc', 3, time, 'file'],
        ['abx', 7, time, 'file'],
      ],
    );
  });

  it('has no file before the first: its name shares nothing, and its time and mode are none', async () => {
    const sharing = (count: number) =>
      Buffer.concat([byte(sameName, count, 1), Buffer.from('x'), ints(3, time, aFile)]);
    assert.deepEqual(await names(sharing(0)), [['x', 'file']]);
    await assert.rejects(read(sharing(1), end), TransferError);
    const alike = Buffer.concat([byte(sameMode | sameTime, 1), Buffer.from('x'), ints(3)]);
    const [first] = await read(alike, end);
    assert.deepEqual([first?.modified, first?.kind], [0, 'other']);
  });

  it('never shares more than the name before has', async () => {
    const sharing = (count: number) =>
      Buffer.concat([byte(sameName, count, 1), Buffer.from('x'), ints(3, time, aFile)]);
    assert.deepEqual(await names(whole('abc'), sharing(3)), [
      ['abc', 'file'],
      ['abcx', 'file'],
    ]);
    await assert.rejects(read(whole('abc'), sharing(4), end), TransferError);
  });

  it('has names of up to 4096 bytes and no negative ones', async () => {
    assert.equal((await names(whole('x'.repeat(4096)))).length, 1);
    await assert.rejects(read(whole('x'.repeat(4097)), end), /an impossible list/);
    await assert.rejects(read(byte(longName), ints(-1), end), TransferError);
    const one = Buffer.concat([byte(sameName, 255, 1), Buffer.from('x'), ints(3, time, aFile)]);
    await assert.rejects(read(whole('x'.repeat(200)), one, end), TransferError);
  });

  it('distinguishes files, folders, links with their targets and all others', async () => {
    const link = (length: number, target = '') =>
      Buffer.concat([whole('link', aLink), ints(length), Buffer.from(target)]);
    assert.deepEqual(await names(whole('a'), whole('d', aFolder), whole('s', aSocket)), [
      ['a', 'file'],
      ['s', 'other'],
      ['d', 'folder'],
    ]);
    const [one] = await read(link(2, '../'.slice(0, 2)), end);
    assert.deepEqual([one?.kind, one?.target], ['link', '..']);
    const [empty] = await read(link(0), end);
    assert.equal(empty?.target, '');
    assert.equal((await read(link(4096, 'x'.repeat(4096)), end))[0]?.target?.length, 4096);
    await assert.rejects(read(link(4097, 'x'.repeat(4097)), end), TransferError);
    await assert.rejects(read(link(-1), end), TransferError);
  });

  it('is sorted as both sides count: the folder itself, then files, then folders with their content', async () => {
    const listed = [
      whole('b/a'),
      whole('b', aFolder),
      whole('a.txt'),
      whole('b.txt'),
      whole('.', aFolder),
      whole('a', aFolder),
      whole('b/c/d'),
    ];
    assert.deepEqual(
      (await names(...listed)).map(([name]) => name),
      ['.', 'a.txt', 'b.txt', 'a', 'b', 'b/a', 'b/c/d'],
    );
  });

  it('reads further flags, and is none where the host could not read everything', async () => {
    const more = Buffer.concat([byte(extended, 0, 1), Buffer.from('x'), ints(3, time, aFile)]);
    assert.deepEqual(await names(more), [['x', 'file']]);
    await assert.rejects(read(whole('a'), byte(0), ints(1)), EndedError);
    await assert.rejects(read(whole('a')), EndedError);
  });
});
