import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { isRemotePath, parseFolders } from '../../../src/ssh/remoteFolders';

describe('Folders of a machine', () => {
  it('are its home first and then the others, once each', () => {
    assert.deepEqual(parseFolders('/root\n/workspace\n/root/code\n/workspace\n/workspace/data\n'), {
      home: '/root',
      folders: ['/workspace', '/root/code', '/workspace/data'],
    });
  });

  it('are found behind what a machine prints at login, and default to the home of root', () => {
    assert.equal(parseFolders('Welcome!\n/home/me\n').home, '/home/me');
    assert.deepEqual(parseFolders(''), { home: '/root', folders: [] });
  });

  it('are plain absolute paths, for any output of the machine', () => {
    for (const bad of [
      '',
      'relative',
      '~/x',
      '/a\u202eb',
      '/a\u0000',
      '/\u001b[2J',
      `/${'x'.repeat(2_000)}`,
      7,
    ]) {
      assert.equal(isRemotePath(bad), false);
    }
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (stdout) => {
        const { home, folders } = parseFolders(stdout);
        assert.ok([home, ...folders].every(isRemotePath));
      }),
    );
  });
});
