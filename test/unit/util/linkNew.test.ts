import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { linkOrCopyNew, noHardLinks } from '../../../src/util/linkNew';
import { useFolder } from '../../support/useFolder';

describe('A second path of a file', () => {
  let dir = '';
  useFolder((made) => void (dir = made));
  const without = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

  for (const code of ['', ...noHardLinks]) {
    it(`is made with or without hard links, and never over another: ${code || 'with'}`, async () => {
      const [file, path] = [join(dir, 'file'), join(dir, 'path')];
      writeFileSync(file, 'ours');
      const linked = code === '' ? undefined : without(code);
      assert.equal(await linkOrCopyNew(file, path, linked), true);
      assert.equal(readFileSync(path, 'utf8'), 'ours');
      writeFileSync(file, 'new');
      assert.equal(await linkOrCopyNew(join(dir, 'file'), path, linked), false);
    });
  }

  it('fails as the disk does', async () => {
    await assert.rejects(linkOrCopyNew(join(dir, 'file'), join(dir, 'path'), without('ENOSPC')), /ENOSPC/);
    assert.equal(existsSync(join(dir, 'path')), false);
  });
});
