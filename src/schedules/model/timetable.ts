import type { TimetableEntry, TimetableOrder } from '../../model/instances/timetable';
import { isAgreedDestroy, type Schedule, type ScheduleState } from './schedule';

const hourMs = 3_600_000;
const minuteMs = 60_000;
const weekMs = 7 * 24 * hourMs;
/** An order that arrives after its hour began would wait for a week. */
const leastAheadMs = 2 * minuteMs;
/** Less than a week by an hour: an entry for the hour that has begun may run at once. */
const mostAheadMs = weekMs - hourMs;
/** The service acts up to half a minute late; an entry is not deleted before. */
const runningMs = 5 * minuteMs;

/** What the service should do for a schedule: stop at a full hour (Unix seconds), or nothing yet. */
export type TimetableWish =
  { readonly kind: 'stop'; readonly startTime: number } | { readonly kind: 'later'; readonly from: number };

/**
 * Returns what the timetable of the service should hold. It only ever stops, also in place of a destroy
 * (docs/decisions/0053-the-timetable-of-the-service-only-stops.md). `present` is the time of an entry that there is
 * (Unix seconds). All times are those of the service's clock, which this computer's is ahead of by `aheadMs`.
 */
export function wishOf(
  schedule: Schedule,
  state: ScheduleState,
  { now, aheadMs, present }: { readonly now: number; readonly aheadMs: number; readonly present?: number },
): TimetableWish | undefined {
  const { term } = schedule;
  if (
    term.kind !== 'at' ||
    isAgreedDestroy(schedule) ||
    schedule.isOnlyOnInstance === true ||
    state.endedAt !== undefined
  ) {
    return undefined;
  }
  const first = Math.ceil((term.at - aheadMs) / hourMs) * hourMs;
  const there = now - aheadMs;
  const presentMs = (present ?? 0) * 1000;
  if ((presentMs === first || presentMs === first + hourMs) && there < presentMs + runningMs) {
    return { kind: 'stop', startTime: presentMs / 1000 };
  }
  if (first < there) {
    return undefined;
  }
  const start = first - there < leastAheadMs ? first + hourMs : first;
  return start - there > mostAheadMs
    ? { kind: 'later', from: start - mostAheadMs + aheadMs }
    : { kind: 'stop', startTime: start / 1000 };
}

/** Returns the one form that is safe: weekly, at one hour that is less than a week ahead, with an end right after. */
export function stopOrder(instanceId: number, startTime: number): TimetableOrder {
  const start = new Date(startTime * 1000);
  return {
    instanceId,
    endpoint: endpointOf(instanceId),
    method: 'PUT',
    body: { state: 'stopped' },
    startTime,
    endTime: startTime + 60,
    frequency: 'WEEKLY',
    day: start.getUTCDay(),
    hour: start.getUTCHours(),
  };
}

function endpointOf(instanceId: number): string {
  return `/api/v0/instances/${instanceId}/`;
}

/** Returns whether the service holds exactly this order, and has neither run it nor failed. */
export function holds(entry: TimetableEntry, order: TimetableOrder): boolean {
  return (
    entry.instanceId === order.instanceId &&
    entry.endpoint === order.endpoint &&
    entry.method === order.method &&
    isStopBody(entry.body) &&
    entry.startTime === order.startTime &&
    entry.endTime === order.endTime &&
    entry.frequency === order.frequency &&
    entry.day === order.day &&
    entry.hour === order.hour &&
    (entry.minute ?? 0) === 0 &&
    (entry.lastRun ?? 0) === 0 &&
    !/fail|error|cancel/i.test(entry.status ?? '')
  );
}

/** The service keeps one entry for an instance, an endpoint and a method. */
export function isSameCall(entry: TimetableEntry, instanceId: number): boolean {
  return (
    entry.instanceId === instanceId && entry.endpoint === endpointOf(instanceId) && entry.method === 'PUT'
  );
}

/** Returns what an entry does, if it has the form of ours: it ends one instance at one time. */
export function endOf(entry: TimetableEntry): 'stop' | 'destroy' | undefined {
  const { instanceId = 0, startTime = 0 } = entry;
  const isOnce = entry.frequency === 'WEEKLY' && entry.endTime === startTime + 60;
  if (!isOnce || entry.endpoint !== endpointOf(instanceId)) {
    return undefined;
  }
  return entry.method === 'DELETE'
    ? 'destroy'
    : entry.method === 'PUT' && isStopBody(entry.body)
      ? 'stop'
      : undefined;
}

function isStopBody(body: unknown): boolean {
  return (
    typeof body === 'object' &&
    body !== null &&
    'state' in body &&
    body.state === 'stopped' &&
    Object.keys(body).length === 1
  );
}
