import assert from 'node:assert/strict';
import { NotReachableError } from '../../../../src/api/errors';
import { fromDollars } from '../../../../src/model/money';
import type { Fleet } from '../../../../src/store/instances/fleetStore';
import { Emitter } from '../../../../src/util/emitter';
import { BudgetScene, type BudgetWindow } from '../../../support/budgetScene';

const minute = 60_000;

describe('what an account has spent of its budget', () => {
  let scene: BudgetScene;
  beforeEach(async () => {
    scene = await BudgetScene.make([5001]);
    scene.limits = { warnPercent: 80, stopsAll: false, day: fromDollars(30) };
  });
  afterEach(() => scene.computer.dispose());

  const reads = () => scene.service.count('charges.list');
  const dollars = ({ budget }: BudgetWindow) => (budget.now?.parts[0]?.spent.amount ?? 0) / 1e6;
  const isNearly = (actual: number, expected: number) =>
    assert.ok(Math.abs(actual - expected) < 0.01, `${actual} where ${expected} is right`);

  it('is read every 10 minutes by the window that leads, and known to the others', async () => {
    const first = await scene.open();
    const second = await scene.open();
    const before = reads();
    await scene.pass(30 * minute);
    assert.equal(reads() - before, 3);
    isNearly(dollars(first), scene.spentToday);
    isNearly(dollars(second), scene.spentToday);
    assert.ok(second.budget.now?.isProved);
    assert.equal((await scene.open()).budget.now?.isProved, true);
  });

  it('is read more seldom where its charges fill several pages', async () => {
    scene.distort = (charges) => [
      ...charges,
      ...Array.from({ length: 150 }, (_, index) => ({
        start: 0,
        end: 1,
        type: 'instance' as const,
        source: `instance-${String(index)}`,
        amount: fromDollars(0),
        items: [],
      })),
    ];
    await scene.open();
    const before = reads();
    await scene.pass(44 * minute);
    assert.equal(reads() - before, 2);
  });

  it('is not read where nothing costs, no limit is set, or before it is asked for again too soon', async () => {
    scene.limits = { warnPercent: 80, stopsAll: true };
    const window = await scene.open();
    await scene.pass(30 * minute);
    assert.equal(reads(), 0);
    assert.equal(await window.budget.current(), undefined);
    scene.limits = { ...scene.limits, day: fromDollars(30) };
    scene.limitsChanged.fire();
    await window.budget.current();
    assert.equal(reads(), 1);
    await window.budget.current();
    await scene.computer.clock.advance(10 * minute - 1);
    await window.budget.current();
    assert.equal(reads(), 1);
    scene.service.instances = [];
    await window.fleet.refresh();
    // One more list decides that it has ended.
    await scene.pass(minute);
    const last = reads();
    await scene.pass(30 * minute);
    assert.equal(reads(), last);
  });

  it('is read again once it is 10 minutes old, or when the clock of this computer has been set', async () => {
    const window = await scene.open();
    await window.budget.current();
    let known = reads();
    scene.computer.clock.jump(minute);
    await window.budget.current();
    assert.equal(reads(), known, 'a minute is no jump');
    scene.computer.clock.jump(-2 * minute - 1);
    await window.budget.current();
    assert.equal(reads(), ++known, 'set back');
    await scene.computer.clock.advance(10 * minute);
    const old = reads();
    assert.ok(old > known, 'it was old');
  });

  it('is read in one request for all callers at once, and again for callers that need it fresh', async () => {
    const window = await scene.open();
    await scene.pass(30 * minute);
    scene.computer.clock.jump(-10 * minute);
    const before = reads();
    await Promise.all([window.budget.current(), window.budget.current()]);
    assert.equal(reads() - before, 1);
    await window.budget.reread();
    assert.equal(reads() - before, 2);
  });

  it('is at least what is known, where volumes or instances could not be read', async () => {
    const error = new NotReachableError();
    const isAtLeast = async () => {
      const window = await scene.open();
      await window.budget.reread();
      const { now } = window.budget;
      window.close();
      assert.equal(now?.isProved, true, 'machines are stopped all the same');
      return now.parts[0]?.spent.isAtLeast;
    };
    assert.equal(await isAtLeast(), false);
    scene.volumes = { kind: 'failed', error };
    assert.equal(await isAtLeast(), true);
    scene.volumes = { kind: 'ready', value: [], fetchedAt: 0, skipped: 1 };
    assert.equal(await isAtLeast(), true);
    scene.volumes = { kind: 'ready', value: [], fetchedAt: 0 };
    assert.equal(await isAtLeast(), false);
    const { instances } = scene.service.client;
    const list = instances.list.bind(instances);
    instances.list = async (options) => ({ ...(await list(options)), skipped: 1 });
    assert.equal(await isAtLeast(), true);
  });

  it('counts a machine that is gone until its last hours are charged', async () => {
    scene.lagMs = 40 * minute;
    const window = await scene.open();
    await scene.pass(60 * minute);
    const spent = scene.spentToday;
    scene.service.instances = [];
    await window.fleet.refresh();
    // One more list decides that it has ended.
    await scene.pass(minute);
    await window.budget.reread();
    isNearly(dollars(window), spent);
    scene.lagMs = 0;
    scene.distort = (charges) => charges.map((one) => ({ ...one, amount: fromDollars(1.5) }));
    await window.budget.reread();
    isNearly(dollars(window), 1.5);
  });

  it('is not whole before the instances were listed, so that nothing is spent unasked', async () => {
    const window = await scene.open();
    const { fleet } = window;
    const list: { state: Fleet['state'] } = { state: { kind: 'failed', error: new NotReachableError() } };
    const onDidChange = new Emitter<Fleet['state']>();
    const budget = scene.budgetOf(window, {
      get state() {
        return list.state;
      },
      facts: (id) => fleet.facts(id),
      onDidChange: onDidChange.event,
    });
    const unlisted = await budget.current();
    assert.deepEqual([unlisted?.isWhole, unlisted?.isProved], [false, false]);
    list.state = fleet.state;
    onDidChange.fire(list.state);
    const listed = await budget.current();
    assert.deepEqual([listed?.isWhole, listed?.isProved], [true, true]);
  });

  it('is not whole where the charges can’t be read, and is tried again', async () => {
    const window = await scene.open();
    await window.budget.current();
    const { before } = scene.service;
    scene.service.before = (call) => {
      if (call === 'charges.list') {
        throw new NotReachableError();
      }
      return before(call);
    };
    const changes: boolean[] = [];
    window.budget.onDidChange(() => changes.push(window.budget.now?.isWhole === true));
    assert.equal((await window.budget.reread())?.isWhole, false);
    assert.ok(changes.includes(false));
    scene.service.before = before;
    assert.equal((await window.budget.current())?.isWhole, true);
  });

  it('waits 15 seconds at most for a service that hangs', async () => {
    const window = await scene.open();
    await window.budget.current();
    const { before } = scene.service;
    scene.service.before = (call) => (call === 'charges.list' ? new Promise(() => undefined) : before(call));
    let answer: boolean | undefined;
    void window.budget.reread().then((now) => {
      answer = now?.isWhole;
    });
    await scene.computer.clock.advance(15_000 - 1);
    assert.equal(answer, undefined);
    await scene.computer.clock.advance(1);
    assert.equal(answer, false);
  });

  it('forgets what another account spent', async () => {
    const window = await scene.open();
    await window.budget.current();
    assert.ok(dollars(window) >= 0 && window.budget.now);
    await window.accounts.signOut(window.accounts.active?.key ?? '');
    assert.equal(window.budget.now, undefined);
    const before = reads();
    assert.equal(await window.budget.reread(), undefined);
    assert.equal(reads(), before);
  });
});
