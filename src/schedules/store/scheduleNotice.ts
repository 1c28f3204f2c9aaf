import * as z from 'zod';
import type { Instance } from '../../model/instances/instance';
import { stoppedCostPerDay } from '../../model/instances/instanceCost';
import { instanceName } from '../../model/instances/instanceLabel';
import { costPerHour } from '../../model/instances/instanceState';
import { micros } from '../../model/money';
import type { Notice } from '../../store/windows/notices';
import type { Text } from '../../util/text';
import { fireAt, type Schedule, type ScheduleState } from '../model/schedule';
import type { ScheduleRow } from './scheduleFiles';

/** The data of a notice about a schedule. */
export const scheduleNotice = z.object({
  kind: z.enum([
    'soon',
    'stopped',
    /** Its own timer was set to, and no request of ours was sent. */
    'stoppedItself',
    'destroyed',
    'gone',
    'failed',
    'missed',
    'timerGone',
    'unwatched',
    'silent',
  ]),
  instanceId: z.number(),
  name: z.string(),
  scheduleId: z.string(),
  action: z.enum(['stop', 'destroy']),
  /** When the schedule is or was due; milliseconds since 1970. */
  at: z.number(),
  /** True if the user is asked for the first time. */
  isAgreed: z.boolean().optional(),
  /** True if it was carried out late. */
  isLate: z.boolean().optional(),
  idleMinutes: z.number().optional(),
  /** What its disk still costs per day; absent if unknown. */
  diskPerDay: micros.optional(),
  /** What it costs while it runs; absent if that is unknown. */
  runningPerHour: micros.optional(),
  problem: z
    .custom<Text>((value) => typeof value === 'object' && value !== null && 'template' in value)
    .optional(),
});
export type ScheduleNotice = z.infer<typeof scheduleNotice>;
export const scheduleNoticeKind = 'schedule';

const dayMs = 86_400_000;

/** Returns the notice about a schedule that was or will be carried out. */
export function noticeOf(
  accountKey: string,
  { schedule, state }: ScheduleRow,
  kind: ScheduleNotice['kind'],
  {
    instance,
    now,
    ...more
  }: { readonly instance: Instance | undefined; readonly now: number } & Pick<
    ScheduleNotice,
    'isLate' | 'problem'
  >,
): Notice {
  const { id, instanceId, action, term } = schedule;
  const data: ScheduleNotice = {
    kind,
    instanceId,
    name: instance ? instanceName(instance) : `#${instanceId}`,
    scheduleId: id,
    action,
    at: fireAt(schedule, state) ?? now,
    idleMinutes: term.kind === 'idle' ? term.minutes : undefined,
    isAgreed: schedule.isAgreed,
    diskPerDay: instance && stoppedCostPerDay(instance),
    runningPerHour: instance && costPerHour(instance, 'running'),
    ...more,
  };
  const key = `${accountKey}:schedule:${id}:${kind}:${turnOf(schedule, state, kind, now)}`;
  return { key, accountKey, kind: scheduleNoticeKind, data };
}

/**
 * Returns a value that changes when a notice should be shown again: a question on
 * another day, a warning for another time, and its outcome.
 */
function turnOf(
  { armed }: Schedule,
  { warnedAt }: ScheduleState,
  kind: ScheduleNotice['kind'],
  now: number,
): string | number {
  switch (kind) {
    case 'missed':
    case 'unwatched':
    case 'silent':
      return Math.floor(now / dayMs);
    case 'soon':
    case 'failed':
      return warnedAt ?? '';
    case 'timerGone':
      return armed?.token ?? '';
    case 'stopped':
    case 'stoppedItself':
    case 'destroyed':
    case 'gone':
      return '';
  }
}
