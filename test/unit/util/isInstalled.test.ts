import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInstalled } from '../../../src/util/isInstalled';

describe('A program of this computer', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gr-programs-'));
    await writeFile(join(folder, 'parallel'), '', { mode: 0o755 });
    await writeFile(join(folder, 'notes'), '', { mode: 0o644 });
    await writeFile(join(folder, 'ansible.exe'), '', { mode: 0o755 });
    await writeFile(join(folder, 'clush.cmd'), '', { mode: 0o755 });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('is found by its name, if it can be run', async () => {
    const env = { PATH: `/nowhere:${folder}` };
    assert.equal(await isInstalled('parallel', env, 'linux'), true);
    assert.equal(await isInstalled('notes', env, 'darwin'), false);
    assert.equal(await isInstalled('clush', env, 'linux'), false);
    assert.equal(await isInstalled('parallel', {}, 'linux'), false);
  });

  it('is found on Windows by the endings that programs have there', async () => {
    const env = { PATH: `;C:/nowhere;${folder}`, PATHEXT: '.COM;.EXE;.CMD' };
    assert.equal(await isInstalled('ansible', env, 'win32'), true);
    assert.equal(await isInstalled('clush', env, 'win32'), true);
    assert.equal(await isInstalled('parallel', env, 'win32'), false, 'a script that Windows does not run');
    assert.equal(await isInstalled('ansible', { PATH: folder }, 'win32'), true);
  });
});
