import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import type { Schedule, ScheduleState } from '../../../../src/schedules/model/schedule';
import { scheduleNotice, noticeOf } from '../../../../src/schedules/store/scheduleNotice';
import { text } from '../../../../src/util/text';
import { anInstance } from '../../../support/builders';

const now = Date.UTC(2026, 0, 15, 23, 59);
const day = 86_400_000;
const schedule: Schedule = {
  ...{ id: 'aa', instanceId: 5001, action: 'stop', setAt: 0 },
  term: { kind: 'idle', minutes: 45 },
  armed: { token: 'ab', provedAt: 0 },
};
const instance = anInstance({ id: 5001, totalPerHour: fromDollars(1), storagePerHour: fromDollars(0.1) });

describe('The message about a schedule', () => {
  it('states how long an instance was idle, and what it costs if that is known', () => {
    const of = (change: Partial<Schedule>, about: typeof instance | undefined) =>
      scheduleNotice.parse(
        noticeOf('a', { schedule: { ...schedule, ...change }, state: { scheduleId: 'aa' } }, 'soon', {
          instance: about,
          now,
        }).data,
      );
    const idle = of({}, instance);
    assert.deepEqual([idle.idleMinutes, idle.at], [45, now]);
    assert.ok(idle.diskPerDay !== undefined && idle.runningPerHour !== undefined);
    const timed = of({ term: { kind: 'at', at: 7 } }, undefined);
    assert.deepEqual(
      [timed.idleMinutes, timed.at, timed.name, timed.diskPerDay, timed.runningPerHour],
      [undefined, 7, '#5001', undefined, undefined],
    );
  });

  for (const [kinds, isAgain] of [
    [
      ['missed', 'unwatched', 'silent'],
      [true, false, false],
    ],
    [
      ['soon', 'failed'],
      [false, true, false],
    ],
    [['timerGone'], [false, false, true]],
    [
      ['stopped', 'stoppedItself', 'destroyed', 'gone'],
      [false, false, false],
    ],
  ] as const) {
    it(`is repeated ${isAgain.some(Boolean) ? 'for its own reason alone' : 'for no reason'}: ${kinds.join()}`, () => {
      for (const kind of kinds) {
        const key = (at: number, state: Partial<ScheduleState>, token: string) =>
          noticeOf(
            'a',
            {
              schedule: { ...schedule, armed: { token, provedAt: 0 } },
              state: { scheduleId: 'aa', ...state },
            },
            kind,
            { instance, now: at },
          ).key;
        const first = key(now, {}, 'ab');
        assert.equal(key(now + 59_999, {}, 'ab'), first);
        const others = [
          key(now + 60_000, {}, 'ab'),
          key(now, { warnedAt: now - day }, 'ab'),
          key(now, {}, 'cd'),
        ];
        assert.deepEqual(
          others.map((other) => other !== first),
          isAgain,
        );
      }
    });
  }

  it('of another window has a sentence as its problem, or none', () => {
    const row = { schedule, state: { scheduleId: 'aa' } };
    const { data } = noticeOf('a', row, 'failed', { instance, now, problem: text('The disk is full.') });
    const isTaken = (problem: unknown) => scheduleNotice.safeParse({ ...(data as object), problem }).success;
    assert.deepEqual([text('The disk is full.'), undefined, 'The disk is full.', null, {}].map(isTaken), [
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
