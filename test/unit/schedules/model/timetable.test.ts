import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Schedule } from '../../../../src/schedules/model/schedule';
import { endOf, holds, stopOrder, wishOf } from '../../../../src/schedules/model/timetable';

const hour = 3_600_000;
const week = 7 * 24 * hour;
const now = Date.UTC(2026, 10, 29, 7, 20);
const state = { scheduleId: 'a' };
const stopAt = (at: number, more: Partial<Schedule> = {}): Schedule => ({
  id: 'a',
  instanceId: 7,
  action: 'stop',
  term: { kind: 'at', at },
  setAt: now,
  ...more,
});

describe('The order to the timetable of the service', () => {
  it('is for a full hour, never before the agreed time and at most two hours after it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 * 24 * hour }), (ahead) => {
        const wish = wishOf(stopAt(now + ahead), state, { now, aheadMs: 0 });
        if (wish?.kind === 'stop') {
          const start = wish.startTime * 1000;
          assert.equal(start % hour, 0);
          assert.ok(start >= now + ahead && start < now + ahead + 2 * hour);
          // The next hour that has this day and hour is the one that is meant.
          assert.ok(start - now >= 2 * 60_000 && start - now <= week - hour);
        } else {
          assert.ok(wish && ahead > week - 2 * hour);
          assert.ok(wish.from > now && wish.from < now + ahead);
        }
      }),
    );
  });

  it('names the day and the hour in UTC, once', () => {
    assert.deepEqual(stopOrder(7, Date.UTC(2026, 11, 1, 7) / 1000), {
      instanceId: 7,
      endpoint: '/api/v0/instances/7/',
      method: 'PUT',
      body: { state: 'stopped' },
      startTime: 1_796_108_400,
      endTime: 1_796_108_460,
      frequency: 'WEEKLY',
      day: 2,
      hour: 7,
    });
  });

  it('is none for idle time, for a question, after the end, and once the time has passed', () => {
    const times = { now, aheadMs: 0 };
    const at = now + 3 * hour;
    assert.equal(wishOf(stopAt(at, { term: { kind: 'idle', minutes: 30 } }), state, times), undefined);
    assert.equal(wishOf(stopAt(at, { action: 'destroy', isAgreed: true }), state, times), undefined);
    assert.equal(wishOf(stopAt(at, { isOnlyOnInstance: true }), state, times), undefined);
    assert.equal(wishOf(stopAt(at), { ...state, endedAt: now }, times), undefined);
    assert.equal(wishOf(stopAt(now - hour), state, times), undefined);
  });

  it('stays as it is until it has run', () => {
    const at = now + 30 * 60_000;
    const present = Math.ceil(at / hour) * 3600;
    const wish = (later: number) =>
      wishOf(stopAt(at), state, { now: present * 1000 + later, aheadMs: 0, present });
    assert.deepEqual(wish(-60_000), { kind: 'stop', startTime: present });
    assert.deepEqual(wish(60_000), { kind: 'stop', startTime: present });
    assert.equal(wish(6 * 60_000), undefined);
  });

  it('is held only by an entry with the same value in every field', () => {
    const order = stopOrder(7, 1_796_108_400);
    const entry = { ...order, id: 1, minute: 0, status: 'PENDING', lastRun: 0 };
    assert.ok(holds(entry, order));
    const others = [
      ...[{ instanceId: 8 }, { endpoint: '/api/v0/instances/8/' }, { method: 'DELETE' }, { body: {} }],
      ...[{ body: { state: 'stopped', label: 'x' } }, { startTime: 1 }, { endTime: 1 }, { day: 3 }],
      ...[{ frequency: 'HOURLY' }, { hour: 8 }, { minute: 5 }, { lastRun: 1 }, { status: 'FAILED' }],
    ];
    for (const other of others) {
      assert.ok(!holds({ ...entry, ...other }, order), JSON.stringify(other));
    }
  });

  it('is known as ours by its form', () => {
    const order = { ...stopOrder(7, 1_796_108_400), id: 1 };
    assert.equal(endOf(order), 'stop');
    assert.equal(endOf({ ...order, method: 'DELETE', body: {} }), 'destroy');
    const others = [
      ...[{ frequency: 'DAILY' }, { endTime: 1_796_200_000 }, { method: 'POST' }],
      ...[{ endpoint: '/api/v0/instances/reboot/7/' }, { body: { state: 'running' } }],
    ];
    for (const other of others) {
      assert.equal(endOf({ ...order, ...other }), undefined, JSON.stringify(other));
    }
  });
});
