import assert from 'node:assert/strict';
import { anInstance } from '../../../support/builders';
import { computerScene, type ComputerScene } from '../../../support/computerScene';
import { settle } from '../../../support/fakeClock';
import type { FakeWindow } from '../../../support/fakeWindows';
import { until } from '../../../support/until';

describe('the fleet, when instances are gone', () => {
  let { service, computer } = {} as ComputerScene;
  const snapshot = ({ fleet: { state } }: FakeWindow) => {
    assert.ok(state.kind === 'ready', state.kind);
    return state.value;
  };

  beforeEach(async () => {
    ({ service, computer } = await computerScene());
  });
  afterEach(() => computer.dispose());

  it('lacks none that the service did not count', async () => {
    const window = await computer.openSignedIn();
    for (const instances of [[], [anInstance()]]) {
      service.instances = instances;
      await window.fleet.refresh();
      assert.equal(snapshot(window).missing, undefined);
    }
  });

  it('loses the row that is known to be destroyed, and no doubt about the others', async () => {
    const window = await computer.openSignedIn();
    const ids = [5001, 5002, 5003];
    service.instances = ids.map((id) => anInstance({ id }));
    await window.fleet.refresh();
    service.instances = [anInstance({ id: 5003 })];
    await window.fleet.refresh();
    assert.deepEqual(snapshot(window).unconfirmed, [5001, 5002]);
    window.fleet.note(5001, { kind: 'destroy', tookEffect: true });
    assert.deepEqual(snapshot(window).unconfirmed, [5002]);
    assert.deepEqual(
      snapshot(window).instances.map(({ id }) => id),
      [5003, 5002],
    );
    window.fleet.note(5002, { kind: 'destroy', tookEffect: true });
    assert.deepEqual(snapshot(window).unconfirmed, undefined);
  });

  it('ignores an answer to a window that has closed', async () => {
    service.instances = [anInstance()];
    const window = await computer.openSignedIn();
    let answer: () => void = () => undefined;
    service.before = (call) =>
      call === 'instances.list' ? new Promise((resolve) => (answer = resolve)) : undefined;
    const refresh = window.fleet.refresh().catch(() => undefined);
    await until('the list is asked for', () => service.count('instances.list') === 1, { everyMs: 5 });
    window.close();
    answer();
    await refresh;
    await settle();
    assert.notEqual(window.fleet.state.kind, 'ready');
  });
});
