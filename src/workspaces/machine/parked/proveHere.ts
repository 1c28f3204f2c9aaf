import { createReadStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ByteReader } from '../../../ssh/byteReader';
import { CancelledError } from '../../../util/errors';
import { ifPresent, isMissing } from '../../../util/missing';
import type { Manifest } from '../../model/parkedSet';
import { isManifestOf } from './manifestFile';
import { checkPiece, PieceBrokenError, UnaskedError } from './pieceCheck';
import { piecesOf, type ParkedPiece } from './pieces';

/**
 * Reads all of a set on this computer, and returns the names that lack or are wrong: none where all is there. '' stands for
 * the list itself. With `isFetchedAgain`, a wrong archive counts as one that was begun from here on.
 */
export async function proveHere(
  folder: string,
  manifest: Manifest,
  signal?: AbortSignal,
  isFetchedAgain = false,
): Promise<readonly string[]> {
  const wrong = new Set<string>();
  if (!(await isManifestOf(folder, manifest))) {
    wrong.add('');
  }
  for (const piece of piecesOf(manifest)) {
    const path = join(folder, piece.file);
    const found = await provePiece(path, piece, signal);
    found.forEach((name) => wrong.add(name));
    if (isFetchedAgain && found.size > 0) {
      await ifPresent(rename(path, `${path}.part`));
    }
  }
  return [...wrong];
}

async function provePiece(
  path: string,
  piece: ParkedPiece,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const wrong = new Set<string>();
  const stream = createReadStream(path, { highWaterMark: 1_000_000 });
  const reader = new ByteReader(stream);
  try {
    if (signal?.aborted === true) {
      throw new CancelledError();
    }
    await checkPiece(reader, piece, wrong, () => {
      if (signal?.aborted === true) {
        throw new CancelledError();
      }
    });
    if ((await reader.read(1)).length > 0) {
      throw new PieceBrokenError();
    }
  } catch (error) {
    if (!isMissing(error) && !(error instanceof PieceBrokenError) && !(error instanceof UnaskedError)) {
      throw error;
    }
    // What an archive has after a fault does not count.
    piece.entries.forEach(({ name }) => wrong.add(name));
  } finally {
    stream.destroy();
  }
  return wrong;
}
