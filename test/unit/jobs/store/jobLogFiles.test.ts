import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JobLogFiles, logPieceBytes } from '../../../../src/jobs/store/jobLogFiles';

const id = '00000000000000aa';
const other = '00000000000000bb';

describe('The log of a job on this computer', () => {
  let dir: string;
  let logs: JobLogFiles;
  beforeEach(() => {
    dir = join(mkdtempSync(join(tmpdir(), 'gpu-job-logs-')), 'logs');
    logs = new JobLogFiles(dir, 10);
  });
  afterEach(() => rmSync(join(dir, '..'), { recursive: true, force: true }));

  const write = (at: number, piece: string) => logs.write(id, at, Buffer.from(piece));
  const read = async (from?: number) => {
    const { at, bytes } = await logs.read(id, from);
    return [at, bytes.toString()];
  };

  it('is one file, of this user alone, until it has the size of a file', async () => {
    assert.deepEqual(await read(), [0, '']);
    await write(0, 'first');
    await write(5, 'next');
    await write(9, '!');
    assert.deepEqual(readdirSync(dir), [`${id}.log`]);
    assert.equal(statSync(dir).mode & 0o777, 0o700);
    assert.equal(statSync(join(dir, `${id}.log`)).mode & 0o777, 0o600);
    assert.equal(await logs.path(id), join(dir, `${id}.log`));
    await write(10, 'second');
    assert.deepEqual(readdirSync(dir).sort(), [`${id}.log`, `${id}.log.10`]);
    assert.equal(await logs.path(id), undefined, 'no file has all of it');
    assert.deepEqual(await read(0), [0, 'firstnext!second']);
  });

  it('keeps its last two files', async () => {
    await write(0, 'x'.repeat(12));
    await write(12, 'y'.repeat(10));
    assert.deepEqual(readdirSync(dir).length, 2);
    await write(22, 'zz');
    assert.deepEqual(readdirSync(dir).sort(), [`${id}.log.12`, `${id}.log.22`]);
    assert.equal(await logs.path(id), undefined);
    assert.deepEqual(await read(0), [12, `${'y'.repeat(10)}zz`], 'the first bytes that are left');
    assert.deepEqual(await read(21), [21, 'yzz']);
    assert.deepEqual(await read(22), [22, 'zz']);
    assert.deepEqual(await read(99), [24, '']);
  });

  it('is no whole log where one late file is all that is left', async () => {
    await write(5, 'late');
    assert.equal(await logs.path(id), undefined);
    assert.deepEqual(await read(), [5, 'late']);
  });

  it('loses what was stored by a window that had not noted it', async () => {
    await write(0, 'abcdefghij');
    await write(10, 'klm');
    await write(4, 'EF');
    assert.deepEqual(readdirSync(dir), [`${id}.log`]);
    assert.deepEqual(await read(0), [0, 'abcdEF']);
  });

  it('is read in pieces, without an offset from its end', async () => {
    logs = new JobLogFiles(dir, 10 * logPieceBytes);
    await write(0, 'a');
    await write(1, 'b'.repeat(logPieceBytes));
    const [at, end] = await read();
    assert.deepEqual([at, end], [1, 'b'.repeat(logPieceBytes)]);
    const { bytes } = await logs.read(id, 0);
    assert.deepEqual([bytes.length, bytes[0]], [logPieceBytes, 'a'.charCodeAt(0)]);
  });

  it('is removed alone', async () => {
    await write(0, 'x'.repeat(12));
    await write(12, 'y');
    await logs.write(other, 0, Buffer.from('kept'));
    writeFileSync(join(dir, `${id}.log.tmp`), '');
    await logs.remove(id);
    assert.deepEqual(readdirSync(dir).sort(), [`${id}.log.tmp`, `${other}.log`]);
  });
});
