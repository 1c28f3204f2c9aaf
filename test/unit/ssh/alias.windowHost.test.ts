import assert from 'node:assert/strict';
import { hostInAuthority } from '../../../src/ssh/alias';

describe('The host of a remote window', () => {
  it('is one of ours by its alias', () => {
    assert.deepEqual(hostInAuthority('ssh-remote+gpu-17'), { alias: 'gpu-17', instanceId: 17 });
    assert.deepEqual(hostInAuthority('ssh-remote+gpu-demo-3'), { alias: 'gpu-demo-3', instanceId: 3 });
    assert.deepEqual(hostInAuthority('ssh-remote+gpu-a1b2c3-9'), { alias: 'gpu-a1b2c3-9', instanceId: 9 });
  });

  it('is none of ours in any other window', () => {
    for (const other of [
      undefined,
      '',
      'gpu-17',
      'wsl+gpu-17',
      'ssh-remote+gpu-0',
      'ssh-remote+my-gpu-17',
      'ssh-remote+root@gpu-17',
      'ssh-remote+gpu-17:22',
      'ssh-remote+-oProxyCommand=x',
    ]) {
      assert.equal(hostInAuthority(other), undefined, other);
    }
  });
});
