/**
 * For tests: a folder in memory. They write many small files that are to survive a loss of power, and a disk that
 * several of them wait for takes most of their time.
 */
'use strict';
const { spawnSync } = require('node:child_process');
const { mkdtempSync, rmSync, statfsSync, writeFileSync } = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const shared = '/dev/shm';
const gigabyte = 2 ** 30;

/** `undefined` where there is none, where it is small, or where it does not do what a disk does. */
exports.memoryFolder = () => {
  if (process.platform !== 'linux' || os.freemem() < 4 * gigabyte) return undefined;
  let probe;
  try {
    const { bavail, bsize } = statfsSync(shared);
    if (bavail * bsize < 2 * gigabyte) return undefined;
    probe = mkdtempSync(path.join(shared, 'gr-'));
    const program = path.join(probe, 'program');
    writeFileSync(program, '#!/bin/sh\nexit 7\n', { mode: 0o700 });
    // Containers often run no program there, and old kernels keep no attributes.
    const runs = spawnSync(program).status === 7;
    const marks = `import os; os.setxattr(${JSON.stringify(program)}, "user.gr", b"1")`;
    return runs && spawnSync('python3', ['-c', marks]).status === 0 ? shared : undefined;
  } catch {
    return undefined;
  } finally {
    if (probe !== undefined) rmSync(probe, { recursive: true, force: true });
  }
};
