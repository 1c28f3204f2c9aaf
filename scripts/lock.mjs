/**
 * One process at a time: a lock is a file that names its owner, who touches it while it works. A lock is taken over
 * when its owner is dead, and when nobody has touched it for a while: after a restart, and in each new container, the
 * number of the owner may be somebody else's, or the very number of who waits.
 */
import { mkdir, open, readFile, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const touchMs = 5_000;
const staleMs = 60_000;

/** Runs `work` while holding `file`; `onWait` is called once if another process holds it. */
export async function withLock(file, work, onWait = () => undefined) {
  await mkdir(path.dirname(file), { recursive: true });
  let told = false;
  while (!(await take(file))) {
    if (!told) onWait();
    told = true;
    await delay(500);
  }
  const touching = setInterval(() => {
    utimes(file, new Date(), new Date()).catch(() => undefined);
  }, touchMs);
  try {
    return await work();
  } finally {
    clearInterval(touching);
    await rm(file, { force: true });
  }
}

async function take(file) {
  try {
    const handle = await open(file, 'wx');
    await handle.writeFile(String(process.pid));
    await handle.close();
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (await isLeft(file)) await rm(file, { force: true });
  return false;
}

async function isLeft(file) {
  const owner = Number(await readFile(file, 'utf8').catch(() => ''));
  if (owner > 0 && owner !== process.pid && !isAlive(owner)) return true;
  const touched = await stat(file).catch(() => undefined);
  return touched !== undefined && Date.now() - touched.mtimeMs > staleMs;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
