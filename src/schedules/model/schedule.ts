import type { Instance } from '../../model/instances/instance';
import { startCauseOf, type InstanceFacts, type OwnRequest } from '../../model/instances/instanceState';
import { dayMs, minuteMs } from '../../model/rentals/agreedEnd';
import { defined } from '../../util/defined';
import { isWithin } from '../../util/duration';

/** What happens to an instance when its schedule is due. */
export type ScheduleAction = 'stop' | 'destroy';

/** When a schedule is due: at a time (ms since 1970), or after the instance was idle for some minutes. */
export type ScheduleTerm =
  | { readonly kind: 'at'; readonly at: number }
  /** `notBefore`: until when the user keeps it in any case. */
  | { readonly kind: 'idle'; readonly minutes: number; readonly notBefore?: number | undefined };

/** The timer on the machine that enforces the schedule without an editor, as far as it has been verified. */
export interface ArmedTimer {
  /** Identifies the process on the machine. */
  readonly token: string;
  /** When the machine acts by itself, by this computer's clock (ms since 1970); absent if it counts its idle time. */
  readonly at?: number | undefined;
  /** When its process was last seen alive and its key was accepted. */
  readonly provedAt: number;
  /** Its start was not confirmed at that time, so that it may run. */
  readonly isDoubtful?: boolean | undefined;
  /** The timer's action, if the schedule has changed since and the timer could not be ended. */
  readonly action?: ScheduleAction | undefined;
}

/** The user's request to stop or destroy an instance later. */
export interface Schedule {
  /** Changes with each edit, so that leftovers of an older version can be recognized. */
  readonly id: string;
  readonly instanceId: number;
  readonly action: ScheduleAction;
  readonly term: ScheduleTerm;
  readonly setAt: number;
  readonly armed?: ArmedTimer | undefined;
  /** Follows from the end that was agreed with the rental, and is replaced when the instance is stopped or started. */
  readonly isAgreed?: boolean;
  /** When its machine showed nothing unsaved, right before an editor stopped it (ms since 1970). */
  readonly savedAt?: number | undefined;
  /** The user canceled the schedule, but the timer on the instance could not be ended. No editor carries it out. */
  readonly isOnlyOnInstance?: boolean;
}

/** The progress of a schedule, written by the window that carries it out. Times are milliseconds since 1970. */
export interface ScheduleState {
  readonly scheduleId: string;
  /** Since when the instance has been idle without a break; missing while it is in use. */
  readonly idleSince?: number | undefined;
  readonly warnedAt?: number;
  /** The warning said that it is destroyed without a question. */
  readonly isAnnounced?: boolean;
  /** When it was found overdue: no editor was open, or the computer slept. Nothing is destroyed late without asking. */
  readonly missedAt?: number;
  /** When its instance was proved to be gone. The schedule is kept for another day, in case the service was wrong. */
  readonly endedAt?: number | undefined;
  /** The number of failed tries, and when the next one is due. */
  readonly attempts?: number;
  readonly nextTryAt?: number | undefined;
  /** Since when a window has been carrying it out. */
  readonly actingSince?: number | undefined;
  /** When the request was sent to the service; absent again once the service refused it. */
  readonly sentAt?: number | undefined;
}

/** How long before the action the user is warned; half of the time if the schedule is shorter. */
const warnBeforeMs = 5 * minuteMs;
/** The same for an end that the user has not set on this instance. */
const warnOfAgreedMs = 10 * minuteMs;
/** An action that is later than this was missed, because the editor was closed or the computer slept. */
export const lateMs = 2 * minuteMs;

/** The timer acts this much later, so that an open editor acts and reports first (ms). */
export const machineLaterMs = 20_000;

export interface TimerSeconds {
  readonly seconds: number;
  readonly keptSeconds?: number;
}

/** Returns for how long a timer waits that is started now, and how long it keeps its machine in any case. */
export function timerSeconds(term: ScheduleTerm, now: number): TimerSeconds {
  const until = (at: number) => (at - now + machineLaterMs) / 1000;
  return term.kind === 'at'
    ? { seconds: until(term.at) }
    : {
        seconds: until(now + term.minutes * minuteMs),
        keptSeconds: Math.max(0, until(term.notBefore ?? now)),
      };
}

/** How long a timer on an instance counts kernels as use although their server does not answer (ms). */
export const silentKernelMs = 2 * 3_600_000;

/**
 * Returns when the schedule is due as things stand, or `undefined` while an instance with an idle schedule is in use.
 */
