import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { CuttingProxy } from '../../../support/cuttingProxy';
import { factsOf, oddities, ParkedScene } from '../../../support/parkedScene';
import { useRealSsh } from '../../../support/realSsh';
import { sshInstance } from '../../../support/sshInstance';

describe('A parked set over a line that is cut', function () {
  this.timeout(300_000);
  const ssh = useRealSsh();

  it('is fetched, proved and placed, wherever it was cut', async () => {
    const { home, machine } = ssh();
    const scene = new ParkedScene();
    ssh().atEnd(() => {
      scene.dispose();
    });
    const key = home.key();
    machine.authorize(key);
    const proxy = await new CuttingProxy(() => machine.port).start();
    ssh().atEnd(() => {
      proxy.dispose();
    });
    const service = home.service();
    await service.prepare({ ...ssh().request({}, [key]), instance: sshInstance(proxy.port) });
    scene.make(oddities);
    const before = factsOf(scene.there);
    const pieces = scene.pieces(service, service.aliasOf(ssh().request().account, 7));
    const manifest = await pieces.list(scene.root, []);
    let cuts = 0;
    const work = async (one: () => Promise<unknown>, step: number) => {
      for (let bytes = 3_000; ; bytes += step) {
        proxy.cutAfter(bytes);
        const isDone = await one().then(
          () => true,
          () => false,
        );
        proxy.spare();
        if (isDone) {
          return;
        }
        cuts += 1;
      }
    };
    await work(() => pieces.fetch(manifest), 50_000);
    assert.deepEqual(await pieces.proveHere(manifest), []);
    rmSync(scene.there, { recursive: true });
    await work(() => pieces.place(manifest), 300_000);
    assert.deepEqual(factsOf(scene.there), before);
    assert.ok(cuts > 10, `${cuts} cuts`);
  });
});
