import assert from 'node:assert/strict';
import { isRepository, newTag, snapshotImage } from '../../../src/model/snapshot';

describe('a snapshot', () => {
  it('has a repository without a registry, tag or digest', () => {
    for (const name of ['ana/warm', 'a/b/c', 'a.b_c/d-e', 'a__b/c--d']) {
      assert.ok(isRepository(name), name);
    }
    for (const name of [
      '',
      'warm',
      'Ana/warm',
      'a/b:1',
      'a/b@sha256:0',
      '/a/b',
      'a//b',
      'a/b ',
      '../a/b',
      'a/-b',
    ]) {
      assert.ok(!isRepository(name), name);
    }
    assert.ok(!isRepository(`a/${'b'.repeat(300)}`));
  });

  it('is an image that names every registry but Docker Hub', () => {
    assert.equal(snapshotImage({ registry: 'docker.io', repository: 'ana/warm' }), 'ana/warm');
    assert.equal(snapshotImage({ registry: 'ghcr.io', repository: 'ana/warm' }), 'ghcr.io/ana/warm');
  });

  it('is the tag of its instance that was not there before', () => {
    const before = ['instance_51_at_1', 'latest'];
    assert.equal(newTag(before, before, 51), undefined);
    assert.equal(newTag(before, [...before, 'instance_510_at_2', 'v2'], 51), undefined);
    assert.equal(newTag(before, [...before, 'instance_51_at_2', 'instance_51_at_3'], 51), 'instance_51_at_3');
  });
});