export function dueAt({ term }: Schedule, state: ScheduleState): number | undefined {
  if (term.kind === 'at') {
    return term.at;
  }
  return state.idleSince === undefined
    ? undefined
    : Math.max(state.idleSince + term.minutes * minuteMs, term.notBefore ?? 0);
}

function leadMs(schedule: Schedule): number {
  if (isAgreedDestroy(schedule)) {
    return dayMs;
  }
  const { term, setAt, isAgreed } = schedule;
  const wholeMs = term.kind === 'at' ? term.at - setAt : term.minutes * minuteMs;
  return Math.min(isAgreed === true ? warnOfAgreedMs : warnBeforeMs, Math.max(0, wholeMs) / 2);
}

/** Returns when the schedule is carried out: never earlier than the warning announced. */
export function fireAt(schedule: Schedule, state: ScheduleState): number | undefined {
  const due = dueAt(schedule, state);
  if (due === undefined || state.warnedAt === undefined) {
    return due;
  }
  return Math.max(due, state.warnedAt + leadMs(schedule));
}

/** Of a machine that rests, which no rental ends without a proof or a question. */
export function isAgreedDestroy({ action, isAgreed }: Schedule): boolean {
  return isAgreed === true && action === 'destroy';
}

/** A stop that its list shows this late is still the one before which the machine was asked (ms). */
const savedForMs = 5 * minuteMs;

/**
 * Returns whether the user is asked once it is due. A stopped machine can't show whether work on it is saved, so that must
 * have been proved right before an editor stopped it, and no list may have missed a run since.
 */
export function asksFirst(schedule: Schedule, { stillSince }: Pick<InstanceFacts, 'stillSince'>): boolean {
  const { savedAt } = schedule;
  const isProved =
    savedAt !== undefined && stillSince !== undefined && isWithin(savedForMs, savedAt, stillSince);
  return isAgreedDestroy(schedule) && !isProved;
}

export type ScheduleStep =
  | { readonly kind: 'wait' }
  | { readonly kind: 'warn' }
  | { readonly kind: 'fire'; readonly isLate: boolean }
  /** The user is asked, because nothing is destroyed late automatically. */
  | { readonly kind: 'miss' };

/** Returns the next step. A missed stop is made up for, because it loses no data and ends most of the cost. */
export function stepOf(
  schedule: Schedule,
  state: ScheduleState,
  now: number,
  facts: Pick<InstanceFacts, 'stillSince'> = {},
): ScheduleStep {
  const at = fireAt(schedule, state);
  if (state.missedAt !== undefined || at === undefined || schedule.isOnlyOnInstance === true) {
    return { kind: 'wait' };
  }
  if (isAgreedDestroy(schedule)) {
    if (state.warnedAt === undefined) {
      return now < at - leadMs(schedule) ? { kind: 'wait' } : { kind: 'warn' };
    }
    if (state.isAnnounced !== true || asksFirst(schedule, facts)) {
      return now < at ? { kind: 'wait' } : { kind: 'miss' };
    }
  }
  const isTried = state.nextTryAt !== undefined;
  const time = state.nextTryAt ?? at;
  if (now > time + lateMs) {
    return schedule.action === 'destroy' ? { kind: 'miss' } : { kind: 'fire', isLate: !isTried };
  }
  if (isTried) {
    return now < time ? { kind: 'wait' } : { kind: 'fire', isLate: false };
  }
  if (state.warnedAt === undefined) {
    return now < at - leadMs(schedule) ? { kind: 'wait' } : { kind: 'warn' };
  }
  return now < at ? { kind: 'wait' } : { kind: 'fire', isLate: false };
}

/**
 * Shifts the times after the clock was set back, so that the remaining time stays the same. A clock set forward looks
 * like a sleep, in which time did pass.
 */
export function movedBack<T extends Schedule>(schedule: T, byMs: number): T {
  const { term, armed } = schedule;
  return {
    ...schedule,
    setAt: schedule.setAt - byMs,
    term:
      term.kind === 'at'
        ? { ...term, at: term.at - byMs }
        : defined<ScheduleTerm>({
            ...term,
            notBefore: term.notBefore === undefined ? undefined : term.notBefore - byMs,
          }),
    ...(armed ? { armed: timerMovedBack(armed, byMs) } : {}),
  };
}

function timerMovedBack(armed: ArmedTimer, byMs: number): ArmedTimer {
  const { at, provedAt } = armed;
  return { ...armed, ...(at === undefined ? {} : { at: at - byMs }), provedAt: provedAt - byMs };
}

