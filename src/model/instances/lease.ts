import { defined } from '../../util/defined';
import type { Instance } from './instance';
import { startCauseOf, type OwnRequest } from './instanceState';

/** What happens to an instance when its time is over. */
export type LeaseAction = 'stop' | 'destroy';

/** Over at a time of day (milliseconds since 1970), or once it was idle for so long. */
export type LeaseTerm =
  { readonly kind: 'at'; readonly at: number } | { readonly kind: 'idle'; readonly minutes: number };

/** The same on the machine itself, as far as it has proved it. */
export interface ArmedTimer {
  /** Names the process on the machine. */
  readonly token: string;
  /** When the machine acts by itself, in milliseconds of this computer's clock; absent where it counts its idle time. */
  readonly at?: number | undefined;
  /** When its process was seen alive and its key was accepted. */
  readonly provedAt: number;
  /** What it does, where the schedule says something else by now and the timer could not be ended. */
  readonly action?: LeaseAction | undefined;
}

/** The user's word that an instance is to be stopped or destroyed later. */
export interface Lease {
  /** Another one with each change, so that what belongs to an older word is told apart. */
  readonly id: string;
  readonly instanceId: number;
  readonly action: LeaseAction;
  readonly term: LeaseTerm;
  readonly setAt: number;
  readonly armed?: ArmedTimer | undefined;
  /** The user canceled it, but the timer on the instance could not be ended: no editor carries it out. */
  readonly isOnlyOnInstance?: boolean;
}

/** How far it has come; written by the window that carries it out. Times are milliseconds since 1970. */
export interface LeaseState {
  readonly leaseId: string;
  /** Since when it is seen to be idle without a break; missing while it is used. */
  readonly idleSince?: number | undefined;
  readonly warnedAt?: number;
  /** It was due when no editor was open, and nothing is destroyed late without a word. */
  readonly missedAt?: number;
  /** When its instance was proved to be gone; it is kept for a day, in case the service was wrong. */
  readonly endedAt?: number | undefined;
  /** How often it was tried and failed, and when it is tried again. */
  readonly attempts?: number;
  readonly nextTryAt?: number | undefined;
  /** Since when a window carries it out. */
  readonly actingSince?: number | undefined;
  /** When the request to the service left; absent again once the service refused it. */
  readonly sentAt?: number | undefined;
}

const minuteMs = 60_000;
/** The user is told this long before, or half the time before where that is less. */
const warnBeforeMs = 5 * minuteMs;
/** An action that is later than this was not in time: the editor was closed, or the computer slept. */
export const lateMs = 2 * minuteMs;
/** Below this a GPU counts as unused. */
export const idleGpuPercent = 5;

/** For so long a timer on an instance takes kernels whose server does not answer for use. */
export const silentKernelMs = 2 * 3_600_000;

/** When it is over as things are; `undefined` while an idle lease is in use. */
export function dueAt({ term }: Lease, state: LeaseState): number | undefined {
  if (term.kind === 'at') {
    return term.at;
  }
  return state.idleSince === undefined ? undefined : state.idleSince + term.minutes * minuteMs;
}

function leadMs({ term, setAt }: Lease): number {
  const wholeMs = term.kind === 'at' ? term.at - setAt : term.minutes * minuteMs;
  return Math.min(warnBeforeMs, Math.max(0, wholeMs) / 2);
}

/** When it is carried out: never sooner after the warning than the warning says. */
export function fireAt(lease: Lease, state: LeaseState): number | undefined {
  const due = dueAt(lease, state);
  if (due === undefined || state.warnedAt === undefined) {
    return due;
  }
  return Math.max(due, state.warnedAt + leadMs(lease));
}

export type LeaseStep =
  | { readonly kind: 'wait' }
  | { readonly kind: 'warn' }
  | { readonly kind: 'fire'; readonly isLate: boolean }
  /** The user is asked: a destroy is never late. */
  | { readonly kind: 'miss' };

