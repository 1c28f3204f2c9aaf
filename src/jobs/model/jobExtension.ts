import { toDollars, zero } from '../../model/money';
import { costOf, hourlyRate } from '../../model/quote';
import { machineOf, type Job, type JobRow } from './job';
import { mostJobHours } from './jobFields';
import { hardLimit, limitInputs } from './jobLimits';
import type { JobSpec } from './jobSpec';

/** The user is warned this long before the limit, and can extend it (ms). */
const warnMs = 10 * 60_000;

/** Returns whether the limits of a job can still be raised. */
export function canExtend({ job, state }: JobRow): boolean {
  return state.phase === 'running' && job.decidedAt.stop === undefined;
}

/** Returns the run time of the script in seconds from its start; `undefined` while it does not run. */
export function limitSecondsOf(row: JobRow): number | undefined {
  const { startedAt, limitSeconds, isTimeOld } = row.state;
  if (startedAt === undefined) {
    return undefined;
  }
  return isTimeOld ? (limitNow(row) ?? 0) : (limitSeconds ?? limitNow(row));
}

/** Returns the same by the present limits of the job, without its set-up, which is over. */
export function limitNow(row: JobRow): number | undefined {
  const [spec, perHour, , spent] = limitInputs(row, 0);
  return hardLimit({ ...spec, setupMinutes: 0 }, perHour, usedBeforeStart(row), spent)?.runSeconds;
}

/** Returns for how long the present price counted when the script began (s); negative if it rose since. */
function usedBeforeStart({ state }: JobRow): number {
  const { startedAt = state.since, beganAt = startedAt } = state;
  return (startedAt - beganAt) / 1000;
}

/** Returns when the script ends at the latest, in milliseconds since 1970. */
export function limitAt(row: JobRow): number | undefined {
  const seconds = limitSecondsOf(row);
  return seconds === undefined || row.state.startedAt === undefined
    ? undefined
    : row.state.startedAt + seconds * 1000;
}

/**
 * Returns whether the limit is near. Never for a job too short for a warning, after a computer slept past the limit, or
 * on a stopped machine.
 */
export function isNearLimit(row: JobRow, now: number): boolean {
  const at = limitAt(row);
  const isLong = (limitSecondsOf(row) ?? 0) * 1000 >= 2 * warnMs;
  const canEnd = canExtend(row) && row.state.trouble?.kind !== 'machineStopped';
  return isLong && canEnd && at !== undefined && now >= at - warnMs && now < at;
}

/** Returns when the user ordered more time, if it has not been sent to the machine yet. */
export function orderedExtension({ job, state }: JobRow): number | undefined {
  const extendedAt = job.decidedAt.extend;
  const isOpen = state.phase === 'running' && (extendedAt ?? 0) > (state.extension?.orderedAt ?? 0);
  return isOpen ? extendedAt : undefined;
}

/** Returns limits for this many more hours; the cost limit rises by what they cost at most. */
export function extended(row: JobRow, hours: number): Pick<JobSpec, 'hours' | 'costDollars'> | undefined {
  const { job, state } = row;
  const seconds = limitSecondsOf(row);
  if (seconds === undefined || (seconds + hours * 3600) / 3600 > mostJobHours) {
    return undefined;
  }
  const wanted = seconds + hours * 3600;
  const { perHour } = machineOf(row);
  const here =
    perHour === undefined
      ? 0
      : toDollars(
          costOf(hourlyRate(perHour), (usedBeforeStart(row) + wanted + job.spec.graceSeconds) / 3600),
        );
  // One cent more than needed, so that rounding costs no run time.
  const cost = Math.ceil((here + toDollars(state.before?.cost ?? zero)) * 100 + 1) / 100;
  return {
    hours: Math.max(job.spec.hours, wanted / 3600),
    costDollars: Math.max(job.spec.costDollars, cost),
  };
}

/** Returns the job with limits that the user raised. */
export function withLimits(job: Job, limits: Pick<JobSpec, 'hours' | 'costDollars'>, now: number): Job {
  return { ...job, spec: { ...job.spec, ...limits }, decidedAt: { ...job.decidedAt, extend: now } };
}
