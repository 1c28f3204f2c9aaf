/** One process at a time: a lock is a file that names its owner, and a dead owner's lock is taken over. */
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Runs `work` while holding `file`; `onWait` is called once if another process holds it. */
export async function withLock(file, work, onWait = () => undefined) {
  await mkdir(path.dirname(file), { recursive: true });
  let told = false;
  while (!(await take(file))) {
    if (!told) onWait();
    told = true;
    await delay(500);
  }
  try {
    return await work();
  } finally {
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
  const owner = Number(await readFile(file, 'utf8').catch(() => ''));
  if (owner > 0 && !isAlive(owner)) await rm(file, { force: true });
  return false;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
