import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { fromDollars } from '../../../../src/model/money';
import type { Schedule, ScheduleState } from '../../../../src/schedules/model/schedule';
import type { ScheduleNotice } from '../../../../src/schedules/store/scheduleNotice';
import type { ScheduleDeps } from '../../../../src/schedules/ui/deps';
import { registerNotifications } from '../../../../src/schedules/ui/scheduleNotifications';
import { scheduleNote, willText } from '../../../../src/schedules/ui/scheduleText';
import { text } from '../../../../src/util/text';
import { anInstance } from '../../../support/builders';
import { FakeEventEmitter } from '../../../support/fakeEditor/events';
import { textsOn, useScreen } from '../../../support/onScreen';

/** Noon of the user's own day, so that times read the same in every zone. */
const now = new Date(2026, 0, 15, 12).getTime();
const minute = 60_000;
const scheduleOf = (more: Partial<Schedule> = {}): Schedule => ({
  ...{ id: 'one', instanceId: 7, action: 'stop', term: { kind: 'at', at: now + 60 * minute }, setAt: now },
  ...more,
});
const idle = { term: { kind: 'idle', minutes: 30 } } as const;
const destroy = { action: 'destroy' } as const;
const armed = (more: Partial<NonNullable<Schedule['armed']>> = {}): Partial<Schedule> => ({
  armed: { token: 't', at: now + 61 * minute, provedAt: now - minute, ...more },
});
const alone = { isOnlyOnInstance: true } as const;

/** Who carries out a schedule that no timer on the machine does. */
const editor = 'an editor that is open on this computer and signed in to this account';

describe('The row of a schedule', () => {
  const table: readonly (readonly [
    row: string,
    by: string,
    schedule: Partial<Schedule>,
    state?: Partial<ScheduleState>,
  ])[] = [
    ['stops 1:00 PM', editor, {}],
    ['destroyed 1:00 PM', editor, destroy],
    ['stops when idle 30 min', editor, idle],
    ['destroyed when idle 30 min', editor, { ...idle, ...destroy }],
    ['stops 12:20 PM if it stays idle', editor, idle, { idleSince: now - 10 * minute }],
    [
      'destroyed 12:20 PM if it stays idle',
      editor,
      { ...idle, ...destroy },
      { idleSince: now - 10 * minute },
    ],
    ['being stopped', editor, {}, { actingSince: now, nextTryAt: now + minute }],
    ['being destroyed', editor, destroy, { actingSince: now, nextTryAt: now + minute }],
    ['could not be stopped, next try 12:01 PM', editor, {}, { nextTryAt: now + minute }],
    ['could not be destroyed, next try 12:01 PM', editor, destroy, { nextTryAt: now + minute }],
    [
      'was scheduled to be destroyed 11:51 AM',
      editor,
      { ...destroy, term: { kind: 'at', at: now - 9 * minute } },
      { missedAt: now - minute },
    ],
    [
      'stops 1:00 PM (armed, checked 11:59 AM)',
      'the instance itself at 1:01 PM (verified 11:59 AM), and an open editor before that',
      armed(),
    ],
    [
      'stops when idle 30 min (armed, checked 11:59 AM)',
      'the instance itself once it is idle for 30 min (verified 11:59 AM), and an open editor before that',
      { ...idle, ...armed({ at: undefined }) },
    ],
    [
      'stops 1:00 PM, but the instance destroys itself at 1:01 PM',
      'an editor that is open on this computer and signed in to this account. Its own timer could not be ended: the instance destroys itself at 1:01 PM',
      armed({ action: 'destroy' }),
    ],
    [
      'destroyed 1:00 PM, but the instance stops itself at 1:01 PM',
      'an editor that is open on this computer and signed in to this account. Its own timer could not be ended: the instance stops itself at 1:01 PM',
      { ...destroy, ...armed({ action: 'stop' }) },
    ],
    [
      'stops itself at 1:01 PM (armed, checked 11:59 AM)',
      'the instance itself: its own timer could not be ended',
      { ...alone, ...armed() },
    ],
    [
      'destroys itself at 1:01 PM (armed, checked 11:59 AM)',
      'the instance itself: its own timer could not be ended',
      { ...alone, ...destroy, ...armed() },
    ],
  ];

  for (const [row, by, schedule, state] of table) {
    it(`is “${row}”, by ${by}`, () => {
      const note = scheduleNote(
        { schedule: scheduleOf(schedule), state: { scheduleId: 'one', ...state } },
        now,
      );
      assert.deepEqual([note.row, note.lines()[1]?.[1]], [row, by]);
    });
  }

  it('and the answer to a change have the same words for both actions', () => {
    assert.deepEqual(
      [{}, destroy, idle, { ...idle, ...destroy }].map((one) => willText(scheduleOf(one), now)),
      [
        'will be stopped at 1:00 PM',
        'will be destroyed at 1:00 PM',
        'will be stopped once it has been idle for 30 min',
        'will be destroyed once it has been idle for 30 min',
      ],
    );
    const kept = scheduleOf({ term: { kind: 'idle', minutes: 30, notBefore: now + 120 * minute } });
    assert.equal(willText(kept, now), 'stops 2:00 PM if it stays idle');
  });
});

