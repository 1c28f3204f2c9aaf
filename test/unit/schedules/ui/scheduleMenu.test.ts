import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { Instance } from '../../../../src/model/instances/instance';
import type { Schedule } from '../../../../src/schedules/model/schedule';
import { ScheduleMenu } from '../../../../src/schedules/ui/scheduleMenu';
import { anInstance } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { FakeQuickPick, rowText } from '../../../support/fakeEditor/quickInput';
import { useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('The menu of a schedule', () => {
  const screen = useScreen();
  const now = new Date(2026, 0, 15, 12).getTime();
  const minute = 60_000;
  const clock = new FakeClock(now);
  const later = { kind: 'at', at: now + 90 * minute } as const;
  let schedule: Schedule | undefined;
  let instance: Instance;
  const list = () => {
    const { current } = screen.quick;
    assert.ok(current instanceof FakeQuickPick);
    return current;
  };
  const rows = () => list().visible().map(rowText);
  const menu = (more: Partial<Schedule> | undefined, on: Partial<Instance> = {}) => {
    screen.quick.current?.leave();
    schedule = more && { ...{ id: 'one', instanceId: 7, action: 'stop', term: later, setAt: now }, ...more };
    instance = anInstance({ id: 7, label: 'trainer', ...on });
    const deps = {
      accounts: { active: { key: 'mine' } },
      clock,
      fleet: { find: () => instance, facts: () => ({}) },
      schedules: { find: () => schedule && { schedule, state: { scheduleId: schedule.id } } },
      report: { error: assert.ifError },
    };
    return new ScheduleMenu(only(deps), { instanceId: 7, account: () => only({}) });
  };
  const open = async (...of: Parameters<typeof menu>) => {
    void menu(...of).show();
    await setImmediate();
    return [...rows(), `> ${list().activeItems.map(rowText).join()}`];
  };
  const pick = async (text: string) => {
    const row = list()
      .visible()
      .find((one) => rowText(one).startsWith(text));
    assert.ok(row, `${text} is not in ${rows().join('\n')}`);
    list().move(row);
    list().accept();
    await setImmediate();
    await setImmediate();
  };
  const type = async (text: string) => {
    list().type(text);
    await setImmediate();
    return rows();
  };

  it('offers each end of a running instance, and no stop of a stopped one', async () => {
    assert.deepEqual(await open(undefined), [
      'Stop After a Time… Storage is kept and still costs $0.120/day.',
      'Stop When Idle… Storage is kept and still costs $0.120/day.',
      'Destroy After a Time… All data on it is lost.',
      'Destroy When Idle… All data on it is lost.',
      '> Stop After a Time… Storage is kept and still costs $0.120/day.',
    ]);
    assert.deepEqual(await open(undefined, { actualStatus: 'exited', intendedStatus: 'stopped' }), [
      'Destroy After a Time… All data on it is lost.',
      'Destroy When Idle… All data on it is lost.',
      '> Destroy After a Time… All data on it is lost.',
    ]);
  });

  it('shows what is set and lets it be changed, as far as it can act', async () => {
    const armed = { token: 't', at: later.at, provedAt: now };
    assert.deepEqual((await open({})).slice(0, 5), [
      'Set: stops 1:30 PM in 1 h 30 min Carried out by: an editor that is open on this computer and signed in to this account',
      'Extend by 1 Hour',
      "Let the Instance Do It… A small timer on the instance acts with the instance's own restricted key, so no editor needs to be open.",
      'Cancel, and Keep It',
      'Stop After a Time… Storage is kept and still costs $0.120/day.',
    ]);
    assert.deepEqual((await open({ term: { kind: 'idle', minutes: 30 } })).slice(0, 3), [
      'Set: stops when idle 30 min Carried out by: an editor that is open on this computer and signed in to this account',
      'Start Counting Again',
      "Let the Instance Do It… A small timer on the instance acts with the instance's own restricted key, so no editor needs to be open.",
    ]);
    assert.deepEqual((await open({ armed })).slice(0, 6), [
      'Set: stops 1:30 PM (armed, checked 12:00 PM) in 1 h 30 min Carried out by: the instance itself at 1:30 PM (verified 12:00 PM), and an open editor before that',
      'Extend by 1 Hour',
      'Check the Timer on the Instance',
      'End the Timer on the Instance After that, only an open editor can act.',
      'Cancel, and Keep It',
      'Stop After a Time… Storage is kept and still costs $0.120/day.',
    ]);
    assert.deepEqual((await open({ armed, isOnlyOnInstance: true })).slice(0, 4), [
      'Set: stops itself at 1:30 PM (armed, checked 12:00 PM) in 1 h 30 min Carried out by: the instance itself: its own timer could not be ended',
      'Check the Timer on the Instance',
      'End the Timer on the Instance After that, only an open editor can act.',
      'Cancel, and Keep It',
    ]);
    assert.deepEqual((await open({ term: { kind: 'at', at: now - minute } })).slice(0, 4), [
      'Set: stops 11:59 AM Carried out by: an editor that is open on this computer and signed in to this account',
      'Extend by 1 Hour',
      'Cancel, and Keep It',
      'Stop After a Time… Storage is kept and still costs $0.120/day.',
    ]);
  });

  it('proposes times, and accepts what is typed', async () => {
    await open(undefined);
    await pick('Stop After a Time');
    assert.deepEqual(rows(), [
      'In 30 min 12:30 PM',
      'In 1 h 1:00 PM',
      'In 2 h 2:00 PM',
      'In 4 h 4:00 PM',
      'In 8 h 8:00 PM',
      'In 1 d Fri, Jan 16, 12:00 PM',
    ]);
    assert.deepEqual(await type('90m'), ['In 1 h 30 min 1:30 PM']);
    assert.deepEqual(await type('18:30'), ['In 6 h 30 min 6:30 PM']);
    assert.deepEqual(await type('soon'), [
      'Enter a time from 1 minute to 30 days, such as 90m, 2h or 18:30.',
    ]);
    await open(undefined);
    await pick('Destroy When Idle');
    assert.deepEqual(rows(), [
      'Idle for 15 min',
      'Idle for 30 min',
      'Idle for 1 h',
      'Idle for 2 h',
      'What counts as idle Idle means: no remote window, terminal, forwarded port, transfer, command or job of GPU Rental uses it on this computer, no cell of a notebook runs there, and its GPU use is under 5 % where it is reported.',
    ]);
    assert.deepEqual((await type('45m')).slice(0, 1), ['Idle for 45 min']);
  });

  it('asks until when it is kept, or whether it ends at all', async () => {
    void menu({ isAgreed: true, term: { kind: 'idle', minutes: 30 } }).showKeep();
    await setImmediate();
    assert.equal(list().title, 'Keep Until: trainer');
    assert.deepEqual(rows().slice(0, 2), ['In 2 h 2:00 PM', 'In 4 h 4:00 PM']);
    assert.equal(rows().at(-1), 'Cancel, and Keep It');
    assert.deepEqual(await type('18:30'), ['In 6 h 30 min 6:30 PM']);
  });
});
