import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostInAuthority, workspaceHostOf } from '../../../src/ssh/alias';
import { renderHost, type HostEntry } from '../../../src/ssh/hostConfig';

describe('The host of a remote window', () => {
  it('is one of ours by its alias', () => {
    assert.deepEqual(hostInAuthority('ssh-remote+gpu-17'), { alias: 'gpu-17', instanceId: 17 });
    assert.deepEqual(hostInAuthority('ssh-remote+gpu-demo-3'), { alias: 'gpu-demo-3', instanceId: 3 });
    assert.deepEqual(hostInAuthority('ssh-remote+gpu-a1b2c3-9'), { alias: 'gpu-a1b2c3-9', instanceId: 9 });
  });

  it('is the instance to which the name of its workspace leads', (): void => {
    const ownDir = mkdtempSync(join(tmpdir(), 'gpu-own-'));
    try {
      const entry: HostEntry = {
        alias: 'gpu-17',
        endpoint: { kind: 'direct', host: '192.0.2.1', port: 22 },
        identityFile: undefined,
        forwardAgent: false,
        account: '0123456789abcdef',
        workspace: 'gpu-ws-llm',
      };
      writeFileSync(join(ownDir, 'gpu-17.conf'), renderHost(entry, '/known_hosts', true));
      writeFileSync(join(ownDir, 'gpu-x.conf'), 'Host gpu-x gpu-ws-other\n');
      const of = (name: string, at = ownDir) => hostInAuthority(`ssh-remote+${name}`, () => at);
      assert.deepEqual(of('gpu-ws-llm'), { alias: 'gpu-17', instanceId: 17 });
      assert.deepEqual(of('gpu-17'), { alias: 'gpu-17', instanceId: 17 });
      assert.equal(of('gpu-ws-ll'), undefined);
      assert.equal(of('gpu-ws-other'), undefined);
      assert.equal(of('gpu-ws-llm', join(ownDir, 'missing')), undefined);
    } finally {
      rmSync(ownDir, { recursive: true });
    }
  });

  it('has a name of letters and digits for any workspace', () => {
    const names = ['My Project', 'Größe_2 ', '--x--', 'a'.repeat(39) + '-b', '项目', '项', '\nHost *'];
    assert.deepEqual(
      names.slice(0, 4).map((name) => workspaceHostOf(name)),
      ['gpu-ws-my-project', 'gpu-ws-gro-e-2', 'gpu-ws-x', `gpu-ws-${'a'.repeat(39)}`],
    );
    assert.ok(names.every((name) => /^gpu-ws-[a-z0-9]+(-[a-z0-9]+)*$/.test(workspaceHostOf(name))));
    assert.notEqual(workspaceHostOf('项目'), workspaceHostOf('项'));
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
      'ssh-remote+gpu-ws-',
      'ssh-remote+gpu-ws-../../x',
      'ssh-remote+-oProxyCommand=x',
    ]) {
      assert.equal(hostInAuthority(other), undefined, other);
    }
  });
});
