import { hardLimit } from '../../jobs/model/jobLimits';
import type { JobSpec } from '../../jobs/model/jobSpec';
import { fromDollars, type Micros } from '../../model/money';
import type { AgentRequest, RentalQuote } from './request';

/** What a job of a folder would do: on an offer that is rented for it, or on an instance. */
export interface JobPlan {
  readonly id: string;
  readonly accountKey: string;
  readonly at: number;
  readonly job: NonNullable<AgentRequest['job']>;
  /** How long the machine is needed at most. */
  readonly hours: number;
  readonly perHour: Micros;
  readonly quote?: RentalQuote | undefined;
  readonly instanceId?: number | undefined;
}

/** Before the job, and to fetch its outputs (s): the guard of a rented machine has the same. */
const spareSeconds = 3600;

/**
 * Returns how long a machine of this price works for a job at most, with all that its retries may cost; `undefined` if the
 * dollars of the job pay for no start.
 */
export function secondsFor(spec: JobSpec, perHour: Micros): number | undefined {
  const limit = hardLimit(spec, perHour);
  if (!limit) {
    return undefined;
  }
  const once = limit.setupSeconds + limit.runSeconds + spec.graceSeconds;
  const tries = Object.values(spec.retries).reduce((sum, count) => sum + count, 1);
  const paid = perHour === 0 ? Infinity : Math.ceil((fromDollars(spec.costDollars) / perHour) * 3600);
  return Math.min(once * tries, Math.max(once, paid)) + Math.ceil(spec.keepMinutes * 60);
}

/** Returns after how many hours a machine that is rented for a job stops in any case, rounded up. */
export function rentedHours(seconds: number): number {
  return Math.ceil(((seconds + spareSeconds) / 3600) * 100) / 100;
}
