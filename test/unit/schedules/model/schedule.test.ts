import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  fireAt,
  lateMs,
  movedBack,
  readScheduleTime,
  retryAfterMs,
  stateMovedBack,
  stepOf,
  timerSeconds,
  type Schedule,
  type ScheduleAction,
} from '../../../../src/schedules/model/schedule';

const now = Date.UTC(2026, 0, 15, 12);
const minute = 60_000;
const hour = 60 * minute;

const timed = (action: ScheduleAction, at = now + 2 * hour): Schedule => ({
  id: 'aaaaaaaa',
  instanceId: 5001,
  action,
  term: { kind: 'at', at },
  setAt: now,
});
const idle = (minutes: number): Schedule => ({ ...timed('stop'), term: { kind: 'idle', minutes } });
const fresh = { scheduleId: 'aaaaaaaa' };

describe('A schedule', () => {
  it('warns five minutes before, then is carried out on time', () => {
    const schedule = timed('destroy');
    const warned = { ...fresh, warnedAt: now + 115 * minute };
    assert.deepEqual(stepOf(schedule, fresh, now + 114 * minute), { kind: 'wait' });
    assert.deepEqual(stepOf(schedule, fresh, now + 115 * minute), { kind: 'warn' });
    assert.deepEqual(stepOf(schedule, warned, now + 119 * minute), { kind: 'wait' });
    assert.deepEqual(stepOf(schedule, warned, now + 120 * minute), { kind: 'fire', isLate: false });
  });

  it('that is short warns half its time before', () => {
    const schedule = timed('stop', now + 4 * minute);
    assert.deepEqual(stepOf(schedule, fresh, now + minute), { kind: 'wait' });
    assert.deepEqual(stepOf(schedule, fresh, now + 2 * minute), { kind: 'warn' });
  });

  it('leaves the whole time of the warning, if the warning was late', () => {
    const warned = { ...fresh, warnedAt: now + 121 * minute };
    assert.equal(fireAt(timed('destroy'), warned), now + 126 * minute);
    assert.deepEqual(stepOf(timed('destroy'), warned, now + 125 * minute), { kind: 'wait' });
  });

  describe('that destroys a rental as agreed', () => {
    const day = 24 * hour;
    const agreed: Schedule = { ...timed('destroy', now + 7 * day), isAgreed: true, savedAt: now - minute };
    const facts = { stillSince: now };
    const told = { ...fresh, warnedAt: now + 6 * day, isAnnounced: true };

    it('warns a day before, with or without a proof', () => {
      for (const schedule of [agreed, { ...agreed, savedAt: undefined }]) {
        assert.deepEqual(stepOf(schedule, fresh, now + 6 * day - 1, facts), { kind: 'wait' });
        assert.deepEqual(stepOf(schedule, fresh, now + 6 * day, facts), { kind: 'warn' });
        assert.deepEqual(stepOf(schedule, fresh, now + 30 * day, facts), { kind: 'warn' });
      }
    });

    it('destroys a day after the warning only what proved its work saved, was seen stopped since, and was announced', () => {
      const at = now + 7 * day;
      assert.deepEqual(stepOf(agreed, told, at - 1, facts), { kind: 'wait' });
      assert.deepEqual(stepOf(agreed, told, at, facts), { kind: 'fire', isLate: false });
      for (const [schedule, state, known] of [
        [{ ...agreed, savedAt: undefined }, told, facts],
        [agreed, told, {}],
        [agreed, told, { stillSince: now + 5 * minute }],
        [agreed, told, { stillSince: now - 7 * minute }],
        [agreed, { ...told, isAnnounced: false }, facts],
      ] as const) {
        assert.deepEqual(stepOf(schedule, state, at - 1, known), { kind: 'wait' });
        assert.deepEqual(stepOf(schedule, state, at, known), { kind: 'miss' });
      }
    });

    it('asks where no editor was open at its time', () => {
      assert.deepEqual(stepOf(agreed, told, now + 7 * day + lateMs + 1, facts), { kind: 'miss' });
    });
  });

  it('of an idle machine is never carried out before the user wants it', () => {
    const kept: Schedule = { ...idle(30), term: { kind: 'idle', minutes: 30, notBefore: now + 2 * hour } };
    assert.equal(fireAt(kept, { ...fresh, idleSince: now }), now + 2 * hour);
    assert.equal(fireAt(kept, { ...fresh, idleSince: now + 2 * hour }), now + 2.5 * hour);
    assert.deepEqual(movedBack(kept, hour).term, { ...kept.term, notBefore: now + hour });
    assert.deepEqual(timerSeconds(kept.term, now), { seconds: 1820, keptSeconds: 7220 });
  });

  it('never destroys late: the user is asked', () => {
    const late = now + 2 * hour + lateMs + 1;
    assert.deepEqual(stepOf(timed('destroy'), fresh, late), { kind: 'miss' });
    const warned = { ...fresh, warnedAt: now + 115 * minute };
    assert.deepEqual(stepOf(timed('destroy'), warned, late), { kind: 'miss' });
    assert.deepEqual(stepOf(timed('destroy'), { ...warned, missedAt: late }, late + hour), { kind: 'wait' });
    // Also not where it was tried before the editor was closed.
    const tried = { ...warned, attempts: 1, nextTryAt: now + 121 * minute };
    assert.deepEqual(stepOf(timed('destroy'), tried, now + 9 * hour), { kind: 'miss' });
  });

  it('makes up for a stop', () => {
    assert.deepEqual(stepOf(timed('stop'), fresh, now + 9 * hour), { kind: 'fire', isLate: true });
  });

  it('that failed is tried again after its wait', () => {
    const tried = { ...fresh, warnedAt: now + 115 * minute, attempts: 1, nextTryAt: now + 121 * minute };
    assert.deepEqual(stepOf(timed('destroy'), tried, now + 120.5 * minute), { kind: 'wait' });
    assert.deepEqual(stepOf(timed('destroy'), tried, now + 121 * minute), { kind: 'fire', isLate: false });
    assert.deepEqual(
      [1, 2, 3, 5, 50].map(retryAfterMs),
      [1, 2, 4, 15, 15].map((count) => count * minute),
    );
  });

  it('of an idle instance begins with the idleness and waits while it is used', () => {
    assert.deepEqual(stepOf(idle(30), fresh, now + 9 * hour), { kind: 'wait' });
    const since = { ...fresh, idleSince: now };
    assert.deepEqual(stepOf(idle(30), since, now + 24 * minute), { kind: 'wait' });
    assert.deepEqual(stepOf(idle(30), since, now + 25 * minute), { kind: 'warn' });
    const warned = { ...since, warnedAt: now + 25 * minute };
    assert.deepEqual(stepOf(idle(30), warned, now + 30 * minute), { kind: 'fire', isLate: false });
  });

  it('keeps what is left of it when the clock is set back', () => {
    const armed = { ...timed('stop'), armed: { token: 'x', at: now + 2 * hour, provedAt: now } };
    const moved = movedBack(armed, hour);
    assert.deepEqual(
      [moved.setAt, moved.term, moved.armed],
      [now - hour, { kind: 'at', at: now + hour }, { token: 'x', at: now + hour, provedAt: now - hour }],
    );
    assert.deepEqual(stateMovedBack({ ...fresh, warnedAt: now }, hour), { ...fresh, warnedAt: now - hour });
    const counts = { ...idle(30), armed: { token: 'x', provedAt: now } };
    const armedBefore = { token: 'x', provedAt: now - hour };
    assert.deepEqual(movedBack(counts, hour), { ...counts, setAt: now - hour, armed: armedBefore });
  });

  it('never fires a destroy without a whole warning, nor late, at any times', () => {
    const time = fc.integer({ min: 0, max: 10 * hour });
    fc.assert(
      fc.property(time, fc.option(time), time, (span, warned, at) => {
        const schedule = timed('destroy', now + span);
        const state = warned === null ? fresh : { ...fresh, warnedAt: now + warned };
        const step = stepOf(schedule, state, now + at);
        if (step.kind === 'fire') {
          assert.ok(warned !== null && at >= span && at <= Math.max(span, warned + 5 * minute) + lateMs);
          assert.ok(at >= warned + Math.min(5 * minute, span / 2));
        }
      }),
    );
  });
});

describe('The time of a schedule', () => {
  const at = new Date(2026, 0, 15, 17, 0);
  const minutes = (typed: string) => {
    const ms = readScheduleTime(typed, at);
    return ms === undefined ? undefined : ms / minute;
  };

  it('is read as people type it', () => {
    const read: readonly (readonly [string, number])[] = [
      ['90', 90],
      ['90m', 90],
      ['45 min', 45],
      ['2h', 120],
      ['1.5 h', 90],
      ['1,5h', 90],
      ['1h30', 90],
      ['1 h 30 min', 90],
      ['2 days', 2880],
      ['1d 2h', 1560],
      ['18:30', 90],
      ['16:00', 23 * 60],
      ['17:00', 24 * 60],
    ];
    for (const [typed, expected] of read) {
      assert.equal(minutes(typed), expected, typed);
    }
  });

  it('is none for what is no time, none at all, or longer than a month', () => {
    for (const typed of [
      '',
      ' ',
      'soon',
      '0',
      '0.2m',
      '-5',
      '1e3',
      '24:00',
      '12:60',
      '31d',
      '1h 2h',
      'NaN',
    ]) {
      assert.equal(minutes(typed), undefined, typed);
    }
  });
});
