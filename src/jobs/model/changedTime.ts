import { add, zero, type Micros } from '../../model/money';
import { machineOf, mayHaveStarted, type Job, type JobState } from './job';
import { spentBefore } from './jobLimits';

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

/** Returns the state after the machine was told higher limits of the user. */
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
