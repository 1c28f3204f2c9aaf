import assert from 'node:assert/strict';
import { DiskRows } from '../../../src/store/diskRows';
import { FileUnreadableError } from '../../../src/store/jsonFile';

describe('Rows of a folder on disk', () => {
  const refusal = new FileUnreadableError('/storage/2.json', new Error('busy'));

  it('are read though the disk refuses one of them, which stays as it was', async () => {
    const rows = new DiskRows<number, string>();
    let version = 'old';
    let refused = 0;
    const read = (id: number) =>
      id === refused ? Promise.reject(refusal) : Promise.resolve(id === 9 ? undefined : `${version} ${id}`);
    assert.deepEqual([await rows.read([1, 2, 9], read), rows.refused], [['old 1', 'old 2'], undefined]);
    [version, refused] = ['new', 2];
    assert.deepEqual(
      [await rows.read([1, 2, 3, 9], read), rows.refused],
      [['new 1', 'old 2', 'new 3'], refusal],
    );
    refused = 3;
    assert.deepEqual(await rows.read([3], read), ['new 3']);
    refused = 0;
    assert.deepEqual([await rows.read([2], read), rows.refused], [['new 2'], undefined]);
    refused = 3;
    // Its file was gone in between.
    assert.deepEqual(await rows.read([3], read), []);
  });

  it('treat only a refusal of the disk as one', async () => {
    const rows = new DiskRows<number, string>();
    await assert.rejects(
      rows.read([1], () => Promise.reject(new Error('a fault of ours'))),
      /a fault of ours/,
    );
  });
});
