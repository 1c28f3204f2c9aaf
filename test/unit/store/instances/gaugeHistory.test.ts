import assert from 'node:assert/strict';
import { GaugeHistory } from '../../../../src/store/instances/gaugeHistory';
import { anInstance } from '../../../support/builders';
import { computerScene, type ComputerScene } from '../../../support/computerScene';
import type { FakeWindow } from '../../../support/fakeWindows';

const minute = 60_000;

describe('the use of a machine over the last hour', () => {
  let { service, computer } = {} as ComputerScene;
  beforeEach(async () => {
    ({ service, computer } = await computerScene({ instances: [machine(10)] }));
  });
  afterEach(() => computer.dispose());

  const machine = (gpuUtilPercent: number, more: Partial<ReturnType<typeof anInstance>> = {}) =>
    anInstance({ id: 5001, actualStatus: 'running', intendedStatus: 'running', gpuUtilPercent, ...more });

  function historyOf(window: FakeWindow): GaugeHistory {
    const { accounts, fleet, hub, owned } = window;
    return owned.add(new GaugeHistory({ accounts, fleet, hub, clock: computer.clock }));
  }

  async function open() {
    const window = await computer.openSignedIn();
    const history = historyOf(window);
    await computer.clock.advance(0);
    await window.fleet.refresh();
    const gpu = () => history.of(5001).map((reading) => reading.gpu);
    const list = async (...values: readonly number[]) => {
      for (const value of values) {
        service.instances = [machine(value)];
        await computer.clock.advance(minute);
        await window.fleet.refresh();
      }
    };
    return { window, history, gpu, list };
  }

  it('has a reading of each list, none of them twice', async () => {
    const { gpu, list, window } = await open();
    await list(20, 30);
    assert.deepEqual(gpu(), [10, 20, 30]);
    // The fleet says more often that something changed than a list comes.
    window.fleet.note(5001, { kind: 'start' });
    assert.deepEqual(gpu(), [10, 20, 30]);
  });

  it('has none of a list that could not be read, nor of a machine that does not run', async () => {
    const { gpu, list, window } = await open();
    const { before } = service;
    service.before = () => {
      throw new Error('The service does not answer.');
    };
    await computer.clock.advance(minute);
    await window.fleet.refresh().catch(() => undefined);
    assert.deepEqual(gpu(), [10]);
    service.before = before;
    service.instances = [machine(40, { actualStatus: 'exited', intendedStatus: 'stopped' })];
    await computer.clock.advance(minute);
    await window.fleet.refresh();
    assert.deepEqual(gpu(), [10], 'a stopped machine keeps old figures');
    await list(50);
    assert.deepEqual(gpu(), [10, 50]);
  });

  it('ends an hour back', async () => {
    const { history } = await open();
    const [first] = history.of(5001);
    assert.ok(first);
    await computer.clock.advance(60 * minute);
    assert.equal(history.of(5001)[0]?.at, first.at);
    await computer.clock.advance(1);
    assert.ok((history.of(5001)[0]?.at ?? 0) > first.at);
  });

  it('is known to a window that opens later, which reports the change when it arrives', async () => {
    const first = await open();
    await first.list(20, 30);
    const window = await computer.openSignedIn();
    computer.hubs.hold();
    const history = historyOf(window);
    let changes = 0;
    history.onDidChange(() => changes++);
    computer.hubs.arrive();
    assert.deepEqual(
      history.of(5001).map(({ gpu }) => gpu),
      [10, 20, 30],
    );
    assert.equal(changes, 1);
  });

  it('is known at once if the other window answers at once', async () => {
    const first = await open();
    await first.list(20, 30);
    assert.equal(historyOf(await computer.openSignedIn()).of(5001).length, 3);
  });

  it('is forgotten with the account', async () => {
    const { gpu, window } = await open();
    await window.accounts.signOut(window.accounts.active?.key ?? '');
    assert.deepEqual(gpu(), []);
  });
});
