import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nodeFileSystem } from '../../../ssh/fileSystem';
import { replaceFileOfOthers } from '../../../ssh/replaceFile';
import type { Clock } from '../../../util/clock';
import { UserError } from '../../../util/errors';
import { ifPresent } from '../../../util/missing';
import { realPlace } from '../../../util/realPlace';
import { text } from '../../../util/text';

/** Longer than any file that lists servers. */
const mostBytes = 1024 * 1024;

/** A file of another program in the home folder. */
export class ClientFile {
  constructor(
    private readonly deps: { readonly home: string; readonly clock: Clock },
    readonly path: string,
  ) {}

  /** Returns its bytes, or `undefined` if there is no file. @throws where it can't be read whole, or a link leads out of the home folder. */
  async read(): Promise<Buffer | undefined> {
    const path = await this.real();
    const facts = await ifPresent(nodeFileSystem.facts(path));
    if (!facts) {
      return undefined;
    }
    const bytes = await nodeFileSystem.readUpTo(path, mostBytes);
    if (!bytes) {
      throw unreadable(this.path);
    }
    return bytes;
  }

  /**
   * Replaces it in one step, with its mode and owner, or removes it for `undefined`. Throws, with nothing changed, if it
   * no longer holds what was read.
   */
  async write(bytes: Buffer | undefined, expected: Buffer | undefined): Promise<void> {
    const path = await this.real();
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const facts = expected && (await nodeFileSystem.facts(path));
    const isWritten =
      bytes === undefined
        ? (await ifPresent(nodeFileSystem.removeIfSame(path, expected ?? Buffer.alloc(0)))) === true
        : await replaceFileOfOthers(nodeFileSystem, this.deps.clock, path, {
            bytes,
            expected,
            mode: facts?.mode ?? 0o600,
            keepsAttributes: true,
            owner: facts && ![facts.uid, undefined].includes(process.getuid?.()) ? facts : undefined,
          });
    if (!isWritten) {
      throw new UserError(text('{0} has changed since it was read, so it was left as it is.', this.path), {
        nextStep: 'retry',
      });
    }
  }

  private real(): Promise<string> {
    return realPlace({ path: this.path, root: { opened: this.deps.home } });
  }
}

/** Returns the text of a file, which is all of its bytes. @throws UserError for any other encoding than UTF-8. */
export function textOf(bytes: Buffer | undefined, path: string): string {
  const found = bytes?.toString('utf8') ?? '';
  if (bytes && !Buffer.from(found, 'utf8').equals(bytes)) {
    throw unreadable(path);
  }
  return found;
}

export function unreadable(path: string): UserError {
  return new UserError(
    text(
      '{0} was left as it is, because it could not be read as a whole. Copy the configuration instead.',
      path,
    ),
  );
}
