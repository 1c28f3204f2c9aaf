import assert from 'node:assert/strict';
import {
  copySizeIn,
  sizeCommand,
  sizeFrom,
  type CopySize,
  sourceProblem,
  targetProblem,
} from '../../../../src/model/instances/dataCopy';

describe('A path to copy', () => {
  it('is whole, without a way up and without a second line', () => {
    for (const path of ['/workspace', '/data/my run', '/a/b.c', ' /workspace ']) {
      assert.equal(sourceProblem(path), undefined, path);
      assert.equal(targetProblem(path), undefined, path);
    }
    for (const path of ['', 'workspace', '/a/../etc', '/a\nb', '/a\u0000b', `/${'x'.repeat(1024)}`, '~']) {
      assert.ok(sourceProblem(path), path);
      assert.ok(targetProblem(path), path);
    }
  });

  it('is not the whole disk, and its aim neither that nor the home folder', () => {
    assert.ok(sourceProblem('/'));
    assert.equal(sourceProblem('/root'), undefined);
    for (const path of ['/', '//', '/root', '/root/']) {
      assert.ok(targetProblem(path), path);
    }
    assert.equal(targetProblem('/root/data'), undefined);
  });

  it('is measured only where it means nothing to a shell', () => {
    assert.equal(sizeCommand('/workspace/run-1'), 'du -s /workspace/run-1');
    for (const path of ['/a b', '/a;rm -rf /', '/$(x)', '/a*', "/a'b"]) {
      assert.equal(sizeCommand(path), undefined, path);
    }
  });

  it('has the size that is printed first, in units of 1024 bytes', () => {
    assert.equal(sizeFrom('2048\t/workspace\n'), 2048 * 1024);
    for (const output of ['', 'du: cannot access', '12', '99999999999999999\t/x']) {
      assert.equal(sizeFrom(output), undefined, output);
    }
  });

  it('has the bytes of a stated size only where it has a unit', () => {
    const sizes: readonly (readonly [string, CopySize])[] = [
      ['1.5G\t/ckpt\n', { bytes: 1.5 * 1024 ** 3 }],
      ['12 KiB /a', { bytes: 12 * 1024 }],
      ['12345\t/ckpt', { words: '12345 /ckpt' }],
      ['12345', { words: '12345' }],
      ['', {}],
      ['3Giraffes', { words: '3Giraffes' }],
      ['\u202edoesn\u2019t matter\u0007', { words: 'doesn\u2019t matter' }],
    ];
    for (const [output, size] of sizes) {
      assert.deepEqual(copySizeIn(output), size, output);
    }
    assert.ok((copySizeIn('x'.repeat(5000)).words ?? '').length <= 60);
  });
});
