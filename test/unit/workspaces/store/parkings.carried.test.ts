import assert from 'node:assert/strict';
import { RefusedError } from '../../../../src/api/errors';
import { passUntil } from '../../../support/computerScene';
import { parkingScene, type ParkingScene } from '../../../support/parkingScene';

describe('A workspace that the service copies to the next instance', () => {
  let scene: ParkingScene;
  type Window = Awaited<ReturnType<ParkingScene['open']>>;
  const marker = '0a0a0a0a';

  beforeEach(async () => {
    scene = await parkingScene();
  });
  afterEach(async () => {
    const { computer, folders, service } = scene;
    await computer.dispose();
    assert.deepEqual(folders.violations, []);
    assert.ok(service.count('copies.begin') <= 1, 'asked for once');
  });

  const move = async (window: Window) => {
    const { id } = await window.park({
      plan: 'move',
      isByService: true,
      rental: { marker, accountKey: window.accountKey },
    });
    void window.rent(marker).catch(() => undefined);
    const rental = () => window.rentals.rentals.find((one) => one.marker === marker);
    await passUntil(scene.computer, 'it is rented', () => rental()?.phase.kind === 'waiting');
    const phase = rental()?.phase;
    const instanceId = phase && 'instanceId' in phase ? (phase.instanceId ?? 0) : 0;
    scene.folders.there.set(instanceId, '');
    const at = scene.computer.clock.now();
    await window.rentals.update(marker, { phase: { kind: 'ready', instanceId, at } });
    await window.fleet.refresh();
    return { id, next: instanceId };
  };
  const until = (window: Window, id: string, phase: string) =>
    passUntil(scene.computer, `it is ${phase}`, () => window.state(id)?.phase === phase);

  it('is proved there by the hashes of the old one, which only then ends, and nothing of it is here', async () => {
    const window = await scene.open();
    const { id, next } = await move(window);
    await until(window, id, 'parked');
    assert.deepEqual(scene.folders.calls, ['list', 'hold', 'carry', 'hold', 'carry', 'changed', 'destroy']);
    assert.deepEqual([...scene.folders.there], [[next, 'first']]);
    const { state } = window.parkings.find(id) ?? {};
    assert.deepEqual([state?.bytes, state?.provedAt, scene.folders.here.size], [0, undefined, 0]);
    assert.deepEqual(window.news, ['resumed']);
  });

  const faults: readonly (readonly [name: string, prepare: () => void])[] = [
    [
      'brings other bytes',
      () => (scene.service.onCopy = (_, to) => scene.folders.carried.set(to.instanceId, 'x')),
    ],
    ['brings nothing', () => (scene.service.onCopy = () => undefined)],
    [
      'refuses it',
      () => {
        const { before } = scene.service;
        scene.service.before = (call, instanceId) =>
          call === 'copies.begin'
            ? Promise.reject(new RefusedError({ code: 'no', status: 400 }))
            : before(call, instanceId);
      },
    ],
  ];
  for (const [name, prepare] of faults) {
    it(`continues through this computer where the service ${name}`, async () => {
      const window = await scene.open();
      prepare();
      const { id, next } = await move(window);
      await until(window, id, 'parked');
      assert.deepEqual(
        scene.folders.calls.filter((call) => call === 'fetch' || call === 'place'),
        ['fetch', 'place'],
      );
      assert.deepEqual([...scene.folders.there], [[next, 'first']]);
      assert.equal(scene.folders.here.get(id), 'first');
    });
  }

  it('is not asked for again where its answer is lost or its window is killed', async () => {
    let window = await scene.open();
    const { after } = scene.service;
    let isKilled = false;
    scene.service.after = (call) => {
      if (call === 'copies.begin') {
        isKilled = true;
        return new Promise(() => undefined);
      }
      return after(call);
    };
    const { id, next } = await move(window);
    await passUntil(scene.computer, 'it is killed', () => isKilled);
    window.close();
    window = await scene.open();
    await until(window, id, 'parked');
    assert.deepEqual([...scene.folders.there], [[next, 'first']]);
  });

  it('is copied all the same where the old one can’t wait for that', async () => {
    const window = await scene.open();
    scene.folders.trouble = (call) =>
      call === 'hold' ? Promise.reject(new Error('It does not answer.')) : undefined;
    const { id, next } = await move(window);
    await until(window, id, 'parked');
    assert.deepEqual([...scene.folders.there], [[next, 'first']]);
    assert.equal(scene.folders.here.size, 0);
  });

  it('is canceled where the user stops, and is sent through this computer afterwards', async () => {
    const window = await scene.open();
    scene.service.onCopy = () => undefined;
    const { id, next } = await move(window);
    await passUntil(scene.computer, 'it is asked for', () => scene.service.count('copies.begin') === 1);
    await window.parkings.stop(id);
    await until(window, id, 'stopped');
    await passUntil(scene.computer, 'it is canceled', () => scene.service.count('copies.cancel') === 1);
    await window.parkings.goOn(id);
    await until(window, id, 'parked');
    assert.deepEqual([...scene.folders.there], [[next, 'first']]);
    assert.equal(scene.folders.here.get(id), 'first');
  });
});