/** What is to be done now. A stop loses nothing on the disk and ends the larger cost, so it is made up for. */
export function stepOf(lease: Lease, state: LeaseState, now: number): LeaseStep {
  const at = fireAt(lease, state);
  if (state.missedAt !== undefined || at === undefined || lease.isOnlyOnInstance === true) {
    return { kind: 'wait' };
  }
  const isTried = state.nextTryAt !== undefined;
  const time = state.nextTryAt ?? at;
  if (now > time + lateMs) {
    return lease.action === 'destroy' ? { kind: 'miss' } : { kind: 'fire', isLate: !isTried };
  }
  if (isTried) {
    return now < time ? { kind: 'wait' } : { kind: 'fire', isLate: false };
  }
  if (state.warnedAt === undefined) {
    return now < at - leadMs(lease) ? { kind: 'wait' } : { kind: 'warn' };
  }
  return now < at ? { kind: 'wait' } : { kind: 'fire', isLate: false };
}

/**
 * For a clock that was set back: what is left stays what it was. Forwards cannot be told from a sleep,
 * in which time did pass.
 */
export function movedBack<T extends Lease>(lease: T, byMs: number): T {
  const { term } = lease;
  return {
    ...lease,
    setAt: lease.setAt - byMs,
    ...(term.kind === 'at' ? { term: { ...term, at: term.at - byMs } } : {}),
    ...(lease.armed?.at === undefined ? {} : { armed: { ...lease.armed, at: lease.armed.at - byMs } }),
  };
}

/** The state of the same lease after `movedBack`. */
export function stateMovedBack(state: LeaseState, byMs: number): LeaseState {
  const back = (at: number | undefined) => (at === undefined ? undefined : at - byMs);
  return defined<LeaseState>({
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

/** After this many failures: a minute, doubled each time, at most a quarter of an hour. */
export function retryAfterMs(attempts: number): number {
  return Math.min(15, 2 ** Math.max(0, attempts - 1)) * minuteMs;
}

/** A window that carries a lease out is done within this time, or it is gone. */
export const actingMs = 3 * minuteMs;

/** Whether a window carries it out now. One that was killed on the way left no more than its last word. */
export function isBeingCarriedOut({ actingSince, missedAt, nextTryAt }: LeaseState, now: number): boolean {
  return actingSince !== undefined && missedAt === undefined && nextTryAt !== undefined && now < nextTryAt;
}

/**
 * Whether the process on the machine is proved to have ended: it ends with its container. A host whose heartbeat is
 * missed shows as offline or unknown, and its containers go on.
 */
export function isProvedGone(
  { provedAt }: ArmedTimer,
  { actualStatus, uptimeMinutes }: Instance,
  request: OwnRequest | undefined,
  now: number,
): boolean {
  if (actualStatus !== 'running') {
    return actualStatus === 'exited' || actualStatus === 'stopped';
  }
  const startedAt = uptimeMinutes === undefined ? 0 : now - uptimeMinutes * minuteMs;
  return (
    // The service's clock and its figure are a little off.
    startedAt > provedAt + 120_000 || (startCauseOf(request) === 'reboot' && (request?.at ?? 0) > provedAt)
  );
}

const longestLeaseMs = 30 * 24 * 60 * minuteMs;

/**
 * A time as people type it: `90` and `90m` minutes, `1.5h`, `1h30`, `1 h 30 min`, `2d`, and `18:30` for
 * the next time the clock shows that. Milliseconds from now; `undefined` for what is none of it, for
 * less than a minute and for more than thirty days.
 */
export function readLeaseTime(typed: string, now: Date): number | undefined {
  const text = typed.trim().toLowerCase().replaceAll(',', '.');
  const ms = clockTime(text, now) ?? spanOf(text);
  return ms !== undefined && ms >= minuteMs && ms <= longestLeaseMs ? ms : undefined;
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
  const [, days, hours, minutes] = pattern.exec(text) ?? [];
  if (days === undefined && hours === undefined && minutes === undefined) {
    return undefined;
  }
  return Math.round(
    (Number(days ?? 0) * 24 * 60 + Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * minuteMs,
  );
}