describe('The message about a schedule', () => {
  const screen = useScreen();
  const posted = new FakeEventEmitter<object>();
  let schedule: Schedule | undefined;
  registerNotifications({
    accounts: {
      active: { key: 'mine' },
      known: () => Promise.resolve([{ key: 'other', name: 'second account' }]),
    },
    clock: { now: () => now },
    fleet: { find: () => anInstance(), facts: () => ({ stoppedAt: now - 7 * 1440 * minute }) },
    schedules: {
      ready: Promise.resolve(),
      find: () => schedule && { schedule, state: { scheduleId: schedule.id } },
    },
    notices: { onDidPost: posted.event },
    oneWindow: { offer: (_: string, run: () => unknown) => run() },
  } as unknown as ScheduleDeps);
  const said = async (notice: Partial<ScheduleNotice>, accountKey = 'mine') => {
    const usual = { instanceId: 7, name: 'trainer', scheduleId: 'one', action: 'stop', at: now + 5 * minute };
    posted.fire({ key: 'k', kind: 'schedule', accountKey, data: { ...usual, ...notice } });
    await setImmediate();
    await setImmediate();
    return textsOn(screen).join('\n');
  };
  const price = { diskPerDay: fromDollars(0.12), runningPerHour: fromDollars(0.57) };
  const table: readonly (readonly [said: string, notice: Partial<ScheduleNotice>])[] = [
    [
      'warning trainer will be stopped in 5 min, at 12:05 PM. [Extend by 1 Hour, Cancel, and Keep It]',
      { kind: 'soon' },
    ],
    [
      'warning trainer will be destroyed in 5 min, at 12:05 PM. All data on it is lost. It has been idle since 11:35 AM. [Start Counting Again, Cancel, and Keep It]',
      { kind: 'soon', ...destroy, idleMinutes: 30 },
    ],
    [
      'warning trainer will be stopped in 10 min, at 12:10 PM. It has been idle since 11:40 AM. [Keep 2 h, Keep Until…, Download…]',
      { kind: 'soon', isAgreed: true, idleMinutes: 30, at: now + 10 * minute },
    ],
    [
      'warning trainer will be destroyed in 1 d, at Fri, Jan 16, 12:00 PM. All data on it is lost. It had no unsaved work when it was stopped. [Keep 2 h, Keep Until…]',
      { kind: 'soon', ...destroy, isAgreed: true, at: now + 1440 * minute },
    ],
    [
      'info trainer is stopped, as scheduled. Storage still costs $0.120/day. [Start…, Destroy…]',
      { kind: 'stopped', ...price },
    ],
    [
      'info trainer was scheduled to stop at 11:00 AM, when no editor was open or the computer was asleep. It is now stopped, and storage still costs $0.120/day. [Start…, Destroy…]',
      { kind: 'stopped', isLate: true, at: now - 60 * minute, ...price },
    ],
    [
      'info trainer is destroyed, as scheduled. The service no longer lists it. []',
      { kind: 'destroyed', ...destroy },
    ],
    ['info trainer was to be stopped, and the service no longer lists it. []', { kind: 'gone' }],
    [
      'warning trainer has not ended yet and still costs money. Retrying… The service accepted the request but still shows the instance unchanged. [Cancel, and Keep It]',
      { kind: 'failed' },
    ],
    [
      'warning trainer has not ended yet and still costs money. Retrying… The service refused it. [Cancel, and Keep It]',
      { kind: 'failed', ...destroy, problem: text('The service refused it.') },
    ],
    [
      'warning trainer was scheduled to be destroyed at 11:00 AM, but was not destroyed in time: no editor was open, or the computer was asleep. It still exists and costs money. [Destroy…, Extend by 1 Hour, Cancel, and Keep It]',
      { kind: 'missed', ...destroy, at: now - 60 * minute },
    ],
    [
      'warning trainer has been stopped for 7 d, and storage still costs $0.120/day. Destroy it? [Destroy…, Keep for 7 Days, Cancel, and Keep It]',
      { kind: 'missed', ...destroy, isAgreed: true, ...price },
    ],
    [
      'warning The timer on trainer has ended. The scheduled stop now needs an editor that is open on this computer and signed in to this account. [Arm Again]',
      { kind: 'timerGone' },
    ],
    [
      'warning The timer on trainer has ended. The scheduled destruction now needs an editor that is open on this computer and signed in to this account. [Arm Again]',
      { kind: 'timerGone', ...destroy },
    ],
    [
      'warning trainer did not stop when idle: its Jupyter server does not answer, so a cell may be running. It costs $0.570/h. [Stop…, Cancel, and Keep It]',
      { kind: 'silent', ...price },
    ],
    [
      'warning trainer was not destroyed when idle: its Jupyter server does not answer, so a cell may be running. It costs a price that the service does not state. [Stop…, Cancel, and Keep It]',
      { kind: 'silent', ...destroy },
    ],
    [
      'warning trainer may not stop when idle, because the list of its account could not be read. You are still charged for it. []',
      { kind: 'unwatched' },
    ],
    [
      'warning trainer may not be destroyed when idle, because the list of its account could not be read. You are still charged for it. []',
      { kind: 'unwatched', ...destroy },
    ],
  ];

  for (const [words, notice] of table) {
    it(`at ${JSON.stringify(notice.kind)}: ${words}`, async () => {
      schedule = scheduleOf();
      assert.equal(await said(notice), words);
    });
  }

  it('is empty if an answer is needed and the schedule has changed, and an end is shown all the same', async () => {
    schedule = scheduleOf({ id: 'newer' });
    for (const kind of ['soon', 'failed', 'missed', 'timerGone', 'silent'] as const) {
      assert.equal(await said({ kind }), '', kind);
    }
    assert.match(await said({ kind: 'stopped' }), /trainer is stopped/);
    schedule = undefined;
    assert.match(await said({ kind: 'gone' }), /no longer lists it/);
  });

  it('changes nothing by a button that is pressed once the schedule has changed', async () => {
    schedule = scheduleOf();
    const before = screen.messages.history.length;
    posted.fire({
      ...{ key: 'k', kind: 'schedule', accountKey: 'mine' },
      data: { kind: 'missed', instanceId: 7, name: 'trainer', scheduleId: 'one', action: 'destroy', at: now },
    });
    await setImmediate();
    const shown = screen.messages.history.slice(before)[0];
    schedule = scheduleOf({ id: 'newer' });
    shown?.press('Cancel, and Keep It');
    await setImmediate();
    assert.match(textsOn(screen).at(-1) ?? '', /^info trainer has already changed\./);
  });

  it('offers no new timer if the machine could not run it', async () => {
    schedule = scheduleOf({ term: { kind: 'at', at: now - minute } });
    assert.match(await said({ kind: 'timerGone' }), /\[\]$/);
  });

  it('names the account where it is another one, and leads there', async () => {
    assert.equal(
      await said({ kind: 'destroyed', ...destroy }, 'other'),
      'info trainer of second account is destroyed, as scheduled. The service no longer lists it. [Switch Account…]',
    );
    assert.equal(await said({ kind: 'destroyed', ...destroy }, 'gone'), '');
  });
});