/** Shifts the state of the same schedule like `movedBack`. */
export function stateMovedBack(state: ScheduleState, byMs: number): ScheduleState {
  const back = (at: number | undefined) => (at === undefined ? undefined : at - byMs);
  return defined<ScheduleState>({
    ...state,
    idleSince: back(state.idleSince),
    warnedAt: back(state.warnedAt),
    missedAt: back(state.missedAt),
    endedAt: back(state.endedAt),
    nextTryAt: back(state.nextTryAt),
    actingSince: back(state.actingSince),
    sentAt: back(state.sentAt),
  });
}

/** Returns the pause after failed tries (ms): a minute, doubled each time, at most 15 minutes. */
export function retryAfterMs(attempts: number): number {
  return Math.min(15, 2 ** Math.max(0, attempts - 1)) * minuteMs;
}

/** The longest time that a window needs to carry out a schedule. After that, the window must be gone. */
export const actingMs = 3 * minuteMs;

/** Returns whether a window carries the schedule out now. A window that was killed leaves only its last note. */
export function isBeingCarriedOut({ actingSince, missedAt, nextTryAt }: ScheduleState, now: number): boolean {
  return actingSince !== undefined && missedAt === undefined && nextTryAt !== undefined && now < nextTryAt;
}

/**
 * Returns whether the process on the machine is proved to have ended, which it does with its container. A host
 * without heartbeat shows as offline or unknown while its containers keep running. `readAt` is when the record was read
 * (ms since 1970): its uptime ends there, which may be hours ago after sleep or at the start of an editor.
 */
export function isProvedGone(
  { provedAt }: ArmedTimer,
  { actualStatus, uptimeMinutes }: Instance,
  request: OwnRequest | undefined,
  readAt: number,
): boolean {
  if (actualStatus !== 'running') {
    return actualStatus === 'exited' || actualStatus === 'stopped';
  }
  const startedAt = uptimeMinutes === undefined ? 0 : readAt - uptimeMinutes * minuteMs;
  return (
    // Allows for small errors of the service's clock and figures.
    startedAt > provedAt + 120_000 || (startCauseOf(request) === 'reboot' && (request?.at ?? 0) > provedAt)
  );
}

/** Who has just answered the warning of the last day needs no other one for an end some hours later. */
export function stillTold(schedule: Schedule, state: ScheduleState, now: number): ScheduleState | undefined {
  const { id: scheduleId, term } = schedule;
  const { warnedAt, isAnnounced = false } = state;
  return isAgreedDestroy(schedule) &&
    term.kind === 'at' &&
    warnedAt !== undefined &&
    term.at - now < 1.5 * dayMs
    ? { scheduleId, warnedAt: Math.min(now, term.at - dayMs), isAnnounced }
    : undefined;
}

/** The timer on the machine still does what the schedule said that it was armed for. */
export function timerOf(schedule: Schedule | undefined): ArmedTimer | undefined {
  return schedule?.armed && { action: schedule.action, ...schedule.armed };
}

const longestScheduleMs = 30 * 24 * 60 * minuteMs;

/**
 * Parses a time: `90` and `90m` are minutes; `1.5h`, `1h30`, `1 h 30 min`, `2d`; `18:30` is the next time that the
 * clock shows it. Returns milliseconds from now, or `undefined` for other text, less than a minute or more than
 * thirty days.
 */
export function readScheduleTime(typed: string, now: Date): number | undefined {
  const text = typed.trim().toLowerCase().replaceAll(',', '.');
  const ms = clockTime(text, now) ?? spanOf(text);
  return ms !== undefined && ms >= minuteMs && ms <= longestScheduleMs ? ms : undefined;
}

function clockTime(text: string, now: Date): number | undefined {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(text) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59) {
    return undefined;
  }
  const then = new Date(now);
  then.setHours(Number(hours), Number(minutes), 0, 0);
  if (then.getTime() - now.getTime() < minuteMs) {
    then.setDate(then.getDate() + 1);
  }
  return then.getTime() - now.getTime();
}

function spanOf(text: string): number | undefined {
  const number = String.raw`(\d+(?:\.\d+)?)\s*`;
  const pattern = new RegExp(
    `^(?:${number}d(?:ays?)?)?\\s*(?:${number}h(?:ours?)?)?\\s*(?:${number}(?:m|min|minutes?)?)?$`,
  );
  const [, days, hours, minutes] = pattern.exec(text.slice(0, 100)) ?? [];
  if (days === undefined && hours === undefined && minutes === undefined) {
    return undefined;
  }
  return Math.round(
    (Number(days ?? 0) * 24 * 60 + Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * minuteMs,
  );
}
