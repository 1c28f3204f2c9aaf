import { costOf, hourlyRate } from '../quote';
import { add, fromDollars, zero, type Micros } from '../money';
import { machineOf, type JobRow } from './job';
import type { JobSpec } from './jobSpec';

/** Where a job ends at the latest on a machine of this price. */
export interface HardLimit {
  readonly setupSeconds: number;
  /** Counted from the start of the script. */
  readonly runSeconds: number;
  /** Of set-up and script together. */
  readonly most: Micros | undefined;
  /** The dollars end it before the hours do. */
  readonly isByCost: boolean;
}

/**
 * Splits the limits of a job between its set-up and its script; the time to end it in counts as well. `usedSeconds`
 * were spent on the machine before, and `spent` on other machines. `undefined` where the dollars are used up before the script could start.
 */
export function hardLimit(
  spec: Pick<JobSpec, 'setup' | 'setupMinutes' | 'hours' | 'costDollars' | 'graceSeconds'>,
  perHour: Micros | undefined,
  usedSeconds = 0,
  spent: Micros = zero,
): HardLimit | undefined {
  const wanted = Math.floor(spec.hours * 3600);
  const setupSeconds = spec.setup === undefined ? 0 : Math.floor(spec.setupMinutes * 60);
  if (perHour === undefined || perHour === 0) {
    return { setupSeconds, runSeconds: wanted, most: undefined, isByCost: false };
  }
  const paid = Math.floor(((fromDollars(spec.costDollars) - spent) / perHour) * 3600);
  const left = paid - usedSeconds - setupSeconds - spec.graceSeconds;
  if (left < 1) {
    return undefined;
  }
  const runSeconds = Math.min(wanted, left);
  const whole = usedSeconds + setupSeconds + runSeconds + spec.graceSeconds;
  return {
    setupSeconds,
    runSeconds,
    most: costOf(hourlyRate(perHour), whole / 3600),
    isByCost: runSeconds < wanted,
  };
}

/** For what comes before and after the command. */
const spareSeconds = 3600;

/** For so long after the end of a job, or the last login since, its outputs may be fetched. */
export const fetchSeconds = 900;

/** After so long a machine that was rented for a job stops itself where the job never began. */
export function guardSecondsOf(
  spec: Parameters<typeof hardLimit>[0],
  perHour: Micros | undefined,
  usedSeconds = 0,
  spent: Micros = zero,
): number {
  const { setupSeconds = 0, runSeconds = 0 } = hardLimit(spec, perHour, usedSeconds, spent) ?? {};
  return setupSeconds + runSeconds + spec.graceSeconds + spareSeconds;
}

/** What its machines have cost while they worked for the job; `undefined` where a price is not known. */
export function jobCost({ job, state }: JobRow, now: number): Micros | undefined {
  const { perHour } = machineOf({ job, state });
  if (perHour === undefined) {
    return undefined;
  }
  const here = costOf(hourlyRate(perHour), msHere({ job, state }, now) / 3_600_000);
  return add(here, state.before?.cost ?? zero);
}

/** How long machines have worked for the job, in ms. */
export function jobMs(row: JobRow, now: number): number {
  return msHere(row, now) + (row.state.before?.ms ?? 0);
}

/** How long the machine that it is on has worked for it, in ms. */
export function msHere({ state }: JobRow, now: number): number {
  return state.beganAt === undefined ? 0 : Math.max(0, (state.endedAt ?? now) - state.beganAt);
}

/** What the limit of a job is counted from: its machine's price, the seconds on it, and what others cost. */
export function limitInputs(row: JobRow, now: number): Parameters<typeof hardLimit> {
  const { job, state } = row;
  return [job.spec, machineOf(row).perHour, msHere(row, now) / 1000, state.before?.cost ?? zero];
}
