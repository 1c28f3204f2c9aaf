import assert from 'node:assert/strict';
import { diskFor } from '../../../../src/workspaces/model/parkedCost';
import { bytesElsewhere } from '../../../../src/workspaces/model/parkedSet';

const gb = 1e9;
const plain = (size: number) => ({ size, usedBytes: Math.ceil(size / 4096) * 4096 });
const packed = (size: number) => ({ size, usedBytes: Math.ceil(size / 10 / 512) * 512 });

describe('The room that a set needs on the next instance', () => {
  it('is without the holes of files', () => {
    const files = [plain(4 * gb), plain(5000), { size: 200 * gb, usedBytes: 2 * gb }];
    assert.equal(bytesElsewhere(files), 6 * gb + 5000);
    assert.equal(diskFor(bytesElsewhere(files), 10), 17);
  });

  it('has all bytes of files that the disk of the old instance compresses', () => {
    const files = [packed(30 * gb), packed(20 * gb), packed(8000), packed(100)];
    assert.equal(diskFor(bytesElsewhere(files), 10), 61);
  });

  it('has all bytes where nothing shows whether that disk compresses', () => {
    assert.equal(bytesElsewhere([packed(30 * gb), plain(100)]), 30 * gb + 100);
  });
});
