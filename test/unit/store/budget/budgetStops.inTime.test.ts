import assert from 'node:assert/strict';
import { ForbiddenError, NotReachableError } from '../../../../src/api/errors';
import { fromDollars } from '../../../../src/model/money';
import { BudgetStops } from '../../../../src/store/budget/budgetStops';
import { stopNotice, type StopNotice } from '../../../../src/store/budget/stopNotice';
import { changePower } from '../../../../src/store/instances/power';
import { Notices } from '../../../../src/store/windows/notices';
import { wait } from '../../../../src/util/clock';
import { silentLog } from '../../../../src/util/log';
import { BudgetScene } from '../../../support/budgetScene';
import { MemoryLog } from '../../../support/fakeTransport';

const minute = 60_000;

describe('a round of the stop at the end of a budget', () => {
  let scene: BudgetScene;
  beforeEach(async () => {
    scene = await BudgetScene.make([5001, 5002]);
    // Spent within the first minutes.
    scene.limits = { warnPercent: 80, stopsAll: true, day: fromDollars(0.01) };
  });
  afterEach(() => scene.computer.dispose());

  const stops = () => scene.service.count('instances.stop');
  const kindsOf = (stopNotices: readonly StopNotice[]) => stopNotices.map(({ kind }) => kind);
  const change = (id: number, status: string, state: string) => {
    scene.service.instances = scene.service.instances.map((one) =>
      one.id === id ? { ...one, actualStatus: status, intendedStatus: state } : one,
    );
  };

  /** A window that carries stops out from the time at which `begin` is called. */
  async function openLater() {
    const window = await scene.open({ hasStops: false });
    const log = new MemoryLog();
    const notices = window.owned.add(new Notices(window.hub));
    const stopNotices: StopNotice[] = [];
    window.owned.add(notices.onDidPost(({ data }) => stopNotices.push(stopNotice.parse(data))));
    const begin = () =>
      window.owned.add(new BudgetStops({ ...window, notices, clock: scene.computer.clock, log }));
    return { ...window, stopNotices, log, begin };
  }

  it('is announced as soon as the budget is looked after', async () => {
    await scene.pass(5 * minute);
    const { begin, stopNotices } = await openLater();
    await scene.computer.clock.advance(0);
    begin();
    await scene.computer.clock.advance(0);
    assert.deepEqual(kindsOf(stopNotices), ['soon']);
  });

  it('happens at the end of its tenth minute', async () => {
    await scene.pass(5 * minute);
    const window = await scene.open();
    assert.deepEqual(kindsOf(window.stopNotices()), ['soon']);
    await scene.pass(10 * minute - 1);
    assert.equal(stops(), 0);
    await scene.pass(1);
    assert.equal(stops(), 2);
  });

  it('stops and names those that run by a list of that moment', async () => {
    await scene.pass(5 * minute);
    const window = await scene.open();
    await scene.pass(10 * minute - 1);
    change(5002, 'exited', 'stopped');
    await scene.pass(minute);
    assert.equal(stops(), 1);
    assert.equal(window.stopNotices().at(-1)?.stopped.length, 1);
  });

  it('happens once, for any change while the windows agree on who stops', async () => {
    await scene.pass(5 * minute);
    const { begin, hub, stopNotices } = await openLater();
    begin();
    await scene.pass(10 * minute - 1);
    const claim = hub.claim.bind(hub);
    hub.claim = async (key) => {
      const isFirst = await claim(key);
      await wait(scene.computer.clock, 20_000);
      return isFirst;
    };
    await scene.pass(1);
    scene.limitsChanged.fire();
    await scene.pass(2 * minute);
    assert.deepEqual([kindsOf(stopNotices), stops()], [['soon', 'stopped'], 2]);
  });

  it('does not happen if the charges of that moment leave some cents', async () => {
    scene.limits = { ...scene.limits, day: fromDollars(1) };
    await scene.pass(35 * minute);
    await scene.open();
    await scene.pass(10 * minute - 1);
    scene.distort = (charges) => charges.map((one) => ({ ...one, amount: fromDollars(0.45) }));
    await scene.pass(minute);
    assert.equal(stops(), 0);
  });

  for (const [what, status, state, count] of [
    ['runs', 'running', 'running', 1],
    ['is being stopped', 'running', 'stopped', 0],
    ['is stopped', 'exited', 'stopped', 0],
  ] as const) {
    it(`${count === 1 ? 'happens' : 'is not announced'} for an instance that ${what}`, async () => {
      scene.service.instances = scene.service.instances.slice(0, 1);
      change(5001, status, state);
      await scene.pass(60 * minute);
      const window = await scene.open();
      await scene.pass(12 * minute);
      assert.deepEqual(
        [stops(), kindsOf(window.stopNotices())],
        [count, count === 1 ? ['soon', 'stopped'] : []],
      );
    });
  }

  it('happens for an instance that waits for a GPU', async () => {
    scene.service.instances = scene.service.instances.slice(0, 1);
    change(5001, 'exited', 'stopped');
    const window = await scene.open();
    const { active } = window.accounts;
    assert.ok(active);
    Object.assign(scene.service.client.instances, { start: () => Promise.resolve({ queued: true }) });
    const [instance = assert.fail()] = scene.service.instances;
    const deps = { ...window, clock: scene.computer.clock, log: silentLog };
    const started = changePower(deps, active, instance, 'start', {});
    await scene.pass(minute);
    change(5001, 'exited', 'running');
    await scene.pass(60 * minute);
    assert.equal(await started, 'queued');
    assert.deepEqual([kindsOf(window.stopNotices()), stops()], [['soon', 'stopped'], 1]);
  });

  it('is not announced while the list of instances can’t be read, and is where it can', async () => {
    scene.limits = { ...scene.limits, day: fromDollars(2.9) };
    const window = await scene.open();
    await scene.pass(70 * minute);
    const { before } = scene.service;
    scene.service.before = (call) => {
      if (call === 'instances.list') {
        throw new NotReachableError();
      }
      return before(call);
    };
    await scene.pass(30 * minute);
    assert.deepEqual([stops(), window.stopNotices()], [0, []]);
    scene.service.before = before;
    await scene.pass(5 * minute);
    assert.deepEqual(kindsOf(window.stopNotices()), ['soon']);
  });

  it('is tried again where something fails, and what failed is in the log', async () => {
    await scene.pass(5 * minute);
    const { begin, fleet, log, stopNotices } = await openLater();
    begin();
    await scene.pass(10 * minute - 1);
    const refresh = fleet.refresh.bind(fleet);
    fleet.refresh = () => Promise.reject(new Error('no list'));
    await scene.pass(1);
    assert.match(log.lines.join('\n'), /^error The instances could not be stopped at the end of a budget/);
    assert.deepEqual(kindsOf(stopNotices), ['soon']);
    fleet.refresh = refresh;
    await scene.pass(2 * minute);
    assert.deepEqual(kindsOf(stopNotices), ['soon', 'stopped']);
  });

  it('logs each instance that the service does not let stop', async () => {
    await scene.pass(5 * minute);
    const { begin, log, stopNotices } = await openLater();
    begin();
    scene.service.failsBefore('instances.stop', () => new ForbiddenError());
    await scene.pass(12 * minute);
    assert.equal(stopNotices.at(-1)?.left.length, 2);
    assert.match(log.lines.join('\n'), /^warn Instance 5001 could not be stopped at the end of a budget: /m);
  });
});
