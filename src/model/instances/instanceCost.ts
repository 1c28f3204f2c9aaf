import type { Micros } from '../money';
import { costOf, perDay, runningRateOf, stoppedRateOf } from '../quote';
import type { Instance } from './instance';

const hourMs = 3_600_000;

/** Returns the age of the contract (ms), never negative. */
export function ageMs(instance: Instance, now: number): number | undefined {
  return instance.startedAt === undefined ? undefined : Math.max(0, now - instance.startedAt * 1000);
}

/**
 * Returns an upper bound of the cost since creation without bandwidth, as if the
 * instance had run all the time. The record does not state how long it was stopped.
 */
export function costSoFar(instance: Instance, now: number): Micros | undefined {
  const age = ageMs(instance, now);
  const rate = runningRateOf(instance);
  return age === undefined || rate === undefined ? undefined : costOf(rate, age / hourMs);
}

/** Returns what the storage costs per day while the instance is stopped. */
export function stoppedCostPerDay(instance: Instance): Micros | undefined {
  const rate = stoppedRateOf(instance);
  return rate === undefined ? undefined : perDay(rate);
}
