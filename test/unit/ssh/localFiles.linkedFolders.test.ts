import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LocalFiles } from '../../../src/ssh/localFiles';
import { partName, reasons } from '../../../src/ssh/transfer';
import { openedFolder } from '../../support/openedFolder';
import { useFolder } from '../../support/useFolder';

describe('A download into a folder that has links', () => {
  let root = '';
  let target: string;
  let secret: string;
  useFolder((made) => void (root = made));
  beforeEach(() => {
    target = join(root, 'target');
    secret = join(root, 'secret');
    mkdirSync(target);
    mkdirSync(secret);
  });

  const bytes = Buffer.from('evil');
  const put = async (local: LocalFiles, name: string) => {
    const file = { name, size: bytes.length, modified: 1_700_000_000 };
    await local.attempt(name, async () => {
      await local.write(file, await local.begun(file), [bytes], () => undefined);
    });
  };

  it('writes nothing through one that leads out of it, and names what it left out', async () => {
    symlinkSync(secret, join(target, 'out'));
    const local = new LocalFiles(openedFolder(target));
    await local.makeFolder('out/deep');
    await put(local, 'plain');
    await put(local, 'out/authorized_keys');
    await put(local, 'out/deep/authorized_keys');
    await local.attempt('out/copy', () => local.copy('out/copy', 'plain', 1_700_000_000));
    assert.deepEqual(readdirSync(secret), []);
    for (const name of ['out/deep', 'out/authorized_keys', 'out/deep/authorized_keys', 'out/copy']) {
      assert.equal(local.refused.get(name), reasons.leadsOut, name);
    }
    assert.equal(readFileSync(join(target, 'plain'), 'utf8'), 'evil');
  });

  it('passes through one that stays inside, and into a folder that is itself reached by a link', async () => {
    mkdirSync(join(target, 'real'));
    symlinkSync('real', join(target, 'inner'));
    const linked = join(root, 'linked');
    symlinkSync(target, linked);
    const local = new LocalFiles(openedFolder(linked));
    await put(local, 'inner/file');
    await local.makeFolder('inner/new/deep');
    await put(local, 'inner/new/deep/file');
    assert.equal(readFileSync(join(target, 'real', 'file'), 'utf8'), 'evil');
    assert.equal(readFileSync(join(target, 'real', 'new', 'deep', 'file'), 'utf8'), 'evil');
  });

  it('follows none in the place of an unfinished file', async () => {
    const own = join(secret, 'own');
    writeFileSync(own, '');
    const version = { size: bytes.length, modified: 1_700_000_000 };
    for (const name of ['file', 'copied']) {
      symlinkSync(own, join(target, partName(name, version)));
    }
    const local = new LocalFiles(openedFolder(target));
    await put(local, 'file');
    await local.copy('copied', 'file', version.modified);
    assert.equal(readFileSync(own, 'utf8'), '');
    assert.deepEqual(
      ['file', 'copied'].map((name) => readFileSync(join(target, name), 'utf8')),
      ['evil', 'evil'],
    );
    assert.ok(!existsSync(join(target, partName('file', version))));
  });
});
