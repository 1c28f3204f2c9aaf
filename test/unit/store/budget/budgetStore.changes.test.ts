import assert from 'node:assert/strict';
import { NotReachableError } from '../../../../src/api/errors';
import type { Instance } from '../../../../src/model/instances/instance';
import { fromDollars } from '../../../../src/model/money';
import { BudgetStore, type BudgetDeps } from '../../../../src/store/budget/budgetStore';
import { Emitter } from '../../../../src/util/emitter';
import { BudgetScene } from '../../../support/budgetScene';
import { MemoryLog } from '../../../support/fakeTransport';

const minute = 60_000;

describe('what a window knows of its budget', () => {
  let scene: BudgetScene;
  beforeEach(async () => {
    scene = await BudgetScene.make([5001]);
    scene.limits = { warnPercent: 80, stopsAll: false, day: fromDollars(30) };
  });
  afterEach(() => scene.computer.dispose());

  const reads = () => scene.service.count('charges.list');
  const failing = () => scene.service.failsBefore('charges.list', () => new NotReachableError());
  const settled = () => scene.computer.clock.advance(0);

  /** A budget of lists that change only where a test decides, in the window that leads. */
  async function quiet() {
    const { computer } = scene;
    const window = computer.openWindow();
    await window.accounts.load();
    await window.accounts.signIn({ serviceUrl: 'https://console.example.com', apiKey: 'key' });
    const [fleetChanged, volumesChanged, limitsChanged] = [
      new Emitter<BudgetDeps['fleet']['state']>(),
      new Emitter<BudgetDeps['volumes']['state']>(),
      new Emitter<void>(),
    ];
    const listed = (instances: readonly Instance[]): BudgetDeps['fleet']['state'] => ({
      kind: 'ready',
      value: { instances, skipped: 0 },
      fetchedAt: computer.clock.now(),
    });
    const lists = { fleet: listed(scene.service.instances), volumes: scene.volumes };
    const log = new MemoryLog();
    const make = () =>
      window.owned.add(
        new BudgetStore({
          ...window,
          fleet: {
            get state() {
              return lists.fleet;
            },
            facts: (id) => window.fleet.facts(id),
            onDidChange: fleetChanged.event,
          },
          volumes: {
            get state() {
              return lists.volumes;
            },
            onDidChange: volumesChanged.event,
          },
          clock: computer.clock,
          log,
          limits: () => scene.limits,
          onDidChangeLimits: limitsChanged.event,
        }),
      );
    const list = (instances: readonly Instance[]) => {
      lists.fleet = listed(instances);
      fleetChanged.fire(lists.fleet);
    };
    return { window, lists, list, log, make, volumesChanged, limitsChanged };
  }

  const dollars = ({ now }: BudgetStore) => (now?.parts[0]?.spent.amount ?? 0) / 1e6;

  it('is read at once where the lists were there before, and every ten minutes while nothing changes', async () => {
    const { make } = await quiet();
    make();
    await settled();
    assert.equal(reads(), 1);
    await scene.pass(10 * minute - 1);
    assert.equal(reads(), 1);
    await scene.pass(20 * minute + 1);
    assert.equal(reads(), 4);
    assert.equal(scene.service.unasked.filter((call) => call === 'charges.list').length, 4);
  });

  it('is read ahead of others where the user waits for it', async () => {
    const { make } = await quiet();
    scene.service.instances = [];
    const budget = make();
    await settled();
    const unasked = () => scene.service.unasked.filter((call) => call === 'charges.list').length;
    const before = unasked();
    await budget.reread();
    scene.computer.clock.jump(-10 * minute);
    await budget.current();
    assert.deepEqual([reads(), unasked()], [before + 2, before]);
  });

  it('is updated by each change of what it is made of, and by each reading', async () => {
    const { make, lists, list, volumesChanged, limitsChanged } = await quiet();
    const budget = make();
    await settled();
    let heard = 0;
    budget.onDidChange(() => (heard += 1));
    const changes: readonly (() => unknown)[] = [
      () => list([]),
      () => volumesChanged.fire(lists.volumes),
      () => limitsChanged.fire(),
      () => budget.reread(),
    ];
    for (const change of changes) {
      heard = 0;
      await change();
      assert.ok(heard > 0, String(change));
    }
  });

  it('is read by the window that becomes the leader', async () => {
    const { window, make } = await quiet();
    const leader = window.hub;
    leader.leads(false);
    make();
    await scene.pass(20 * minute);
    assert.equal(reads(), 0);
    leader.leads(true);
    await settled();
    assert.equal(reads(), 1);
  });

  it('is read by the window that leads alone, also while the service does not answer', async () => {
    await scene.open();
    await scene.open();
    failing();
    const before = reads();
    await scene.pass(30 * minute);
    assert.equal(reads() - before, 3);
  });

  it('reaches the other windows with each reading', async () => {
    const first = await scene.open();
    const second = await scene.open();
    await scene.pass(5 * minute);
    await first.budget.reread();
    scene.distort = (charges) => charges.map((one) => ({ ...one, amount: fromDollars(20) }));
    await first.budget.reread();
    assert.ok(dollars(second.budget) >= 20, String(dollars(second.budget)));
  });

  it('is as old in a window that received it as in the one that read it', async () => {
    const first = await scene.open();
    await first.budget.reread();
    await scene.pass(5 * minute);
    await scene.open();
    first.close();
    const before = reads();
    await scene.pass(4 * minute);
    assert.equal(reads(), before);
    await scene.pass(2 * minute);
    assert.equal(reads(), before + 1);
  });

  it('follows the clock of the service', async () => {
    const { make } = await quiet();
    const budget = make();
    scene.computer.clock.jump(5 * minute);
    await settled();
    await budget.reread();
    for (let passed = 0; passed < 90_000; passed += 30_000) {
      assert.equal(budget.now?.at, scene.serviceNow / 1000);
      await scene.pass(30_000);
    }
  });

  it('counts a machine once that was missing from one list', async () => {
    const { make, list } = await quiet();
    const { instances } = scene.service;
    const budget = make();
    scene.lagMs = 60 * minute;
    await scene.pass(60 * minute);
    await budget.reread();
    list(instances);
    const before = dollars(budget);
    assert.ok(before > 0);
    list([]);
    list(instances);
    assert.equal(dollars(budget), before);
  });

  it('is not whole where the very first reading fails, which is logged and keeps no timer', async () => {
    failing();
    const { make, log } = await quiet();
    const budget = make();
    const { pending } = scene.computer.clock;
    assert.equal((await budget.current())?.isWhole, false);
    assert.match(log.lines.join('\n'), /^warn The charges could not be read for the budget: /m);
    assert.ok(scene.computer.clock.pending < pending, 'the limit of the reading is gone');
  });
});
