import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../util/errorCode';

/** Raised whenever windows of different versions would not understand each other. */
const protocolVersion = 3;

/** Where the windows of one user and one storage folder meet. */
export interface HubAddress {
  readonly path: string;
  /** A file stays behind when its owner is killed; the other kinds vanish with it. */
  readonly isFile: boolean;
}

export function hubAddress(
  storageDir: string,
  token: string,
  platform: NodeJS.Platform = process.platform,
): HubAddress {
  const user = userInfo();
  const hash = createHash('sha256')
    .update([protocolVersion, user.uid, user.username, storageDir, token].join('\n'))
    .digest('hex')
    .slice(0, 20);
  if (platform === 'win32') {
    return { path: `\\\\.\\pipe\\gpurental-${hash}`, isFile: false };
  }
  if (platform === 'linux') {
    return { path: filled(`\0gpurental-${user.uid}-${hash}`), isFile: false };
  }
  // The storage folder is often too long for a socket, whose path holds 104 bytes.
  return { path: join(tmpdir(), `gpur-${hash}.sock`), isFile: true };
}

/**
 * Node.js before 22 fills an abstract name with zeros up to what the kernel takes, later versions do not, and the server
 * for agents may run in another version than the editor. A full name is the same in all of them.
 */
export function filled(path: string): string {
  return path.startsWith('\0') ? path.padEnd(108, '\0') : path;
}

/**
 * A random text that only this user can read; it proves to the windows that they belong together.
 * The first window makes it; all others read the same.
 */
export async function hubToken(storageDir: string): Promise<string> {
  const path = join(storageDir, 'windows.token');
  await mkdir(storageDir, { recursive: true, mode: 0o700 });
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const existing = await readIfPresent(path);
    if (existing !== undefined && /^[0-9a-f]{64}$/.test(existing)) {
      return existing;
    }
    if (existing !== undefined) {
      await rm(path, { force: true });
    }
    // Linked into place whole, so that no window reads a part of it.
    const temporary = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
    await writeFile(temporary, randomBytes(32).toString('hex'), { mode: 0o600 });
    try {
      await link(temporary, path);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') {
        throw error;
      }
    } finally {
      await rm(temporary, { force: true });
    }
  }
  throw new Error(`The file ${path} keeps changing`);
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}
