import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RefusedError } from '../../../../src/api/errors';
import { anInstance } from '../../../support/builders';
import { passUntil } from '../../../support/computerScene';
import { parkingScene, type ParkingScene } from '../../../support/parkingScene';

describe('A workspace that is parked', () => {
  let scene: ParkingScene;
  type Window = Awaited<ReturnType<ParkingScene['open']>>;
  beforeEach(async () => {
    scene = await parkingScene();
  });
  afterEach(async () => {
    await scene.computer.dispose();
    assert.deepEqual(scene.folders.violations, []);
  });

  const rests = (window: Window, id: string, phase = 'parked') =>
    passUntil(scene.computer, `it is ${phase}`, () => {
      const row = window.parkings.find(id);
      return row?.state.phase === phase && window.parkings.open.length === 0;
    });
  const waits = (window: Window, id: string, phase: string) =>
    passUntil(scene.computer, `it waits while ${phase}`, () => {
      const state = window.state(id);
      return state?.phase === phase && state.why !== undefined;
    });

  it('is listed, fetched, proved, compared again, and only then its instance ends, once', async () => {
    const window = await scene.open();
    const { id } = await window.park();
    await rests(window, id);
    assert.deepEqual(scene.folders.calls, ['list', 'fetch', 'lacking', 'changed', 'destroy']);
    assert.deepEqual([scene.service.instances.length, scene.folders.here.get(id)], [0, 'first']);
    assert.deepEqual(new Set(window.news), new Set(['parked']));
  });

  it('is listed again where files changed, and stops with their names where they always do', async () => {
    const window = await scene.open();
    let times = 0;
    scene.folders.trouble = (call, when) => {
      if (call === 'changed' && when === 'before') {
        times += 1;
        scene.folders.there.set(5001, `version ${times}`);
      }
    };
    const { id } = await window.park();
    await waits(window, id, 'listing');
    assert.match(window.state(id)?.why ?? '', /still change/);
    assert.equal(scene.service.count('instances.destroy'), 0);
    scene.folders.trouble = () => undefined;
    await window.parkings.goOn(id);
    await rests(window, id);
    assert.equal(scene.folders.here.get(id), 'version 3');
  });

  it('leaves the instance as it is where the user stops, and continues later', async () => {
    const window = await scene.open();
    scene.folders.trouble = (call) => (call === 'fetch' ? Promise.reject(new Error('cut')) : undefined);
    const { id } = await window.park();
    await waits(window, id, 'fetching');
    await window.parkings.stop(id);
    await rests(window, id, 'stopped');
    assert.equal(scene.service.instances.length, 1);
    scene.folders.trouble = () => undefined;
    await window.parkings.goOn(id);
    await rests(window, id);
  });

  for (const call of ['list', 'fetch', 'lacking', 'changed', 'destroy'] as const) {
    for (const when of ['before', 'after'] as const) {
      it(`continues in the next window where one is killed ${when} ${call}`, async () => {
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
        const { id } = await window.park();
        await passUntil(scene.computer, 'the window is killed', () => isKilled);
        const next = await scene.open();
        await rests(next, id);
        assert.deepEqual([scene.service.instances.length, scene.folders.here.get(id)], [0, 'first']);
      });

      it(`continues where ${call} fails ${when} it took effect`, async () => {
        const window = await scene.open();
        let times = 0;
        scene.folders.trouble = (name, at) => {
          times += name === call && at === when ? 1 : 0;
          return name === call && at === when && times <= 2 ? Promise.reject(new Error('broken')) : undefined;
        };
        const { id } = await window.park();
        await rests(window, id);
        assert.equal(scene.service.instances.length, 0);
      });
    }
  }

  it('stays proved while the service refuses its end, and continues after a day', async () => {
    const window = await scene.open();
    scene.service.failsBefore('instances.destroy', () => new RefusedError({ code: 'no', status: 400 }));
    const { id } = await window.park();
    await waits(window, id, 'proved');
    await scene.pass(24 * 3_600_000);
    assert.equal(window.state(id)?.phase, 'proved');
    assert.ok(window.news.includes('trouble'));
    scene.service.before = () => undefined;
    await rests(window, id);
  });

  it('saves what changed between a refused end and the next try', async () => {
    const window = await scene.open();
    scene.service.failsBefore('instances.destroy', () => {
      scene.folders.there.set(5001, 'second');
      return new RefusedError({ code: 'no', status: 400 });
    });
    const { id } = await window.park();
    await waits(window, id, 'proved');
    scene.service.before = () => undefined;
    await rests(window, id);
    assert.equal(scene.folders.here.get(id), 'second');
  });

  it('destroys nothing whose files were not compared right before, however long a request waits', async () => {
    const window = await scene.open();
    let waited = 0;
    scene.service.wait = async (call) => {
      if (call === 'instances.destroy' && waited === 0) {
        waited += 1;
        scene.folders.there.set(5001, 'second');
        await new Promise<void>((resolve) => scene.computer.clock.schedule(resolve, 10 * 60_000));
      }
    };
    const { id } = await window.park();
    await rests(window, id);
    assert.equal(scene.folders.here.get(id), 'second');
  });

  it('is not incomplete while an instance only does not answer', async () => {
    const window = await scene.open();
    scene.folders.there.delete(5001);
    const { id } = await window.park();
    await waits(window, id, 'listing');
    scene.service.instances = [];
    scene.service.failsBefore('instances.list', () => new Error('broken'));
    await scene.pass(3_600_000);
    assert.equal(window.state(id)?.phase, 'listing');
    scene.service.before = () => undefined;
    await rests(window, id, 'incomplete');
    assert.deepEqual(window.parkings.find(id)?.state.lacking, ['notes.txt']);
    assert.equal(scene.service.count('instances.destroy'), 0);
  });

  it('is complete where the instance ended after everything was here', async () => {
    const window = await scene.open();
    scene.folders.trouble = (call) => {
      if (call === 'changed') {
        scene.folders.there.delete(5001);
        scene.service.instances = [];
      }
    };
    const { id } = await window.park();
    await rests(window, id, 'incomplete');
    assert.deepEqual(window.parkings.find(id)?.state.lacking, []);
  });

  it('leaves another rental with the same number alone', async () => {
    const window = await scene.open();
    scene.folders.trouble = (call, when) => {
      if (call === 'changed' && when === 'after') {
        scene.service.instances = [anInstance({ startedAt: 1 })];
      }
    };
    const { id } = await window.park();
    await waits(window, id, 'proved');
    assert.equal(scene.service.count('instances.destroy'), 0);
  });

  it('is worked on by one of two windows, and by the other once that is closed', async () => {
    const window = await scene.open();
    const other = await scene.open();
    const { id } = await other.park();
    await assert.rejects(window.park(), /already/);
    await passUntil(scene.computer, 'it is listed', () => scene.folders.calls.includes('list'));
    window.close();
    await rests(other, id);
    assert.equal(scene.service.count('instances.destroy'), 1);
  });

  it('reaches its end while the clock jumps both ways', async () => {
    const window = await scene.open();
    let jump = 1;
    scene.folders.trouble = (_, when) => {
      jump = -jump;
      // A request that leaves after a jump ahead makes it compare the files again.
      if (scene.folders.calls.length < 12) {
        scene.computer.clock.jump(jump * 30 * 86_400_000);
      }
      return when === 'before' && scene.folders.calls.length % 3 === 0
        ? Promise.reject(new Error('cut'))
        : undefined;
    };
    const { id } = await window.park();
    await rests(window, id);
    assert.equal(scene.service.instances.length, 0);
  });

  it('keeps the secrets of its instance in the secret store, and drops them with its files', async () => {
    const window = await scene.open();
    const { secrets } = scene.computer;
    const full = { image: 'pytorch/pytorch', env: { HF_TOKEN: 'hf_planted' } };
    const set = await window.parkings.order(window.set(), full);
    await rests(window, set.id);
    assert.deepEqual(await window.parkings.likeOf(set), { ...set.like, config: full, hasSecrets: true });
    assert.ok(!readFileSync(window.files.pathOf(set.id), 'utf8').includes('planted'));
    secrets.isLocked = true;
    assert.deepEqual(await window.parkings.likeOf(set), set.like);
    secrets.isLocked = false;
    await window.parkings.remove(set.id);
    assert.deepEqual(await window.parkings.likeOf(set), set.like);
  });

  it('outlives damaged and foreign files, and its files are never taken for whole by them', async () => {
    const window = await scene.open();
    const { id } = await window.park();
    await rests(window, id);
    const { files } = window;
    writeFileSync(files.pathOf(`${id}.state`), '{"phase":');
    writeFileSync(files.pathOf('0123abcd'), '{"version":1,"id":"99999999"}');
    writeFileSync(join(files.path, 'nothing.json'), '{}');
    const next = await scene.open();
    assert.deepEqual(next.state(id), {
      phase: 'stopped',
      why: 'The file about its progress is damaged.',
    });
    assert.equal(next.parkings.damaged.length, 1);
    await next.parkings.goOn(id);
    await rests(next, id, 'incomplete');
    // All that was listed is here, so it can go on.
    assert.deepEqual(next.parkings.find(id)?.state.lacking, []);
    await next.parkings.remove(id);
    assert.deepEqual(
      [existsSync(files.folderOf(id)), readdirSync(files.path).filter((name) => name === `${id}.json`)],
      [false, []],
    );
  });
});
