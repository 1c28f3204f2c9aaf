import assert from 'node:assert/strict';
import { recordRuntype, hasTag, mergeTemplate, rentEnv } from '../../../../src/model/templates/templateMerge';

const template = {
  id: 1,
  hash_id: 'h',
  name: 'n',
  image: 'pytorch/pytorch',
  tag: '2.5',
  runtype: 'ssh',
  ssh_direct: true,
  onstart: 'echo template',
  env: '-e A=template -e B=template -p 8080:8080',
  extra_filters: '{"num_gpus":{"eq":1},"reliability":{"gte":0.9}}',
  recommended_disk_space: 32,
  docker_login_repo: 'ghcr.io',
  docker_login_user: 'me',
  docker_login_pass: 'secret',
  volume_info: { mount_path: '/data' },
};

describe('the preview of a rental from a template', () => {
  it('lets the scalars of the request win and keeps the others (rule 1)', () => {
    const merged = mergeTemplate(template, { onstart: 'echo request', label: 'mine' });
    assert.equal(merged['onstart'], 'echo request');
    assert.equal(merged['label'], 'mine');
    assert.equal(merged['image'], 'pytorch/pytorch:2.5');
    assert.equal(merged['runtype'], 'ssh_direct');
  });

  it('merges the environment by name, the request winning (rule 2)', () => {
    assert.deepEqual(mergeTemplate(template, { env: { A: 'request', C: 'request' } })['env'], {
      A: 'request',
      B: 'template',
      '-p 8080:8080': '1',
      C: 'request',
    });
  });

  it('loses nothing of an environment that sets a name twice or has a part that can’t be read', () => {
    const envOf = (env: string, own: Record<string, string>) =>
      mergeTemplate({ ...template, env }, { env: own })['env'];
    assert.deepEqual(envOf('-e A=1 -e B=2 -e A=3', { C: '4' }), { A: '3', B: '2', C: '4' });
    assert.equal(envOf('-e A=1 -p 8080', { C: '4' }), '-e A=1 -p 8080 -e C=4');
  });

  it('merges the filters by key, the request winning (rule 3)', () => {
    assert.deepEqual(mergeTemplate(template, { extra_filters: { num_gpus: { eq: 4 } } })['extra_filters'], {
      num_gpus: { eq: 4 },
      reliability: { gte: 0.9 },
    });
  });

  it('carries the registry over without showing its password (rule 4)', () => {
    const merged = mergeTemplate(template, {});
    assert.match(String(merged['image_login']), /ghcr\.io/);
    assert.ok(!JSON.stringify(merged).includes('secret'));
  });

  it("does not apply the template's volume, only the request's (rule 5)", () => {
    assert.equal(mergeTemplate(template, {})['volume_info'], undefined);
    const volume = { create_new: false, volume_id: 3, mount_path: '/v' };
    assert.deepEqual(mergeTemplate(template, { volume_info: volume })['volume_info'], volume);
  });

  it('uses 8 GB if the request names no disk, for any recommendation of the template', () => {
    assert.equal(mergeTemplate(template, {})['disk'], 8);
    assert.equal(mergeTemplate(template, { disk: 32 })['disk'], 32);
  });
});

describe('the parts of a rental', () => {
  it('have a run type that follows from three fields of the template', () => {
    assert.equal(recordRuntype({ runtype: 'ssh', ssh_direct: true }), 'ssh_direct');
    assert.equal(recordRuntype({ runtype: 'ssh' }), 'ssh_proxy');
    assert.equal(recordRuntype({ runtype: 'jupyter', jup_direct: true }), 'jupyter_direct');
    assert.equal(recordRuntype({ runtype: 'jupyter' }), 'jupyter_proxy');
    assert.equal(recordRuntype({}), 'args');
  });

  it('distinguish a tag from the port of a registry', () => {
    assert.deepEqual(['a/b', 'a/b:1', 'host:5000/b', 'host:5000/b:1', 'a@sha256:00'].map(hasTag), [
      false,
      true,
      false,
      true,
      true,
    ]);
  });

  it('put ports beside the variables', () => {
    assert.deepEqual(rentEnv('-e A=1', ['80:80']), { A: '1', '-p 80:80': '1' });
  });
});
