import type { Instance } from './instance';
import type { Micros } from '../money';
import { costOf, perDay, runningRateOf, stoppedRateOf } from '../quote';

const hourMs = 3_600_000;

/** How long since the contract began, in milliseconds; never negative. */
export function ageMs(instance: Instance, now: number): number | undefined {
  return instance.startedAt === undefined ? undefined : Math.max(0, now - instance.startedAt * 1000);
}

/**
 * At most what it cost since it was created, as if it had run all the time; bandwidth not counted.
 * The record does not say for how long it was stopped.
 */
export function costSoFar(instance: Instance, now: number): Micros | undefined {
  const age = ageMs(instance, now);
  const rate = runningRateOf(instance);
  return age === undefined || rate === undefined ? undefined : costOf(rate, age / hourMs);
}

/** What the disk goes on costing a day while the instance is stopped. */
export function stoppedCostPerDay(instance: Instance): Micros | undefined {
  const rate = stoppedRateOf(instance);
  return rate === undefined ? undefined : perDay(rate);
}
