import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isFolder, writeHostFiles } from '../../../../src/several/store/hostFolder';
import { useFolder } from '../../../support/useFolder';

describe('Host files in a folder', () => {
  let folder = '';
  useFolder((made) => void (folder = made));
  const files = (hosts: string) => ({ 'hosts.txt': hosts, 'groups.d/gpurental.yaml': `gpus: ${hosts}` });
  const asked: (readonly string[])[] = [];
  const write = (hosts: string, hashes = {}, mayReplace = false) =>
    writeHostFiles(folder, files(hosts), hashes, (names) => {
      asked.push(names);
      return Promise.resolve(mayReplace);
    });
  const hosts = () => readFile(join(folder, 'hosts.txt'), 'utf8');
  beforeEach(() => {
    asked.length = 0;
  });

  it('are for this user alone, and replaced without a question as long as they are as saved', async () => {
    const hashes = await write('gpu-1');
    assert.equal((await stat(join(folder, 'groups.d', 'gpurental.yaml'))).mode & 0o077, 0);
    assert.ok(await write('gpu-2', hashes));
    assert.equal(await hosts(), 'gpu-2');
    assert.deepEqual(asked, []);
    assert.deepEqual((await readdir(folder)).sort(), ['groups.d', 'hosts.txt']);
  });

  it('are not written where nothing differs', async () => {
    const hashes = await write('gpu-1');
    const before = (await stat(join(folder, 'hosts.txt'))).ino;
    assert.deepEqual(await write('gpu-1', {}), hashes);
    assert.equal((await stat(join(folder, 'hosts.txt'))).ino, before);
    assert.deepEqual(asked, []);
  });

  it('stay, all of them, if you keep one that you have changed', async () => {
    const hashes = await write('gpu-1');
    await writeFile(join(folder, 'groups.d', 'gpurental.yaml'), 'mine');
    assert.equal(await write('gpu-2', hashes), undefined);
    assert.deepEqual(asked, [['groups.d/gpurental.yaml']]);
    assert.equal(await hosts(), 'gpu-1');
    assert.ok(await write('gpu-2', hashes, true));
    assert.equal(await readFile(join(folder, 'groups.d', 'gpurental.yaml'), 'utf8'), 'gpus: gpu-2');
  });

  it('replace files of other tools only after a yes', async () => {
    await writeFile(join(folder, 'hosts.txt'), 'my-own-server\n');
    assert.equal(await write('gpu-1'), undefined);
    assert.deepEqual(asked, [['hosts.txt']]);
    assert.deepEqual([await hosts(), await readdir(folder)], ['my-own-server\n', ['hosts.txt']]);
  });

  it('have no folder any more where it was removed, or a link or a file is in its place', async () => {
    assert.equal(await isFolder(folder), true);
    assert.equal(await isFolder(join(folder, 'gone')), false);
    await writeFile(join(folder, 'file'), '');
    assert.equal(await isFolder(join(folder, 'file')), false);
    await mkdir(join(folder, 'hosts'));
    await rename(join(folder, 'hosts'), join(folder, 'moved'));
    await symlink(join(folder, 'moved'), join(folder, 'hosts'));
    assert.equal(await isFolder(join(folder, 'hosts')), false);
  });
});
