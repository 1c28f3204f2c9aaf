import { add, type Micros, zero } from '../../model/money';
import { type Job, type JobState, machineOf, mayHaveStarted } from './job';
import { spentBefore } from './jobLimits';
import type { JobSpec } from './jobSpec';
import type { JobBeat } from './onMachine';

/**
 * The state of a job at present: its trouble has lasted `passedMs` longer, and where the clock shows less than when the
 * state was written, the clock was set back, and the times that something is counted from go back with it.
 */
export function atPresent(state: JobState, now: number, passedMs: number): JobState {
  const { trouble, writtenAt = now } = state;
  const lasting = trouble && { ...trouble, lastedMs: trouble.lastedMs + passedMs };
  const backMs = writtenAt - now;
  if (backMs <= 0) {
    return lasting ? { ...state, trouble: lasting } : state;
  }
  const back = (time: number | undefined) => (time === undefined ? undefined : time - backMs);
  return {
    ...state,
    trouble: lasting,
    since: state.since - backMs,
    beganAt: back(state.beganAt),
    startedAt: back(state.startedAt),
    endedAt: back(state.endedAt),
    checkpointTriedAt: back(state.checkpointTriedAt),
    othersTriedAt: back(state.othersTriedAt),
  };
}

/**
 * Returns a function for the time of an event that the machine reports as so many
 * seconds ago. No editor may have been open since, so that is not the present
 * time, but it is never before the last look, for any clock of the machine.
 */
export function seenTimes({ lastSeenAt = 0, since }: JobState, now: number) {
  return (ago: number | undefined) =>
    ago === undefined ? undefined : Math.min(now, Math.max(now - ago * 1000, lastSeenAt, since));
}

/** The machine counts idle time; a missing beat changes nothing. */
export function idleSinceOf(
  { idleMinutes }: Pick<JobSpec, 'idleMinutes'>,
  { idleSince: before }: JobState,
  beat: JobBeat | undefined,
  now: number,
): number | undefined {
  if (idleMinutes === undefined || !beat) {
    return before;
  }
  const { idleSeconds = 0 } = beat;
  return idleSeconds < idleMinutes * 60 ? undefined : (before ?? now - idleSeconds * 1000);
}

/** Counts what the machine has cost so far at its old price, and the rest at the new one. */
export function atNewPrice(job: Job, state: JobState, perHour: Micros, now: number): JobState {
  const { instanceId, name } = machineOf({ job, state });
  if (instanceId === undefined) {
    return state;
  }
  const isCounted = state.beganAt !== undefined;
  // The order to start is computed with the new price; it may have been accepted already.
  const isTimeOld = mayHaveStarted(state.phase);
  return {
    ...state,
    machine: { instanceId, name, perHour },
    dearer: undefined,
    ...(isTimeOld ? { isTimeOld } : {}),
    ...(isCounted ? { before: spentBefore({ job, state }, now), beganAt: now } : {}),
  };
}

/** Counts what the host charged for a transfer, which leaves less for the time of a script that runs. */
export function withTraffic(state: JobState, traffic: Micros = zero): JobState {
  const { ms, cost } = state.before ?? { ms: 0, cost: zero };
  return traffic === 0
    ? state
    : {
        ...state,
        before: { ms, cost: add(cost, traffic) },
        ...(state.phase === 'running' ? { isTimeOld: true } : {}),
      };
}

/** Returns the state after higher limits of the user were sent to the machine. */
export function afterExtension(
  state: JobState,
  {
    orderedAt,
    limitSeconds,
    isDone,
  }: { readonly orderedAt: number; readonly limitSeconds: number; readonly isDone: boolean },
): JobState {
  return {
    ...state,
    extension: { orderedAt, isDone },
    limitSeconds: isDone ? limitSeconds : state.limitSeconds,
    isTimeOld: isDone ? undefined : state.isTimeOld,
  };
}
