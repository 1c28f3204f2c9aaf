import assert from 'node:assert/strict';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { joined, joinedBytes, readPiece } from '../../../src/ssh/pieces';

describe('the pieces of a transfer', () => {
  async function writesOf(...sizes: readonly number[]): Promise<readonly number[]> {
    async function* pieces() {
      for (const size of sizes) {
        yield await Promise.resolve(Buffer.alloc(size));
      }
    }
    const writes: number[] = [];
    for await (const piece of joined(pieces())) {
      writes.push(piece.length);
    }
    return writes;
  }

  it('are few writes where they are small, and large ones as they are', async () => {
    const small = Array.from({ length: 1_000 }, () => 512);
    assert.deepEqual(await writesOf(...small), [joinedBytes, 512_000 - joinedBytes, 0]);
    assert.deepEqual(await writesOf(10, joinedBytes, 20, 30), [10, joinedBytes, 50]);
    assert.deepEqual(await writesOf(joinedBytes, joinedBytes - 1, 1, 1), [joinedBytes, joinedBytes, 1]);
  });

  it('are read with a million bytes at most, and zeros where a file has become shorter', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'gpu-pieces-'));
    await writeFile(join(dir, 'file'), 'x'.repeat(1_000_003));
    const handle = await open(join(dir, 'file'));
    try {
      assert.equal((await readPiece(handle, 1_000_003, 0)).length, 1_000_000);
      assert.equal((await readPiece(handle, 1_000_003, 1_000_000)).toString(), 'xxx');
      assert.equal((await readPiece(handle, 1_000_003, 1_000_003)).length, 0);
      assert.deepEqual(await readPiece(handle, 1_000_005, 1_000_003), Buffer.alloc(2));
    } finally {
      await handle.close();
      await rm(dir, { recursive: true });
    }
  });
});
