import assert from 'node:assert/strict';
import { kernelFolder, tunnelPortOf } from '../../../../src/model/notebooks/notebookServers';

describe('The place of a notebook server', () => {
  it('has one local port for each instance, below those of outgoing connections', () => {
    assert.equal(tunnelPortOf('gpu-7'), tunnelPortOf('gpu-7'));
    const ports = Array.from({ length: 500 }, (_, id) => tunnelPortOf(`gpu-${40_000_000 + id}`));
    assert.ok(ports.every((port) => port >= 30_100 && port < 32_768));
    assert.ok(new Set(ports).size > 400, `${new Set(ports).size} ports`);
  });

  it('is a folder with a plain name', () => {
    for (const [local, folder] of [
      ['my project', 'my-project'],
      ['../etc', 'etc'],
      ['-rf', 'rf'],
      ['a\nstop', 'a-stop'],
      ['$(reboot)', 'reboot-'],
      ['', 'notebooks'],
      [undefined, 'notebooks'],
    ] as const) {
      assert.equal(kernelFolder(local), folder);
    }
  });
});
