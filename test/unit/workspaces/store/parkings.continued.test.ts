import assert from 'node:assert/strict';
import { RefusedError } from '../../../../src/api/errors';
import { passUntil } from '../../../support/computerScene';
import { parkingScene, type ParkingScene } from '../../../support/parkingScene';

describe('A workspace that continues on another instance', () => {
  let scene: ParkingScene;
  type Window = Awaited<ReturnType<ParkingScene['open']>>;
  beforeEach(async () => {
    scene = await parkingScene();
  });
  afterEach(async () => {
    await scene.computer.dispose();
    assert.deepEqual(scene.folders.violations, []);
    assert.ok(scene.service.rented.length <= 1, 'no second rental');
  });

  const until = (window: Window, id: string, phase: string) =>
    passUntil(scene.computer, `it is ${phase}`, () => window.state(id)?.phase === phase);
  const parked = async (window: Window) => {
    const { id } = await window.park();
    await until(window, id, 'parked');
    return id;
  };
  const becomesReady = async (window: Window, marker: string) => {
    const { clock } = scene.computer;
    const rental = () => window.rentals.rentals.find((one) => one.marker === marker);
    await passUntil(scene.computer, 'it is rented', () => rental()?.phase.kind === 'waiting');
    const phase = rental()?.phase;
    const instanceId = phase && 'instanceId' in phase ? (phase.instanceId ?? 0) : 0;
    scene.folders.there.set(instanceId, '');
    scene.service.instances = scene.service.instances.map((one) =>
      one.id === instanceId ? { ...one, actualStatus: 'running', uptimeMinutes: 9 } : one,
    );
    await window.rentals.update(marker, { phase: { kind: 'ready', instanceId, at: clock.now() } });
    await window.fleet.refresh();
    return instanceId;
  };

  it('is placed once its instance is ready, stays here, and may continue again', async () => {
    const window = await scene.open();
    const id = await parked(window);
    const seen = window.parkings.find(id);
    await scene.through(window.resume(id, '0a0a0a0a'));
    const next = await becomesReady(window, '0a0a0a0a');
    await until(window, id, 'parked');
    assert.equal(scene.folders.there.get(next), 'first');
    assert.equal(window.parkings.find(id)?.state.resumed?.instanceId, next);
    const inFolder = (root: string, of = next) =>
      window.parkings.continuedIn(window.accountKey, of, root)?.set.id;
    assert.deepEqual(
      [
        inFolder('/workspace/project'),
        inFolder('/workspace/project-2'),
        inFolder('/workspace/project', 5001),
      ],
      [id, undefined, undefined],
    );
    assert.deepEqual(new Set(window.news), new Set(['parked', 'resumed']));
    assert.equal(scene.folders.here.get(id), 'first');
    await assert.rejects(scene.through(window.resume(id, '0b0b0b0b', seen)), 'another confirmation is late');
  });

  it('rents one instance where two windows confirm at once', async () => {
    const window = await scene.open();
    const other = await scene.open();
    const id = await parked(window);
    const results = await scene.through(
      Promise.allSettled([window.resume(id, '0a0a0a0a'), other.resume(id, '0b0b0b0b')]),
    );
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.equal(scene.service.rented.length, 1);
  });

  for (const isSent of [false, true]) {
    it(`rents once where its window is killed ${isSent ? 'after' : 'before'} the request`, async () => {
      const window = await scene.open();
      const id = await parked(window);
      let isKilled = false;
      const kill = (call: string) => {
        if (call === 'offers.rent') {
          isKilled = true;
          window.close();
          return new Promise<void>(() => undefined);
        }
        return Promise.resolve();
      };
      scene.service[isSent ? 'after' : 'wait'] = kill;
      void window.resume(id, '0a0a0a0a');
      await passUntil(scene.computer, 'the window is killed', () => isKilled);
      scene.service.after = () => undefined;
      scene.service.wait = () => undefined;
      const next = await scene.open();
      if (isSent) {
        await becomesReady(next, '0a0a0a0a');
      }
      await until(next, id, 'parked');
      assert.equal(scene.service.rented.length, isSent ? 1 : 0);
      assert.equal(next.parkings.find(id)?.state.resumed !== undefined, isSent);
    });
  }

  it('rests with the reason where its instance ends before it is ready', async () => {
    const window = await scene.open();
    const id = await parked(window);
    await scene.through(window.resume(id, '0a0a0a0a'));
    await until(window, id, 'gettingReady');
    scene.service.instances = [];
    await until(window, id, 'parked');
    assert.match(window.state(id)?.why ?? '', /ended before it was ready/);
  });

  const move = (window: Window, marker: string) =>
    window.park({ plan: 'move', rental: { marker, accountKey: window.accountKey } });
  const rentFor = (window: Window, marker: string) => scene.through(window.rent(marker));

  it('moves: the next instance is rented first, and the old one ends once everything is on the other', async () => {
    const window = await scene.open();
    const { id } = await move(window, '0a0a0a0a');
    await rentFor(window, '0a0a0a0a');
    const next = await becomesReady(window, '0a0a0a0a');
    await until(window, id, 'parked');
    assert.equal(scene.folders.there.get(next), 'first');
    assert.deepEqual(
      scene.service.instances.map((one) => one.id),
      [next],
    );
    assert.deepEqual(scene.folders.calls, [
      'list',
      'fetch',
      'lacking',
      'changed',
      'place',
      'changed',
      'destroy',
    ]);
  });

  it('keeps both instances where files of the old one changed while they were placed', async () => {
    const window = await scene.open();
    scene.folders.trouble = (call, when) => {
      if (call === 'place' && when === 'after') {
        scene.folders.there.set(5001, 'second');
      }
    };
    const { id } = await move(window, '0a0a0a0a');
    await rentFor(window, '0a0a0a0a');
    await becomesReady(window, '0a0a0a0a');
    await passUntil(scene.computer, 'it waits with the names', () =>
      /changed after they were copied/.test(window.state(id)?.why ?? ''),
    );
    await scene.pass(3_600_000);
    assert.equal(scene.service.instances.length, 2);
  });

  it('keeps the old instance where no other could be rented', async () => {
    const window = await scene.open();
    scene.service.failsBefore('offers.rent', () => new RefusedError({ code: 'no', status: 400 }));
    const { id } = await move(window, '0a0a0a0a');
    await assert.rejects(rentFor(window, '0a0a0a0a'));
    await until(window, id, 'stopped');
    assert.equal(scene.service.instances.length, 1);
    // It begins anew by its command alone, and still says why.
    assert.equal(await window.parkings.goOn(id), false);
    assert.ok(window.state(id)?.why);
  });

  for (const call of ['list', 'fetch', 'lacking', 'changed', 'place', 'destroy'] as const) {
    for (const when of ['before', 'after'] as const) {
      it(`moves on in the next window where one is killed ${when} ${call}`, async () => {
        const window = await scene.open();
        let isKilled = false;
        scene.folders.trouble = (name, at) => {
          if (!isKilled && name === call && at === when) {
            isKilled = true;
            window.close();
            return new Promise(() => undefined);
          }
          return undefined;
        };
        const { id } = await move(window, '0a0a0a0a');
        await rentFor(window, '0a0a0a0a');
        const next = await becomesReady(window, '0a0a0a0a');
        await passUntil(scene.computer, 'the window is killed', () => isKilled);
        await until(await scene.open(), id, 'parked');
        assert.deepEqual([...scene.folders.there], [[next, 'first']]);
      });
    }
  }
});
