import assert from 'node:assert/strict';
import { RefusedError, TimedOutError } from '../../../../src/api/errors';
import { localize } from '../../../../src/editor/localize';
import { passUntil } from '../../../support/computerScene';
import { parkingScene, type ParkingScene } from '../../../support/parkingScene';

const cloud = { connectionId: 4411, name: 'checkpoints', folder: '/bucket/kept' };

describe('The second copy of a parked workspace', () => {
  let scene: ParkingScene;
  type Window = Awaited<ReturnType<ParkingScene['open']>>;
  beforeEach(async () => {
    scene = await parkingScene();
    scene.service.onCloudCopy = () => {
      status('Cloud copy started.');
    };
  });
  afterEach(async () => {
    await scene.computer.dispose();
    assert.deepEqual(scene.folders.violations, []);
  });

  const status = (statusMessage: string) => {
    scene.service.instances = scene.service.instances.map((one) => ({ ...one, statusMessage }));
  };
  const copies = () => scene.service.cloudCopies;
  const until = (window: Window, id: string, phase: string) =>
    passUntil(scene.computer, `it is ${phase}`, () => window.state(id)?.phase === phase);
  const copyOf = (window: Window, id: string) => {
    const { copy } = window.parkings.find(id)?.state ?? {};
    return copy?.why ? localize(copy.why) : copy?.endedAt === undefined ? 'none' : 'complete';
  };
  const copying = async (window: Window) => {
    const { id } = await window.park({ cloud });
    await passUntil(scene.computer, 'it is copied', () => copies().length === 1);
    return id;
  };

  it('is made by the service into a dated folder once all is proved, and its instance ends only then', async () => {
    const window = await scene.open();
    const id = await copying(window);
    await scene.pass(120_000);
    assert.deepEqual(
      [window.state(id)?.phase, scene.service.count('instances.destroy'), copies().length],
      ['copying', 0, 1],
    );
    const [copy] = copies();
    assert.deepEqual(copy?.from, { instanceId: 5001, path: '/workspace/project' });
    assert.match(copy.to.path, new RegExp(`^/bucket/kept/project-\\d{4}-\\d\\d-\\d\\d-${id}$`));
    status('Cloud Copy Operation Finished');
    await until(window, id, 'parked');
    assert.equal(copyOf(window, id), 'complete');
    // What changed while it was copied is found before the end.
    assert.deepEqual(scene.folders.calls.slice(-3), ['lacking', 'changed', 'destroy']);
  });

  it('is no reason to wait where the service refuses it, and is reported', async () => {
    const window = await scene.open();
    scene.service.failsBefore('copies.toCloud', () => new RefusedError({ code: 'no', status: 400 }));
    const { id } = await window.park({ cloud });
    await until(window, id, 'parked');
    assert.equal(scene.folders.here.get(id), 'first');
    assert.notEqual(copyOf(window, id), 'complete');
  });

  it('has a timer of its instance wait for as long as it is made', async () => {
    const window = await scene.open();
    const id = await copying(window);
    scene.folders.calls.length = 0;
    await scene.pass(5 * 60_000);
    const holds = scene.folders.calls.filter((call) => call === 'hold').length;
    assert.ok(holds >= 5, `${holds} times`);
    status('Cloud Copy Operation Finished');
    await until(window, id, 'parked');
  });

  it('is not complete where the host reports a failure', async () => {
    const window = await scene.open();
    const id = await copying(window);
    status('Cloud copy failed: no such bucket');
    await until(window, id, 'parked');
    assert.match(copyOf(window, id), /no such bucket/);
  });

  it('is not complete where nothing confirms its end, also after an end of an earlier copy', async () => {
    const window = await scene.open();
    status('Cloud Copy Operation Finished');
    scene.service.onCloudCopy = () => undefined;
    const id = await copying(window);
    await scene.pass(8 * 60_000);
    assert.equal(window.state(id)?.phase, 'copying');
    await until(window, id, 'parked');
    assert.match(copyOf(window, id), /did not confirm/);
  });

  it('is asked for once where its answer is lost or the window is killed', async () => {
    const window = await scene.open();
    scene.service.failsAfter('copies.toCloud', () => new TimedOutError());
    const id = await copying(window);
    window.close();
    const next = await scene.open();
    await scene.pass(120_000);
    status('Cloud Copy Operation Complete');
    await until(next, id, 'parked');
    assert.deepEqual([copies().length, copyOf(next, id)], [1, 'complete']);
  });

  it('is left out where the user continues without it, and keeps the instance where he stops', async () => {
    const window = await scene.open();
    const id = await copying(window);
    await window.parkings.stop(id);
    await until(window, id, 'stopped');
    assert.equal(scene.service.instances.length, 1);
    await window.parkings.goOn(id);
    await passUntil(scene.computer, 'it is copied again', () => copies().length === 2);
    await window.parkings.goOn(id);
    await until(window, id, 'parked');
    assert.match(copyOf(window, id), /continued without/);
  });

  it('is made again of files that changed while it was made', async () => {
    const window = await scene.open();
    const id = await copying(window);
    scene.folders.there.set(5001, 'second');
    status('Cloud Copy Operation Finished');
    await passUntil(scene.computer, 'it is copied again', () => copies().length === 2);
    await scene.pass(60_000);
    status('Cloud Copy Operation Finished');
    await until(window, id, 'parked');
    assert.deepEqual([scene.folders.here.get(id), copyOf(window, id)], ['second', 'complete']);
  });
});
