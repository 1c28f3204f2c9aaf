import assert from 'node:assert/strict';
import { joined, joinedBytes } from '../../../src/ssh/pieces';

describe('the pieces of a transfer', () => {
  async function writesOf(...sizes: readonly number[]): Promise<readonly number[]> {
    async function* pieces() {
      for (const size of sizes) yield await Promise.resolve(Buffer.alloc(size));
    }
    const writes: number[] = [];
    for await (const piece of joined(pieces())) writes.push(piece.length);
    return writes;
  }

  it('are few writes where they are small, and large ones as they are', async () => {
    const small = Array.from({ length: 1_000 }, () => 512);
    assert.deepEqual(await writesOf(...small), [joinedBytes, 512_000 - joinedBytes, 0]);
    assert.deepEqual(await writesOf(10, joinedBytes, 20, 30), [10, joinedBytes, 50]);
  });
});
