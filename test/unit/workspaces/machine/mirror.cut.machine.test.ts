import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CuttingProxy } from '../../../support/cuttingProxy';
import { MirrorScene } from '../../../support/mirrorScene';
import { useRealSsh } from '../../../support/realSsh';
import { sshInstance } from '../../../support/sshInstance';

describe('A mirror over a line that is cut', function () {
  this.timeout(300_000);
  const ssh = useRealSsh();

  it('is the same on both sides after the next look, wherever it was cut', async () => {
    const { home, machine } = ssh();
    const scene = new MirrorScene();
    ssh().atEnd(() => scene.dispose());
    const key = home.key();
    machine.authorize(key);
    await machine.stop();
    await machine.start({ port: machine.port, env: { HOME: scene.home, HOST_ROOT: scene.root } });
    const proxy = await new CuttingProxy(() => machine.port).start();
    ssh().atEnd(() => {
      proxy.dispose();
    });
    const service = home.service();
    await service.prepare({ ...ssh().request({}, [key]), instance: sshInstance(proxy.port) });
    scene.write('still', 'still');
    const mirror = scene.open({ ssh: service });
    await mirror.settle();
    let cuts = 0;
    for (let bytes = 3_000; bytes <= 33_000; bytes += 1_500) {
      const round = String(bytes);
      scene.write('changed', round.repeat(500));
      scene.write(`d/${round}`, round);
      rmSync(join(scene.local, 'd', String(bytes - 1_500)), { force: true });
      scene.write(`there/${round}`, round, 'remote');
      proxy.cutAfter(bytes);
      await mirror.settle().catch(() => {
        cuts += 1;
      });
      proxy.spare();
      scene.write('changed', `${round} again`);
      const { waiting, differing } = await mirror.settle();
      assert.equal(waiting, 0);
      assert.equal(scene.read('changed'), `${round} again`);
      assert.equal(scene.read(`d/${round}`), round);
      assert.equal(scene.read(`d/${bytes - 1_500}`), undefined);
      assert.ok(
        differing.every(({ name, change }) => name.startsWith('there/') && change === 'new'),
        JSON.stringify(differing),
      );
      await mirror.fetch([`there/${round}`]);
      assert.equal(scene.read(`there/${round}`, 'local'), round);
    }
    assert.ok(cuts > 5, `${cuts} cuts`);
  });
});
