import assert from 'node:assert/strict';
import { canResume, newParkingState, parkingAfter } from '../../../../src/workspaces/model/parking';
import { passUntil } from '../../../support/computerScene';
import { parkingScene, type ParkingScene } from '../../../support/parkingScene';

describe('What is kept of a parked workspace and its instance', () => {
  let scene: ParkingScene;
  beforeEach(async () => {
    scene = await parkingScene();
  });
  afterEach(async () => {
    await scene.computer.dispose();
    assert.deepEqual(scene.folders.violations, []);
  });

  type Window = Awaited<ReturnType<ParkingScene['open']>>;
  const rests = (window: Window, id: string) =>
    passUntil(scene.computer, 'it is parked', () => window.state(id)?.phase === 'parked');

  it('is what changed while this computer slept, before the request to destroy left', async () => {
    const window = await scene.open();
    let hasSlept = false;
    scene.service.wait = (call) => {
      if (call === 'instances.destroy' && !hasSlept) {
        hasSlept = true;
        scene.folders.there.set(5001, 'second');
        scene.computer.clock.jump(8 * 3_600_000);
      }
      return Promise.resolve();
    };
    const { id } = await window.park();
    await rests(window, id);
    assert.equal(scene.folders.here.get(id), 'second');
  });

  it('is an instance that a schedule would end, and its cost is not kept after many failures', async () => {
    const window = await scene.open();
    scene.folders.trouble = (call) => (call === 'fetch' ? Promise.reject(new Error('cut')) : undefined);
    const { id } = await window.park();
    const { accountKey, parkings } = window;
    await passUntil(scene.computer, 'it failed', () => window.state(id)?.why !== undefined);
    assert.deepEqual(
      [parkings.isSaving(accountKey, 5001, 'processes'), parkings.isSaving(accountKey, 5002, 'disk')],
      [true, false],
    );
    await scene.pass(3_600_000);
    assert.deepEqual(
      [parkings.isSaving(accountKey, 5001, 'processes'), parkings.isSaving(accountKey, 5001, 'disk')],
      [false, true],
    );
  });

  for (const call of ['fetch', 'destroy'] as const) {
    it(`is left where it is while another account is active, and continues afterwards: ${call}`, async () => {
      const window = await scene.open();
      let times = 0;
      scene.folders.trouble = async (name, when) => {
        times += name === call && when === 'before' ? 1 : 0;
        if (name === call && when === 'before' && times === 1) {
          await window.accounts.signIn({ serviceUrl: 'https://other.example.com', apiKey: 'another-key' });
        }
      };
      const { id } = await window.park();
      await passUntil(scene.computer, 'the account is another', () => times === 1);
      await scene.pass(600_000);
      const { phase, trouble } = window.parkings.find(id)?.state ?? {};
      assert.deepEqual(
        [phase, trouble, scene.service.count('instances.destroy')],
        [call === 'fetch' ? 'fetching' : 'proved', undefined, 0],
      );
      await scene.through(window.accounts.switchTo(window.accountKey));
      await rests(window, id);
    });
  }

  it('is never taken for whole without the list that was proved', async () => {
    const window = await scene.open();
    const set = { ...window.set(), id: '0a0a0a0a', orderedAt: 0, decidedAt: {} };
    const state = { ...newParkingState(set), rounds: 1 };
    const damaged = { kind: 'checked', wrong: [''] } as const;
    assert.equal(parkingAfter(set, { ...state, phase: 'proving' }, damaged, 1).phase, 'listing');
    const again = parkingAfter(set, { ...state, phase: 'stopped', provedAt: 5 }, { kind: 'continued' }, 9);
    assert.deepEqual([again.phase, again.provedAt], ['listing', undefined]);
    assert.equal(canResume({ ...again, phase: 'stopped' }), false);
  });

  it('is a set that another window began to work on', async () => {
    const window = await scene.open();
    const { id } = await window.park();
    await assert.rejects(window.parkings.remove(id), /being worked on/);
    await rests(window, id);
    await window.parkings.remove(id);
    assert.equal(window.parkings.find(id), undefined);
  });

  it('is the old instance of a move that was stopped, also once that continues on another one', async () => {
    const window = await scene.open();
    const { accountKey } = window;
    const set = await window.park({ plan: 'move' });
    await window.files.putState({ ...newParkingState(set), phase: 'stopped', provedAt: 5 });
    await window.parkings.noteRental(
      { set, state: newParkingState(set) },
      { marker: '0b0b0b0b', accountKey },
    );
    const row = await window.parkings.reread(set.id);
    assert.ok(row);
    const placed = { kind: 'placed', root: '/workspace/project' } as const;
    assert.equal(parkingAfter(row.set, { ...row.state, phase: 'placing' }, placed, 1).phase, 'stopped');
  });
});
