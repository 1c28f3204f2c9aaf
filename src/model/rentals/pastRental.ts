import * as z from 'zod';
import type { Charge } from '../accounts/charge';
import { instanceShape, type Instance } from '../instances/instance';
import { ageMs, costSoFar } from '../instances/instanceCost';
import { micros, sumMoney, type Micros } from '../money';

/** How a rental ended, as far as this computer knows. */
const rentalEnds = ['destroyed', 'replaced', 'failed', 'gone'] as const;

/** A rental whose instance is proved to be gone. */
export const pastRentalShape = z
  .object({
    version: z.literal(1),
    /** Its record as last read, without secrets. */
    instance: instanceShape,
    /** When its end was noticed, in milliseconds since 1970. */
    endedAt: z.number(),
    end: z.enum(rentalEnds),
    /** The host's message about a failed start. */
    message: z.string().exactOptional(),
    /** The name that the agent which rented it gave for itself. */
    agent: z.string().exactOptional(),
    /** The sum of its charges, and when they were read. */
    charged: z.object({ amount: micros, at: z.number() }).readonly().exactOptional(),
  })
  .readonly();
export type PastRental = z.infer<typeof pastRentalShape>;

export interface PastCost {
  readonly amount: Micros;
  /** False if it is computed from the price, as if the instance had always run. */
  readonly isCharged: boolean;
}

/** Returns the cost from its charges if they were read, otherwise the most that its price allows. */
export function costOfPast({ instance, endedAt, charged }: PastRental): PastCost | undefined {
  if (charged) {
    return { amount: charged.amount, isCharged: true };
  }
  const amount = costSoFar(instance, endedAt);
  return amount === undefined ? undefined : { amount, isCharged: false };
}

/** Returns the duration since the contract began; `undefined` if the record did not state that. */
export function durationOfPast({ instance, endedAt }: PastRental): number | undefined {
  return ageMs(instance, endedAt);
}

/** Charges appear with a delay, so they are read again until this time after the end (ms). */
const settledMs = 24 * 3_600_000;

export function hasFinalCharges({ charged, endedAt }: PastRental): boolean {
  return charged !== undefined && charged.at - endedAt >= settledMs;
}

/** Returns what an instance was charged, or `undefined` if no charge names it. */
export function chargedFor({ id }: Pick<Instance, 'id'>, charges: readonly Charge[]): Micros | undefined {
  const own = charges.filter(({ source }) => source === `instance-${id}`);
  return own.length === 0 ? undefined : sumMoney(own.map(({ amount }) => amount));
}

/** The most rentals to keep, latest first. */
export const mostPastRentals = 300;
