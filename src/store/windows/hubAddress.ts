import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../util/clock';
import { fileLock } from '../../util/fileLock';
import { ifPresent } from '../../util/missing';
import { replaceFile } from '../../util/replaceFile';
import { userId } from '../../util/thisUser';

/** Incremented whenever windows of different versions would not understand each other. */
const protocolVersion = 3;

/** Limit of a line from an agent in bytes: the input of a tool is a few lines. A longer one closes the connection. */
export const maxAgentBytes = 256 * 1024;

/** The address where the windows of one user and one storage folder meet. */
export interface HubAddress {
  readonly path: string;
  /** A file remains when its owner is killed; the other kinds disappear with their owner. */
  readonly isFile: boolean;
}

export function hubAddress(
  storageDir: string,
  token: string,
  platform: NodeJS.Platform = process.platform,
): HubAddress {
  const hash = createHash('sha256')
    .update([protocolVersion, userId(), storageDir, token].join('\n'))
    .digest('hex')
    .slice(0, 20);
  if (platform === 'win32') {
    return { path: `\\\\.\\pipe\\gpurental-${hash}`, isFile: false };
  }
  if (platform === 'linux') {
    return { path: filled(`\0gpurental-${userId()}-${hash}`), isFile: false };
  }
  // The storage folder is often too long for a socket path, which holds at most 104 bytes.
  return { path: join(tmpdir(), `gpur-${hash}.sock`), isFile: true };
}

/**
 * Pads an abstract socket name. Node.js before 22 pads it with zeros to the kernel's maximum, later versions do not,
 * and the server for agents may run in another version than the editor. A name of full length is the same in all
 * versions.
 */
export function filled(path: string): string {
  return path.startsWith('\0') ? path.padEnd(108, '\0') : path;
}

/**
 * Returns a random token that only this user can read, which proves to the windows that they belong together. The
 * first window creates it; all others read it.
 */
export async function hubToken(storageDir: string): Promise<string> {
  const path = join(storageDir, 'windows.token');
  await mkdir(storageDir, { recursive: true, mode: 0o700 });
  const lock = fileLock(`${path}.lock`, systemClock);
  return (
    (await readToken(path)) ??
    (await lock(async () => {
      const made = (await readToken(path)) ?? randomBytes(32).toString('hex');
      await replaceFile(path, made);
      return made;
    }))
  );
}

/** Returns `undefined` without a token, and for a damaged one. */
async function readToken(path: string): Promise<string | undefined> {
  const existing = (await ifPresent(readFile(path, 'utf8')))?.trim();
  return existing !== undefined && /^[0-9a-f]{64}$/.test(existing) ? existing : undefined;
}
