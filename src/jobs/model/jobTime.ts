import type { JobState } from './job';
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
 * Returns a function for the time of what the machine says was so many seconds ago. No editor may have been open since,
 * so that is not when it is seen, but never before the last look, whatever happened to the clock of the machine.
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
