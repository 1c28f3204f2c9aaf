import assert from 'node:assert/strict';
import { anInstance } from '../../../support/builders';
import { passUntil } from '../../../support/computerScene';
import { parkingScene, type ParkingScene } from '../../../support/parkingScene';

describe('A workspace that is moved off an instance that can not start', () => {
  let scene: ParkingScene;
  type Window = Awaited<ReturnType<ParkingScene['open']>>;
  const marker = '0a0a0a0a';

  beforeEach(async () => {
    scene = await parkingScene({
      instances: [anInstance({ actualStatus: 'exited', intendedStatus: 'stopped' })],
    });
  });
  afterEach(async () => {
    const { computer, folders, service } = scene;
    await computer.dispose();
    assert.deepEqual(folders.violations, []);
    assert.equal(service.count('instances.destroy'), 0, 'nothing destroys it');
    assert.ok(service.rented.length <= 1, 'no second rental');
  });

  const rescue = (window: Window) =>
    window.park({ plan: 'rescue', rental: { marker, accountKey: window.accountKey } });
  const until = (window: Window, id: string, phase: string) =>
    passUntil(scene.computer, `it is ${phase}`, () => window.state(id)?.phase === phase);
  const becomesReady = async (window: Window) => {
    const rental = () => window.rentals.rentals.find((one) => one.marker === marker);
    await passUntil(scene.computer, 'it is rented', () => rental()?.phase.kind === 'waiting');
    const phase = rental()?.phase;
    const instanceId = phase && 'instanceId' in phase ? (phase.instanceId ?? 0) : 0;
    scene.folders.there.set(instanceId, '');
    const at = scene.computer.clock.now();
    await window.rentals.update(marker, { phase: { kind: 'ready', instanceId, at } });
    await window.fleet.refresh();
    return instanceId;
  };
  const rescued = async (window: Window) => {
    const { id } = await rescue(window);
    void window.rent(marker).catch(() => undefined);
    const next = await becomesReady(window);
    await passUntil(
      scene.computer,
      'it is there',
      () => window.parkings.find(id)?.state.resumed !== undefined,
    );
    return { id, next };
  };

  it('is on the next one, never called proved, and the old one is kept from all schedules', async () => {
    const window = await scene.open();
    const { id, next } = await rescued(window);
    assert.deepEqual(scene.folders.calls, ['list', 'fetch', 'lacking', 'changed', 'place']);
    assert.equal(scene.folders.there.get(next), 'first');
    const { state } = window.parkings.find(id) ?? {};
    assert.deepEqual(
      [state?.phase, state?.provedAt, state?.endedAt, state?.next],
      ['stopped', undefined, undefined, undefined],
    );
    assert.deepEqual(window.news, ['resumed']);
    const isKept = (loss: 'disk' | 'processes') => window.parkings.isSaving(window.accountKey, 5001, loss);
    assert.deepEqual([isKept('disk'), isKept('processes')], [true, false]);
    await window.parkings.goOn(id);
    await scene.computer.clock.advance(600_000);
    assert.deepEqual([window.state(id)?.phase, scene.folders.calls.length], ['stopped', 5]);
    await window.parkings.remove(id);
    assert.equal(isKept('disk'), false);
  });

  for (const step of ['list', 'fetch', 'lacking', 'changed', 'place'] as const) {
    it(`keeps both instances where it is stopped at ${step}, and continues`, async () => {
      const window = await scene.open();
      const { id } = await rescue(window);
      let isStopped = false;
      scene.folders.trouble = async (call) => {
        if (call === step && !isStopped) {
          isStopped = true;
          await window.parkings.stop(id);
          throw new Error('The line was cut.');
        }
      };
      void window.rent(marker).catch(() => undefined);
      const next = await becomesReady(window);
      await until(window, id, 'stopped');
      assert.equal(scene.folders.there.get(next), '');
      await window.parkings.goOn(id);
      await passUntil(
        scene.computer,
        'it is there',
        () => window.parkings.find(id)?.state.resumed !== undefined,
      );
      assert.equal(scene.folders.there.get(next), 'first');
    });

    for (const when of ['before', 'after'] as const) {
      it(`moves on in the next window where one is killed ${when} ${step}`, async () => {
        let window = await scene.open();
        const { id } = await rescue(window);
        let isKilled = false;
        scene.folders.trouble = (call, at) => {
          if (call !== step || at !== when || isKilled) {
            return undefined;
          }
          isKilled = true;
          return new Promise(() => undefined);
        };
        void window.rent(marker).catch(() => undefined);
        const next = await becomesReady(window);
        await passUntil(scene.computer, 'it is killed', () => isKilled);
        window.close();
        window = await scene.open();
        await passUntil(
          scene.computer,
          'it is there',
          () => window.parkings.find(id)?.state.resumed !== undefined,
        );
        assert.equal(scene.folders.there.get(next), 'first');
      });
    }
  }

  it('can be resumed elsewhere where its next instance ends, and is still never proved', async () => {
    const window = await scene.open();
    scene.folders.trouble = (call) => {
      if (call === 'place') {
        throw new Error('The line was cut.');
      }
    };
    const { id } = await rescue(window);
    void window.rent(marker).catch(() => undefined);
    const next = await becomesReady(window);
    await until(window, id, 'placing');
    scene.service.instances = scene.service.instances.filter((one) => one.id !== next);
    await window.fleet.refresh();
    await until(window, id, 'stopped');
    const row = window.parkings.find(id);
    assert.ok(row);
    scene.folders.trouble = () => undefined;
    assert.ok(await window.parkings.noteRental(row, { marker: '0b0b0b0b', accountKey: window.accountKey }));
    assert.deepEqual(
      [window.parkings.find(id)?.set.plan, window.parkings.find(id)?.state.provedAt],
      ['rescue', undefined],
    );
  });

  it('is stopped where its file claims that it was proved', async () => {
    const window = await scene.open();
    const { id } = await rescued(window);
    const state = window.parkings.find(id)?.state;
    assert.ok(state);
    await window.parkings.putState({ ...state, phase: 'proved', provedAt: 1 });
    assert.equal(await window.parkings.awaitsEnd(id), false);
    await until(window, id, 'stopped');
  });
});
