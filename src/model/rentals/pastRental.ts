import * as z from 'zod';
import { ageMs, costSoFar } from '../instances/instanceCost';
import { instanceShape, type Instance } from '../instances/instance';
import { add, micros, zero, type Micros } from '../money';
import type { Charge } from '../accounts/charge';

/** How a rental ended, as far as this computer knows. */
const rentalEnds = ['destroyed', 'replaced', 'failed', 'gone'] as const;

/** A rental whose instance is proved to be gone. */
export const pastRentalShape = z
  .object({
    version: z.literal(1),
    /** Its record as it was read last, without secrets. */
    instance: instanceShape,
    /** When the end was seen; milliseconds since 1970. */
    endedAt: z.number(),
    end: z.enum(rentalEnds),
    /** What the host said about a start that failed. */
    message: z.string().exactOptional(),
    /** What the agent that rented it called itself. */
    agent: z.string().exactOptional(),
    /** The sum of its charges, and when they were read. */
    charged: z.object({ amount: micros, at: z.number() }).readonly().exactOptional(),
  })
  .readonly();
export type PastRental = z.infer<typeof pastRentalShape>;

export interface PastCost {
  readonly amount: Micros;
  /** False for what its price comes to, as if it had run all the time. */
  readonly isCharged: boolean;
}

/** From its charges where they were read, else at most what its price comes to. */
export function costOfPast({ instance, endedAt, charged }: PastRental): PastCost | undefined {
  if (charged) {
    return { amount: charged.amount, isCharged: true };
  }
  const amount = costSoFar(instance, endedAt);
  return amount === undefined ? undefined : { amount, isCharged: false };
}

/** From the beginning of the contract; `undefined` where the record did not say when that was. */
export function durationOfPast({ instance, endedAt }: PastRental): number | undefined {
  return ageMs(instance, endedAt);
}

/** Charges appear some time after they arose, so they are read again until then. */
const settledMs = 24 * 3_600_000;

export function hasFinalCharges({ charged, endedAt }: PastRental): boolean {
  return charged !== undefined && charged.at - endedAt >= settledMs;
}

/** What an instance was charged, or `undefined` where no charge names it. */
export function chargedFor({ id }: Pick<Instance, 'id'>, charges: readonly Charge[]): Micros | undefined {
  const own = charges.filter(({ source }) => source === `instance-${id}`);
  return own.length === 0 ? undefined : add(zero, ...own.map(({ amount }) => amount));
}

/** The last first, and no more than these: older ones are of use to nobody. */
export const mostPastRentals = 300;
