import { add, fromDollars, zero, type Micros } from '../../model/money';
import { costOf, hourlyRate } from '../../model/quote';
import { machineOf, type JobRow, type JobState } from './job';
import type { JobSpec } from './jobSpec';

/** The limit of a job on a machine of this price. */
export interface HardLimit {
  readonly setupSeconds: number;
  /** Counted from the start of the script. */
  readonly runSeconds: number;
  /** The most that set-up and script cost together. */
  readonly most: Micros | undefined;
  /** True if the cost limit is reached before the time limit. */
  readonly isByCost: boolean;
}

/** Returns how long the dollars of a job still pay for its script (s), after its set-up and with the time to end it. */
function paidSeconds(
  spec: Parameters<typeof hardLimit>[0],
  perHour: Micros | undefined,
  usedSeconds: number,
  spent: Micros,
): number {
  if (perHour === undefined || perHour === 0) {
    return Infinity;
  }
  const paid = Math.floor(((fromDollars(spec.costDollars) - spent) / perHour) * 3600);
  return paid - usedSeconds - setupSecondsOf(spec) - spec.graceSeconds;
}

function setupSecondsOf({ setup, setupMinutes }: Pick<JobSpec, 'setup' | 'setupMinutes'>): number {
  return setup === undefined ? 0 : Math.floor(setupMinutes * 60);
}

/** Returns how long a job can still be prepared before its dollars no longer pay for a start (ms). */
export function startableMs(row: JobRow, now: number): number {
  const [spec, perHour, usedSeconds = 0, spent = zero] = limitInputs(row, now);
  return Math.max(0, paidSeconds(spec, perHour, usedSeconds, spent) - leastSeconds) * 1000;
}

/** A script with less time is not started (s). */
const leastSeconds = 1;

/**
 * Splits the limits of a job between set-up and script, including the time to end the script. `usedSeconds` were spent
 * on this machine at its present price, and `spent` before. Returns `undefined` if the money is used up before the script could
 * start.
 */
export function hardLimit(
  spec: Pick<JobSpec, 'setup' | 'setupMinutes' | 'hours' | 'costDollars' | 'graceSeconds'>,
  perHour: Micros | undefined,
  usedSeconds = 0,
  spent: Micros = zero,
): HardLimit | undefined {
  const wanted = Math.floor(spec.hours * 3600);
  const setupSeconds = setupSecondsOf(spec);
  if (perHour === undefined || perHour === 0) {
    return { setupSeconds, runSeconds: wanted, most: undefined, isByCost: false };
  }
  const remaining = paidSeconds(spec, perHour, usedSeconds, spent);
  if (remaining < leastSeconds) {
    return undefined;
  }
  const runSeconds = Math.min(wanted, remaining);
  const whole = Math.max(0, usedSeconds + setupSeconds + runSeconds + spec.graceSeconds);
  return {
    setupSeconds,
    runSeconds,
    most: costOf(hourlyRate(perHour), whole / 3600),
    isByCost: runSeconds < wanted,
  };
}

/** Time before and after the command (s). */
const spareSeconds = 3600;

/** How long outputs can be fetched after the end of a job or the last login since (s). */
export const fetchSeconds = 900;

/** Returns after how many seconds a machine that was rented for a job stops itself if the job never began. */
export function guardSecondsOf(
  spec: Parameters<typeof hardLimit>[0],
  perHour: Micros | undefined,
  usedSeconds = 0,
  spent: Micros = zero,
): number {
  const { setupSeconds = 0, runSeconds = 0 } = hardLimit(spec, perHour, usedSeconds, spent) ?? {};
  return setupSeconds + runSeconds + spec.graceSeconds + spareSeconds;
}

/** Returns what its machines have cost while they worked for the job; `undefined` if a price or the time is unknown. */
export function jobCost({ job, state }: JobRow, now: number): Micros | undefined {
  const { perHour } = machineOf({ job, state });
  if (perHour === undefined || state.isLost) {
    return undefined;
  }
  const here = costOf(hourlyRate(perHour), msHere({ job, state }, now) / 3_600_000);
  return add(here, state.before?.cost ?? zero);
}

/** Returns how long machines have worked for the job (ms). */
export function jobMs(row: JobRow, now: number): number {
  return msHere(row, now) + (row.state.before?.ms ?? 0);
}

/** Returns the time and cost of a job until it waits for other jobs or leaves its machine. */
export function spentBefore(row: JobRow, now: number): NonNullable<JobState['before']> {
  return { ms: jobMs(row, now), cost: jobCost(row, now) ?? row.state.before?.cost ?? zero };
}

/** Returns how long the present machine has worked for it (ms). */
function msHere({ state }: JobRow, now: number): number {
  return state.beganAt === undefined ? 0 : Math.max(0, (state.endedAt ?? now) - state.beganAt);
}

/** Returns the inputs of `hardLimit`: the machine's price, the seconds on it, and the cost of earlier machines. */
export function limitInputs(row: JobRow, now: number): Parameters<typeof hardLimit> {
  const { job, state } = row;
  return [job.spec, machineOf(row).perHour, msHere(row, now) / 1000, state.before?.cost ?? zero];
}
