import type { FileHandle } from 'node:fs/promises';

const pieceBytes = 1_000_000;

/** Reads the next piece of a file; missing bytes are zeros. */
export async function readPiece(handle: FileHandle, size: number, at: number): Promise<Buffer> {
  const length = Math.min(pieceBytes, size - at);
  if (length <= 0) {
    return Buffer.alloc(0);
  }
  const piece = Buffer.allocUnsafe(length);
  const { bytesRead } = await handle.read(piece, 0, length, at);
  return bytesRead === 0 ? piece.fill(0) : piece.subarray(0, bytesRead);
}

/** Up to this size, pieces are joined and files are read side by side. */
export const joinedBytes = 256_000;

/** Joins small pieces: a write for each of them costs more than its bytes. */
export async function* joined(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    const isLarge = piece.length >= joinedBytes;
    if (!isLarge) {
      held.push(piece);
      size += piece.length;
    }
    if (size > 0 && (isLarge || size >= joinedBytes)) {
      yield Buffer.concat(held);
      held = [];
      size = 0;
    }
    if (isLarge) {
      yield piece;
    }
  }
  yield Buffer.concat(held);
}
