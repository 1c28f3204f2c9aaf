import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { wait, type Clock } from './clock';
import { errorCode } from './errorCode';
import { UserError } from './errors';
import { parseJson } from './json';
import { ifPresent, isMissing } from './missing';
import { text } from './text';
import { hostName } from './thisUser';

/** The process that holds a lock, and how to tell that a holder is gone. */
export interface ProcessIdentity {
  readonly pid: number;
  /** A pid is only meaningful on the machine that assigned it. */
  readonly host: string;
  isAlive(pid: number): boolean;
}

export const thisProcess: ProcessIdentity = { pid: process.pid, host: hostName(), isAlive };

/** The operations on the files of a lock. Errors carry Node's `code`. */
interface LockFiles {
  readonly facts: (path: string) => Promise<{ readonly mtimeMs: number }>;
  readonly read: (path: string) => Promise<Buffer>;
  /** Creates a file that must not exist yet (`EEXIST`) and writes it. */
  readonly create: (path: string, bytes: Buffer, mode: number) => Promise<void>;
  readonly remove: (path: string) => Promise<void>;
  readonly touch: (path: string) => Promise<void>;
}

export const nodeLockFiles: LockFiles = {
  facts: (path) => fs.lstat(path),
  read: (path) => fs.readFile(path),
  create: async (path, bytes, mode) => {
    const file = await fs.open(path, 'wx', mode);
    try {
      await file.writeFile(bytes);
    } catch (error) {
      // On a full disk, the unfinished file would look like the lock of another process.
      await fs.rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  },
  remove: (path) => fs.unlink(path),
  touch: (path) => touchLock(path),
};

/** Shows a sign of life of the holder. */
export async function touchLock(path: string, setTimes: typeof fs.utimes = fs.utimes): Promise<void> {
  const now = new Date();
  try {
    await setTimes(path, now, now);
  } catch {
    // A disk that stores no times notes those of writes. All locks begin with this
    // byte, including one that another process holds by now.
    const file = await fs.open(path, 'r+');
    try {
      await file.write('{', 0);
    } finally {
      await file.close();
    }
  }
}

export interface LockOptions {
  readonly fs: LockFiles;
  readonly clock: Clock;
  readonly identity: ProcessIdentity;
  readonly signal?: AbortSignal | undefined;
}

/** Another window or editor kept the lock for too long. */
export class LockBusyError extends UserError {
  constructor() {
    super(text('Another window is writing the same file and did not finish. Try again in a moment.'), {
      nextStep: 'retry',
    });
  }
}

const heartbeatMs = 2_000;
/** A holder on another machine without a sign of life for this long is gone. */
const staleMs = 10_000;
const giveUpMs = 30_000;
/** How long Windows may deny access to a file that is being removed; a folder without write access stays so (ms). */
const deniedMs = 3_000;

/** Runs an action while no other process does. */
export type FileLock = <T>(action: () => Promise<T>) => Promise<T>;

/** Returns a lock by a file (`withLock`), so that only one process of this user acts at a time. */
export function fileLock(file: string, clock: Clock): FileLock {
  return (action) => withLock(file, { fs: nodeLockFiles, clock, identity: thisProcess }, action);
}

/**
 * Runs `action` while no other process of this user does, on any machine that shares the folder. The lock of a dead
 * owner is taken over: at once if the pid shows it, otherwise after 10 s without a sign of life. Waits are measured by
 * elapsed time, so that neither a wrong foreign clock nor a change of our own matters.
 */
export async function withLock<T>(file: string, options: LockOptions, action: () => Promise<T>): Promise<T> {
  const { fs, clock, identity } = options;
  const own = JSON.stringify({
    pid: identity.pid,
    host: identity.host,
    token: randomBytes(8).toString('hex'),
  });
  await acquire(file, own, options);
  let beat = clock.schedule(touch, heartbeatMs);
  function touch(): void {
    beat = clock.schedule(touch, heartbeatMs);
    // A lock that another process broke is noticed where it matters: at the rename.
    fs.touch(file).catch(() => undefined);
  }
  try {
    return await action();
  } finally {
    beat.dispose();
    // The action is done: a lock that stays is broken later as that of a dead owner.
    await release(fs, file, own).catch(() => undefined);
  }
}

async function acquire(file: string, own: string, options: LockOptions): Promise<void> {
  const { fs, clock, signal } = options;
  const startedAt = clock.elapsed();
  let seen: { readonly sign: string; readonly since: number } | undefined;
  let deniedSince: number | undefined;
  for (let attempt = 0; ; attempt += 1) {
    try {
      await fs.create(file, Buffer.from(own), 0o600);
      return;
    } catch (error) {
      const code = errorCode(error);
      const now = clock.elapsed();
      deniedSince = ['EPERM', 'EACCES'].includes(code) ? (deniedSince ?? now) : undefined;
      if (code === 'EEXIST' && now - startedAt > giveUpMs) {
        // A lock that this user can't read, left by another one, is held by no window.
        await ifPresent(fs.read(file));
        throw new LockBusyError();
      }
      if (code !== 'EEXIST' && (deniedSince === undefined || now - deniedSince > deniedMs)) {
        throw error;
      }
    }
    const holder = await readLock(fs, file);
    if (holder && holder.sign !== seen?.sign) {
      seen = { sign: holder.sign, since: clock.elapsed() };
    }
    if (
      holder &&
      seen &&
      (isDead(holder.content, options.identity) || clock.elapsed() - seen.since > staleMs)
    ) {
      await breakLock(fs, file, holder.content, clock);
      continue;
    }
    await wait(clock, Math.min(5 + attempt * 5, 100) * (0.5 + Math.random()), signal);
  }
}

async function readLock(
  fs: LockFiles,
  file: string,
): Promise<{ readonly content: string; readonly sign: string } | undefined> {
  try {
    const content = (await fs.read(file)).toString('utf8');
    return { content, sign: `${content} ${(await fs.facts(file)).mtimeMs}` };
  } catch (error) {
    if (['ENOENT', 'EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error))) {
      return undefined;
    }
    throw error;
  }
}

function isDead(content: string, identity: ProcessIdentity): boolean {
  try {
    const holder: unknown = parseJson(content);
    return (
      typeof holder === 'object' &&
      holder !== null &&
      'host' in holder &&
      holder.host === identity.host &&
      'pid' in holder &&
      typeof holder.pid === 'number' &&
      !identity.isAlive(holder.pid)
    );
  } catch {
    // Incomplete: its owner is between creating and writing, or died there; only time can tell.
    return false;
  }
}

/**
 * Removes a lock that was judged stale. A second lock around it keeps two waiters from judging the same lock, after
 * which the slower would remove the new lock of the faster.
 */
async function breakLock(fs: LockFiles, file: string, judged: string, clock: Clock): Promise<void> {
  const guard = `${file}.break`;
  try {
    await fs.create(guard, Buffer.from(''), 0o600);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') {
      throw error;
    }
    await removeOldGuard(fs, guard, clock);
    return;
  }
  try {
    if ((await readLock(fs, file))?.content === judged) {
      await fs.remove(file);
    }
  } finally {
    await fs.remove(guard);
  }
}

/**
 * Removes an old guard. A guard lives for two file operations, so one that is half a minute old has lost its owner.
 */
async function removeOldGuard(fs: LockFiles, guard: string, clock: Clock): Promise<void> {
  try {
    if (Math.abs(clock.now() - (await fs.facts(guard)).mtimeMs) > giveUpMs) {
      await fs.remove(guard);
    } else {
      await wait(clock, 20);
    }
  } catch (error) {
    if (!isMissing(error)) {
      throw error;
    }
  }
}

async function release(fs: LockFiles, file: string, own: string): Promise<void> {
  if ((await readLock(fs, file))?.content === own) {
    await fs.remove(file);
  }
}

/** Returns whether a process with this number runs on this computer. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process lives and belongs to another user.
    return errorCode(error) !== 'ESRCH';
  }
}
